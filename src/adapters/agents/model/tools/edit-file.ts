import { writeContained } from '../../../../docset/contained-file.ts';
import { isPage } from '../../../../docset/docset.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { navigationHint } from './change-warnings.ts';
import { applyExactEdits } from './exact-edits.ts';
import { rememberProblems } from './known-problems.ts';
import { warningAfter } from './page-health.ts';
import { suggestion } from './read-file.ts';
import { readText, versionOf } from './text-content.ts';
import { count, done, failed } from './tool-answer.ts';
import { whyNotWritten } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';

/** A page of more characters than this is a mistake, and the parsers take none. */
const longestFile = 2_000_000;

export async function editFile(run: ToolRun, input: ToolInput<'edit_file'>): Promise<ToolAnswer> {
  const read = await readText(run, input.path, 'write');
  if (read.kind === 'refused') return failed(read.why);
  if (read.kind === 'missing') {
    return failed(
      `There is no ${read.path}.${await suggestion(run, read.path)} A new file is made with write_file.`,
    );
  }
  const edited = applyExactEdits(read.text, input.edits);
  if (edited.kind === 'refused') return failed(`${read.path}: ${edited.why}`);
  if (edited.text.length > longestFile)
    return failed(`${read.path} would become too large. Nothing was done.`);
  await rememberProblems(run, [read.path]);
  const written = await put(run, read.path, edited.text, read.byteOrderMark);
  if ('failed' in written) return written;
  const lines = edited.lines
    .toSorted((a, b) => a - b)
    .slice(0, 20)
    .join(', ');
  const at = `${edited.lines.length === 1 ? 'line' : 'lines'} ${lines}${edited.lines.length > 20 ? ' …' : ''}`;
  const warning = await warningAfter(run, read.path, read.text, edited.text);
  return done(
    `Changed ${count(edited.places, 'place')} in ${read.path} (${at}). Version ${written.version} now.${warning}`,
  );
}

export async function writeFile(run: ToolRun, input: ToolInput<'write_file'>): Promise<ToolAnswer> {
  if (input.content.length > longestFile)
    return failed('The content is too large for one file. Nothing was done.');
  if (input.content.includes('\0'))
    return failed('The content has a NUL character, so it is no text. Nothing was done.');
  const read = await readText(run, input.path, 'write');
  if (read.kind === 'refused') return failed(read.why);
  const content = input.content.replace(/^\uFEFF/, '').toWellFormed();
  if (read.kind === 'missing') {
    const made = await put(run, read.path, content, false);
    if ('failed' in made) return made;
    run.changed.known.set(read.path, []);
    const warning = await warningAfter(run, read.path, undefined, content);
    const hint = isPage(read.path) ? await navigationHint(run, read.path) : '';
    return done(`Made ${read.path}. Version ${made.version}.${hint}${warning}`);
  }
  // Who replaces a whole page must have seen it as it is now.
  if (input.version === undefined) {
    return failed(
      `${read.path} exists already. Read it first and give its version, or change parts of it with edit_file.`,
    );
  }
  if (input.version !== read.version) {
    return failed(
      `${read.path} is not what you read: its version is another one now. Read it again. Nothing was done.`,
    );
  }
  const isCrlf = read.text.includes('\r\n') && !/(?<!\r)\n/.test(read.text);
  const text = isCrlf ? content.replaceAll(/\r?\n/g, '\r\n') : content;
  if (text === read.text)
    return failed(`${read.path} has this content already, so there is nothing to change.`);
  await rememberProblems(run, [read.path]);
  const written = await put(run, read.path, text, read.byteOrderMark);
  if ('failed' in written) return written;
  const warning = await warningAfter(run, read.path, read.text, text);
  return done(`Replaced the whole text of ${read.path}. Version ${written.version} now.${warning}`);
}

async function put(
  run: ToolRun,
  path: string,
  text: string,
  byteOrderMark: boolean,
): Promise<{ version: string } | ToolAnswer> {
  run.signal.throwIfAborted();
  const content = (byteOrderMark ? '\uFEFF' : '') + text;
  const written = await writeContained(run.place.directory, path, content, (each) =>
    whyNotWritten(each, run.place),
  );
  if (written.kind === 'refused') return failed(written.reason);
  run.changed.paths.add(written.path);
  return { version: versionOf(content) };
}
