import { checkPages } from '../../../../docset/checks.ts';
import type { Problem } from '../../../../docset/checks.ts';
import { isPage } from '../../../../docset/docset.ts';
import type { ToolRun } from './tool-run.ts';

/** Pages whose troubles are remembered, of a workspace and of one change. */
const mostPages = 2_000;
const mostAtOnce = 60;

/**
 * Remembers what is wrong with pages that are about to be changed, or to lose something that they link to, so that
 * a model is not sent after troubles that it did not make. Of each page only what is wrong at first counts.
 *
 * @param made messages of troubles that the change has made already
 * @throws the signal's reason when aborted
 */
export async function rememberProblems(
  { place, changed, signal }: ToolRun,
  paths: Iterable<string>,
  made: ReadonlySet<string> = new Set(),
): Promise<void> {
  const { known } = changed;
  const fresh = [...paths].filter((path) => isPage(path) && !known.has(path));
  const room = Math.min(mostAtOnce, mostPages - known.size);
  if (fresh.length === 0 || fresh.length > room) return;
  const problems = await checkPages(place.directory, place.docsRoot, fresh, signal);
  const old = problems.filter(({ message }) => !made.has(message));
  for (const path of fresh) known.set(path, old.filter((problem) => problem.path === path).map(nameOf));
}

export interface SortedProblems {
  /** Not there before the page was changed. */
  readonly fresh: readonly Problem[];
  readonly old: readonly Problem[];
  /** On pages of which nothing is remembered. */
  readonly unknown: readonly Problem[];
}

export function sortedProblems({ changed }: ToolRun, problems: readonly Problem[]): SortedProblems {
  const sorted = { fresh: [] as Problem[], old: [] as Problem[], unknown: [] as Problem[] };
  const left = new Map<string, string[]>();
  for (const problem of problems) {
    const known = changed.known.get(problem.path);
    if (known === undefined) {
      sorted.unknown.push(problem);
      continue;
    }
    // The same trouble may be there twice, and now three times.
    const names = left.get(problem.path) ?? [...known];
    left.set(problem.path, names);
    const at = names.indexOf(nameOf(problem));
    if (at === -1) sorted.fresh.push(problem);
    else {
      names.splice(at, 1);
      sorted.old.push(problem);
    }
  }
  return sorted;
}

/** Lines move, so they do not count. */
function nameOf({ kind, message }: Problem): string {
  return `${kind} ${message}`;
}
