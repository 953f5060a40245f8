import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenByChange } from './broken-by-change.ts';
import { checkPagesOf, type DocsView, openView, type Problem } from './checks.ts';
import { forEachLimited } from './concurrency.ts';
import { isPage, readDocsetPage } from './docset.ts';
import { navigationFiles } from './navigation.ts';
import { navigationEntries, type NavigationEntry, navigationTargets } from './navigation-entries.ts';

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
 * What a change made worse: changed pages that cannot be read any more or whose links lead nowhere, links of
 * other pages that led somewhere before, entries of the navigation without a page, pages that are empty now. An
 * old page's old troubles are not the change's.
 *
 * @throws the signal's reason when aborted
 */
export async function checkDocsChange(change: DocsChange, signal: AbortSignal): Promise<Problem[]> {
  const { directory, parentDirectory, docsRoot, files } = change;
  if (
    docsRoot !== '' &&
    (await isNoFolder(directory, docsRoot)) &&
    !(await isNoFolder(parentDirectory, docsRoot))
  ) {
    return [{ path: docsRoot, line: 1, kind: 'lost', message: 'The folder of the docs is gone.' }];
  }
  const after = await openView(directory, docsRoot, signal);
  const pages = files.filter((file) => file.change !== 'deleted').map((file) => file.path);
  const found = await checkPagesOf(after, pages, signal);
  const before = await openView(parentDirectory, docsRoot, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // Docs whose folder the change has made.
    if (files.some((file) => file.change !== 'added')) throw error;
    return undefined;
  });
  if (before === undefined) return [...found, ...(await brokenEntries(undefined, after))];
  const formerPath = new Map(files.map((file) => [file.path, file.previousPath ?? file.path]));
  const concerned = new Set(found.map((problem) => formerPath.get(problem.path) ?? problem.path));
  const known = await checkPagesOf(before, [...concerned], signal);
  return [
    ...worse(known, found, formerPath),
    ...(await emptied(before, after, files, signal)),
    ...(await brokenEntries(before, after)),
    ...(await brokenByChange(before, after, files, signal)),
  ];
}

async function isNoFolder(directory: string, folder: string): Promise<boolean> {
  const facts = await lstat(join(directory, folder)).catch(() => undefined);
  return facts?.isDirectory() !== true;
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

/** Entries of the navigation that name no page, and named one before or were not there. */
async function brokenEntries(before: DocsView | undefined, after: DocsView): Promise<Problem[]> {
  const hadPage = new Set<string>();
  const hadNone = new Map<string, number>();
  if (before !== undefined) {
    const leads = navigationTargets(before.site);
    for (const { name } of await entriesOf(before)) {
      if (leads(name)) hadPage.add(name);
      else hadNone.set(name, (hadNone.get(name) ?? 0) + 1);
    }
  }
  const leads = navigationTargets(after.site);
  return (await entriesOf(after)).flatMap(({ path, name, line, certain }): Problem[] => {
    if (leads(name)) return [];
    const left = hadNone.get(name) ?? 0;
    if (left > 0) {
      hadNone.set(name, left - 1);
      return [];
    }
    if (!certain && !hadPage.has(name)) return [];
    const message = `The navigation lists a page that is not there: ${name}`;
    return [{ path, line, kind: 'navigation', message }];
  });
}

async function entriesOf({ site }: DocsView): Promise<(NavigationEntry & { readonly path: string })[]> {
  const files = await navigationFiles(site.docset);
  return files.flatMap((file) =>
    navigationEntries(site, file).map((entry) => ({ ...entry, path: file.path })),
  );
}

/** Pages that had something to read and have nothing now. */
async function emptied(
  before: DocsView,
  after: DocsView,
  files: readonly DocsChangeFile[],
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const kept = files.filter(({ path, change }) => change !== 'added' && change !== 'deleted' && isPage(path));
  await forEachLimited(kept, 16, signal, async ({ path, previousPath = path }) => {
    if (!(await isEmpty(after, path)) || (await isEmpty(before, previousPath))) return;
    problems.push({ path, line: 1, kind: 'lost', message: 'The page is empty now.' });
  });
  return problems.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** True for nothing but front matter and white space; false when it cannot be read. */
async function isEmpty({ site }: DocsView, path: string): Promise<boolean> {
  if (!site.docset.files.has(path)) return false;
  const page = await readDocsetPage(site.docset, path);
  if (page.kind === 'refused') return false;
  const body = page.text.replace(/^(---|\+\+\+)\r?\n(?:[^\n]*\n)*?\1[ \t]*(?:\r?\n|$)/, '');
  return body.trim() === '';
}
