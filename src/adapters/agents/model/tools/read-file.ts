import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { isSimilarName } from './similar-text.ts';
import { readText } from './text-content.ts';
import { done, failed, longestAnswer, Room } from './tool-answer.ts';
import { rootOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';
import { walkFiles } from './walk-files.ts';

/** Longer lines are cut in the answer: data on one line, or a picture in a page. */
const longestLine = 4_000;

export async function readFile(run: ToolRun, input: ToolInput<'read_file'>): Promise<ToolAnswer> {
  const read = await readText(run, input.path, 'read');
  if (read.kind === 'refused') return failed(read.why);
  if (read.kind === 'missing') return failed(`There is no ${read.path}.${await suggestion(run, read.path)}`);
  const lines = read.text.split('\n');
  // A line break at the end ends the last line and begins no further one.
  if (lines.at(-1) === '') lines.pop();
  const start = input.startLine ?? 1;
  const end = Math.min(input.endLine ?? lines.length, lines.length);
  const facts = `${read.path}, version ${read.version}, ${factsOf(read.text, lines.length, read.byteOrderMark)}`;
  if (lines.length === 0)
    return done(`${facts}\nThe file is empty. Write it with write_file and this version.`);
  if (start > lines.length || end < start) {
    return failed(
      `${read.path} has ${lines.length} lines, so there are no lines ${start} to ${input.endLine ?? start}.`,
    );
  }
  const room = new Room(longestAnswer - 1_000);
  let last = start - 1;
  for (const line of lines.slice(start - 1, end)) {
    const text = line.replace(/\r$/, '');
    const cut =
      text.length > longestLine
        ? `${text.slice(0, longestLine)}… (${text.length} characters in this line)`
        : text;
    if (!room.add(`${last + 1}\t${cut}`)) break;
    last += 1;
  }
  const shown = start === 1 && last === lines.length ? '' : `, lines ${start} to ${last}`;
  const next =
    last < end
      ? `\n… cut here: go on with startLine ${last + 1}.`
      : last < lines.length
        ? `\n… ${lines.length - last} more lines follow.`
        : '';
  return done(`${facts}${shown}\n${room.text}${next}`);
}

function factsOf(text: string, lines: number, byteOrderMark: boolean): string {
  const facts = [`${lines} ${lines === 1 ? 'line' : 'lines'}`];
  if (text.includes('\r\n')) facts.push('CRLF line endings (kept by edit_file)');
  if (byteOrderMark) facts.push('byte order mark (kept)');
  if (text !== '' && !text.endsWith('\n')) facts.push('no line break at the end');
  return facts.join(', ');
}

/** Files that may be meant by a path that leads nowhere, as sentences. */
export async function suggestion(run: ToolRun, path: string): Promise<string> {
  const { files } = await walkFiles(await rootOf(run), '', run.signal);
  const similar = files.filter((each) => isSimilarName(each, path)).slice(0, 5);
  return similar.length === 0
    ? ' Use list_files or search to find it.'
    : ` Did you mean ${similar.join(' or ')}?`;
}
