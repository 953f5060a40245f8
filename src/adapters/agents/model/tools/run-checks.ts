import { checkPages } from '../../../../docset/checks.ts';
import type { Problem } from '../../../../docset/checks.ts';
import { findContained } from '../../../../docset/contained-path.ts';
import { isInside, isPage } from '../../../../docset/docset.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { changedPages } from './changed-pages.ts';
import { sortedProblems } from './known-problems.ts';
import { count, done, failed, longestAnswer, Room } from './tool-answer.ts';
import { rootOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';
import { walkFiles } from './walk-files.ts';

/** Parsing takes about two milliseconds a page. */
const pagesAtOnce = 500;
const shownProblems = 100;

export async function runChecks(run: ToolRun, { paths }: ToolInput<'run_checks'>): Promise<ToolAnswer> {
  const root = await rootOf(run);
  const chosen = new Set<string>();
  const { files } = await walkFiles(root, '', run.signal);
  const named = paths !== undefined && paths.length > 0;
  for (const path of named ? paths : []) {
    const found = await findContained(run.place.directory, path);
    if (found.kind === 'refused') return failed(found.reason);
    if (found.kind === 'missing')
      return failed(`There is no ${found.path}. Name pages or folders that exist.`);
    for (const each of files) if (isPage(each) && isInside(each, found.path)) chosen.add(each);
  }
  if (!named) for (const path of await changedPages(run)) chosen.add(path);
  if (chosen.size === 0) {
    return named
      ? failed('None of these is a page. Name pages (.md, .mdx) or folders with pages.')
      : done('No page is known to be changed. To check pages, name them in paths.');
  }
  const pages = [...chosen].slice(0, pagesAtOnce);
  const problems = await checkPages(run.place.directory, run.place.docsRoot, pages, run.signal);
  const left = chosen.size - pages.length;
  const notAll = left > 0 ? ` ${count(left, 'further page')} not checked: name smaller folders.` : '';
  const { fresh, old, unknown } = sortedProblems(run, problems);
  const listed = [
    ...listOf(fresh, 'that your changes brought: mend them'),
    ...listOf(unknown, 'that may be older than your changes'),
    // Who names pages may want to know all of them.
    ...(named ? listOf(old, 'older than your changes') : []),
  ];
  const older =
    old.length > 0 && !named
      ? ` ${count(old.length, 'older problem')} on these pages ${old.length === 1 ? 'was' : 'were'} there before your changes: leave them, unless the writer asked for it; name the pages in paths to see them.`
      : '';
  if (listed.length === 0) {
    const none = old.length === 0 ? 'No problems' : 'No new problems';
    return done(`${none} on ${count(pages.length, 'page')}.${older}${notAll}`);
  }
  const room = new Room(longestAnswer - 1_000);
  const shown = listed.findIndex((line) => !room.add(line));
  const rest = shown === -1 ? '' : '\n… and more. Mend these and check again.';
  return done(`${count(pages.length, 'page')} checked.${older}${notAll}\n${room.text}${rest}`);
}

function listOf(problems: readonly Problem[], which: string): string[] {
  if (problems.length === 0) return [];
  const lines = problems
    .slice(0, shownProblems)
    .map(({ path, line, message }) => `${path}, line ${line}: ${message.slice(0, 400)}`);
  const rest = problems.length - lines.length;
  if (rest > 0) lines.push(`… and ${rest} more`);
  return [`${count(problems.length, 'problem')} ${which}:`, ...lines];
}
