import { findContained } from '../../../../docset/contained-path.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { globOf } from './glob.ts';
import { lineMatcher } from './line-matcher.ts';
import { searchFiles } from './search-files.ts';
import type { FileMatches } from './search-files.ts';
import { readText } from './text-content.ts';
import { count, done, failed, longestAnswer, Room, shortLine } from './tool-answer.ts';
import { folderArgument, rootOf, whyNotRead } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';
import { walkFiles } from './walk-files.ts';

/** Lines shown of one file; a page that says a word everywhere is one result, not all of them. */
const linesOfFile = 10;
const longestLine = 300;

export async function search(run: ToolRun, input: ToolInput<'search'>): Promise<ToolAnswer> {
  const { regex = false, matchCase = false, wholeWord = false, context = 0, offset = 0, limit = 20 } = input;
  const matcher = lineMatcher(input.query, { regex, matchCase, wholeWord });
  if (typeof matcher === 'string') return failed(matcher);
  const fits = input.pattern === undefined ? () => true : globOf(input.pattern);
  if (typeof fits === 'string') return failed(fits);
  const found = await findContained(run.place.directory, folderArgument(input.path, run.place));
  if (found.kind === 'refused') return failed(found.reason);
  if (found.kind === 'missing')
    return failed(`There is no ${found.path}. Use list_files to see what there is.`);
  const secret = found.kind === 'file' ? whyNotRead(found.path) : undefined;
  if (secret !== undefined) return failed(secret);

  const root = await rootOf(run);
  const within = found.path === '' ? 0 : found.path.length + 1;
  const walked = found.kind === 'file' ? [found.path] : (await walkFiles(root, found.path, run.signal)).files;
  const paths = walked.filter((path) => found.kind === 'file' || fits(path.slice(within)) || fits(path));
  const { matches, files, complete } = await searchFiles(root, paths, matcher, run.signal);
  const where = found.path === '' ? 'the workspace' : found.path;
  const stopped = complete
    ? ''
    : '\nThe search took too long and was stopped: these are not all. Use a simpler query, or path and pattern.';
  if (matches.length === 0) {
    return done(`Nothing found in ${count(files, 'file')} of ${where}.${stopped || nextStep(input, where)}`);
  }
  const room = new Room(longestAnswer - 2_000);
  let shown = 0;
  for (const match of matches.slice(offset, offset + limit)) {
    if (!room.add(...(await linesOf(run, match, context)))) break;
    shown += 1;
  }
  const lines = matches.reduce((sum, { total }) => sum + total, 0);
  const head = `${count(lines, 'line')} in ${count(matches.length, 'file')} of ${count(files, 'file')} in ${where}, most relevant first:`;
  const rest = matches.length - offset - shown;
  const more =
    rest > 0
      ? `\n… ${count(rest, 'more file')}: go on with offset ${offset + shown}, or narrow the search.`
      : '';
  return done(`${head}\n${room.text}${more}${stopped}`);
}

function nextStep(input: ToolInput<'search'>, where: string): string {
  const tips = [
    ...(input.matchCase === true || input.wholeWord === true ? ['without matchCase and wholeWord'] : []),
    ...(input.pattern === undefined ? [] : ['without the pattern']),
    ...(where === 'the workspace' ? [] : ['with path "."']),
    'with a shorter query or another word for it',
  ];
  return ` Try it ${tips.join(', or ')}.`;
}

async function linesOf(run: ToolRun, match: FileMatches, context: number): Promise<string[]> {
  const read = await readText(run, match.path, 'read');
  if (read.kind !== 'text') return [`${match.path}: ${count(match.total, 'line')}, which cannot be shown.`];
  const texts = read.text.split('\n');
  const out = [`${match.path} (${count(match.total, 'line')})`];
  let last = 0;
  for (const { line, at } of match.lines.slice(0, linesOfFile)) {
    const from = Math.max(line - context, last + 1, 1);
    if (context > 0 && last > 0 && from > last + 1) out.push('  --');
    for (let number = from; number <= Math.min(line + context, texts.length); number += 1) {
      const text = (texts[number - 1] ?? '').replace(/\r$/, '');
      const isMatch = match.lines.some((each) => each.line === number);
      out.push(
        `${isMatch ? ' ' : ' ~'} ${number}: ${shortLine(text, longestLine, number === line ? at : 0)}`,
      );
      last = number;
    }
  }
  const rest = match.total - Math.min(match.lines.length, linesOfFile);
  if (rest > 0) out.push(`  … ${count(rest, 'more line')} in this file.`);
  return out;
}
