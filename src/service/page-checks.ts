import type { Problem } from '../docset/checks.ts';
import type { CheckReport } from './job.ts';
import type { Change, Workspace } from './ports/workspaces.ts';

/** `checkPages` of the docset, or what stands for it. */
export type PageCheck = (
  directory: string,
  docsRoot: string,
  paths: readonly string[],
  signal: AbortSignal,
) => Promise<readonly Problem[]>;

/**
 * Checks the pages that a change touched, and tells only what got worse: an old page's old troubles are not
 * the job's.
 */
export async function checkChange(
  workspace: Workspace,
  change: Change,
  check: PageCheck,
  signal: AbortSignal,
): Promise<CheckReport> {
  const present = change.files.filter((file) => file.change !== 'deleted');
  const pages = present.map((file) => file.path);
  const { docsRoot } = workspace.repository;
  const after = await check(workspace.directory, docsRoot, pages, signal);
  if (after.length === 0) return { pages: pages.length, problems: [] };

  const formerPath = new Map(present.map((file) => [file.path, file.previousPath ?? file.path]));
  const concerned = new Set(after.map((problem) => formerPath.get(problem.path) ?? problem.path));
  await using parent = await workspace.openParent();
  const before = await check(parent.directory, docsRoot, [...concerned], signal);

  // Counted, because a page may have the same trouble twice and now three times. Lines move, so they do not count.
  const known = new Map<string, number>();
  for (const problem of before) add(known, nameOf(problem, problem.path), 1);
  const worse = after.filter((problem) => {
    const name = nameOf(problem, formerPath.get(problem.path) ?? problem.path);
    if ((known.get(name) ?? 0) === 0) return true;
    add(known, name, -1);
    return false;
  });
  return {
    pages: pages.length,
    problems: worse.map((problem) => `${problem.path}, line ${problem.line}: ${problem.message}`),
  };
}

function nameOf(problem: Problem, path: string): string {
  return JSON.stringify([path, problem.kind, problem.message]);
}

function add(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}
