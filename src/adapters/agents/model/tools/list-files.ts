import { readdir } from 'node:fs/promises';
import { findContained } from '../../../../docset/contained-path.ts';
import { isPage } from '../../../../docset/docset.ts';
import { isGitName } from '../../../../docset/portable-name.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { globOf } from './glob.ts';
import { isSecretFile } from './secret-files.ts';
import { count, done, failed, longestAnswer, Room } from './tool-answer.ts';
import { folderArgument, rootOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';
import { walkFiles } from './walk-files.ts';

export async function listFiles(run: ToolRun, input: ToolInput<'list_files'>): Promise<ToolAnswer> {
  const given = folderArgument(input.path, run.place);
  const found = await findContained(run.place.directory, given);
  if (found.kind === 'refused') return failed(found.reason);
  if (found.kind === 'missing')
    return failed(`There is no folder ${found.path}. List the folder above it, or "." for the top.`);
  if (found.kind === 'file') return failed(`${found.path} is a file. Use outline or read_file for it.`);
  const fits = input.pattern === undefined ? () => true : globOf(input.pattern);
  if (typeof fits === 'string') return failed(fits);

  const { files, complete } = await walkFiles(await rootOf(run), found.path, run.signal);
  const isDeep = input.recursive === true || input.pattern !== undefined;
  const within = found.path === '' ? 0 : found.path.length + 1;
  const chosen = isDeep
    ? files.filter((path) => fits(path.slice(within)) || fits(path))
    : [
        ...(await folderLines(run, found.path, files, found.absolute)),
        ...files.filter((path) => !path.includes('/', within)),
      ];
  const offset = input.offset ?? 0;
  const wanted = chosen.slice(offset, offset + (input.limit ?? 200));
  const room = new Room(longestAnswer - 1_000);
  let shown = 0;
  for (const line of wanted) {
    if (!room.add(line)) break;
    shown += 1;
  }
  const where = found.path === '' ? 'The workspace' : found.path;
  const pages = files.filter(isPage).length;
  const total = `${where}: ${count(files.length, 'file')}${complete ? '' : ' or more'}, ${count(pages, 'page')}, with all folders below.`;
  const fitting =
    isDeep && input.pattern !== undefined
      ? ` ${count(chosen.length, 'file')} ${chosen.length === 1 ? 'fits' : 'fit'} "${input.pattern}".`
      : '';
  const rest = chosen.length - offset - shown;
  const next =
    rest > 0
      ? `\n… ${rest.toLocaleString('en')} more: go on with offset ${offset + shown}, or narrow it with path and pattern.`
      : '';
  return done(`${total}${fitting}\n${room.text === '' ? '(nothing to list here)' : room.text}${next}`);
}

/** The folders right below one, with what is in them and below. */
async function folderLines(
  run: ToolRun,
  folder: string,
  files: readonly string[],
  absolute: string,
): Promise<string[]> {
  const entries = await readdir(absolute, { withFileTypes: true });
  const prefix = folder === '' ? '' : `${folder}/`;
  const inside = new Map<string, { files: number; pages: number }>();
  for (const path of files) {
    const end = path.indexOf('/', prefix.length);
    if (end === -1) continue;
    const name = path.slice(0, end);
    const counts = inside.get(name) ?? { files: 0, pages: 0 };
    counts.files += 1;
    if (isPage(path)) counts.pages += 1;
    inside.set(name, counts);
  }
  run.signal.throwIfAborted();
  return entries
    .filter((entry) => !isGitName(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()))
    .map((entry) => ({ path: prefix + entry.name, isLink: entry.isSymbolicLink() }))
    .filter(({ path }) => !isSecretFile(`${path}/`))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, isLink }) => {
      if (isLink) return `${path} (symbolic link, not followed)`;
      const { files: amount, pages } = inside.get(path) ?? { files: 0, pages: 0 };
      return `${path}/ (${count(amount, 'file')}${pages > 0 ? `, ${count(pages, 'page')}` : ''})`;
    });
}
