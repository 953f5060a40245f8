import { checkDocsChange, type DocsChangeFile } from '../../src/docset/change-checks.ts';
import type { Problem } from '../../src/docset/checks.ts';
import { type DocsTree, writeTree } from './docs-trees.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface ChangedTree {
  /** Content by path; undefined deletes. */
  readonly [path: string]: string | undefined;
}

/** What a change of a project made worse. `renamed` is new path → old path. */
export async function madeWorse(
  before: DocsTree,
  change: ChangedTree,
  { renamed = {}, docsRoot = '' }: { renamed?: Readonly<Record<string, string>>; docsRoot?: string } = {},
): Promise<Problem[]> {
  await using parent = await temporaryFolder();
  await using fresh = await temporaryFolder();
  const after: Record<string, string | Uint8Array> = { ...before };
  const files: DocsChangeFile[] = [];
  for (const [path, previousPath] of Object.entries(renamed)) {
    after[path] = change[path] ?? before[previousPath] ?? '';
    delete after[previousPath];
    files.push({ path, previousPath, change: 'renamed' });
  }
  for (const [path, content] of Object.entries(change)) {
    if (path in renamed) continue;
    if (content === undefined) delete after[path];
    else after[path] = content;
    files.push({
      path,
      change: content === undefined ? 'deleted' : path in before ? 'modified' : 'added',
    });
  }
  await writeTree(parent.path, before);
  await writeTree(fresh.path, after);
  return await checkDocsChange(
    { directory: fresh.path, parentDirectory: parent.path, docsRoot, files },
    new AbortController().signal,
  );
}

/** As `path:line kind message`. */
export async function worseLines(...args: Parameters<typeof madeWorse>): Promise<string[]> {
  return (await madeWorse(...args)).map(
    ({ path, line, kind, message }) => `${path}:${line} ${kind} ${message}`,
  );
}
