import { checkPages, type Problem } from './checks.ts';

/** A change of a docs project: its folder before and after, and the files that differ. */
export interface DocsChange {
  /** The workspace's folder as it is now. */
  readonly directory: string;
  /** A folder with the same files as they were before. */
  readonly parentDirectory: string;
  /** Folder of the docs inside both, with `/`; empty for the whole. */
  readonly docsRoot: string;
  /** Paths with `/`, relative to both folders. */
  readonly files: readonly DocsChangeFile[];
}

export interface DocsChangeFile {
  readonly path: string;
  readonly previousPath?: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
}

/**
 * What a change made worse: an old page's old troubles are not the change's.
 *
 * @throws the signal's reason when aborted
 */
export async function checkDocsChange(change: DocsChange, signal: AbortSignal): Promise<Problem[]> {
  const { directory, parentDirectory, docsRoot } = change;
  const present = change.files.filter((file) => file.change !== 'deleted');
  const pages = present.map((file) => file.path);
  const after = await checkPages(directory, docsRoot, pages, signal);
  if (after.length === 0) return [];
  const formerPath = new Map(present.map((file) => [file.path, file.previousPath ?? file.path]));
  const concerned = new Set(after.map((problem) => formerPath.get(problem.path) ?? problem.path));
  const before = await checkPages(parentDirectory, docsRoot, [...concerned], signal);
  return worse(before, after, formerPath);
}

/** Counted, because a page may have the same trouble twice and now three times. Lines move, so they do not count. */
function worse(
  before: readonly Problem[],
  after: readonly Problem[],
  formerPath: ReadonlyMap<string, string>,
): Problem[] {
  const known = new Map<string, number>();
  const add = (name: string, by: number): void => void known.set(name, (known.get(name) ?? 0) + by);
  for (const problem of before) add(nameOf(problem, problem.path), 1);
  return after.filter((problem) => {
    const name = nameOf(problem, formerPath.get(problem.path) ?? problem.path);
    if ((known.get(name) ?? 0) === 0) return true;
    add(name, -1);
    return false;
  });
}

function nameOf(problem: Problem, path: string): string {
  return JSON.stringify([path, problem.kind, problem.message]);
}
