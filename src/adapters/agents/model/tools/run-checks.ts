import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPages } from '../../../../docset/checks.ts';
import { findContained } from '../../../../docset/contained-path.ts';
import { isInside, isPage } from '../../../../docset/docset.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
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
  if (!named) for (const path of await changedPages(run, root, files)) chosen.add(path);
  if (chosen.size === 0) {
    return named
      ? failed('None of these is a page. Name pages (.md, .mdx) or folders with pages.')
      : done('No page is known to be changed. To check pages, name them in paths.');
  }
  const pages = [...chosen].slice(0, pagesAtOnce);
  const problems = await checkPages(run.place.directory, run.place.docsRoot, pages, run.signal);
  const left = chosen.size - pages.length;
  const notAll = left > 0 ? ` ${count(left, 'further page')} not checked: name smaller folders.` : '';
  if (problems.length === 0) return done(`No problems on ${count(pages.length, 'page')}.${notAll}`);
  const room = new Room(longestAnswer - 1_000);
  let shown = 0;
  for (const { path, line, message } of problems.slice(0, shownProblems)) {
    if (!room.add(`${path}, line ${line}: ${message.slice(0, 400)}`)) break;
    shown += 1;
  }
  const rest =
    problems.length > shown ? `\n… and ${problems.length - shown} more. Mend these and check again.` : '';
  return done(
    `${count(problems.length, 'problem')} on ${count(pages.length, 'page')}, some perhaps older than your change: mend what your change broke.${notAll}\n${room.text}${rest}`,
  );
}

/** What the tools changed, and what has changed since their first use, be it only its name: a move or a rule touches many pages. */
async function changedPages({ changed }: ToolRun, root: string, files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of files) {
    if (!isPage(path)) continue;
    const isNew =
      changed.paths.has(path) ||
      ((await lstat(join(root, path)).catch(() => undefined))?.ctimeMs ?? 0) >= changed.since;
    if (isNew) found.push(path);
  }
  return found;
}
