import { findContained } from '../../../../docset/contained-path.ts';
import { isPage, openDocset } from '../../../../docset/docset.ts';
import { moveWithLinks } from '../../../../docset/move-with-links.ts';
import { openSite } from '../../../../docset/site.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { rememberProblems } from './known-problems.ts';
import { suggestion } from './read-file.ts';
import { count, done, failed } from './tool-answer.ts';
import { whyNotRead, whyNotWritten } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';

const shownEntries = 40;

export async function moveFile(run: ToolRun, input: ToolInput<'move_file'>): Promise<ToolAnswer> {
  const { directory, docsRoot } = run.place;
  const [from, to] = [await findContained(directory, input.from), await target(directory, input)];
  if (from.kind === 'refused') return failed(from.reason);
  if (from.kind === 'missing') return failed(`There is no ${from.path}.${await suggestion(run, from.path)}`);
  if (from.kind === 'folder') return failed(`${from.path || '.'} is a folder. Move its files one by one.`);
  if (to.kind === 'refused') return failed(to.reason);
  if (to.kind !== 'missing') return failed(`There is a ${to.path} already. Choose another path.`);
  for (const path of [from.path, to.path]) {
    const why = whyNotRead(path) ?? whyNotWritten(path, run.place);
    if (why !== undefined) return failed(why);
  }
  if (isPage(from.path) !== isPage(to.path)) {
    return failed(
      `${from.path} ${isPage(from.path) ? 'is a page and must stay one (.md or .mdx)' : 'is no page and cannot become one'}.`,
    );
  }
  const mayWrite = (path: string): boolean => whyNotWritten(path, run.place) === undefined;
  const site = await openSite(await openDocset(directory, docsRoot, run.signal, mayWrite), run.signal);
  if (!site.docset.files.has(from.path)) {
    return failed(`${from.path} lies in a hidden or generated folder, where nothing is moved.`);
  }
  const renaming = { from: from.path, to: to.path };
  const moved = await moveWithLinks(site, renaming, run.signal, {
    beforeWriting: (pages) => rememberProblems(run, pages),
  });
  if (moved.kind === 'refused') return failed(`${from.path} was not moved. ${moved.reason}`);
  const changes = [
    ...moved.links.map(({ path, count: links }) => `${path}: ${count(links, 'link')}`),
    ...moved.entries.map(
      ({ path, count: entries }) => `${path}: ${count(entries, 'navigation entry', 'navigation entries')}`,
    ),
    ...(moved.redirect === undefined ? [] : [`${moved.redirect.path}: a redirect from the old address`]),
  ];
  run.changed.paths.delete(from.path);
  for (const { path } of moved.links) run.changed.paths.add(path);
  run.changed.paths.add(to.path);
  const known = run.changed.known.get(from.path);
  run.changed.known.delete(from.path);
  if (known !== undefined) run.changed.known.set(to.path, known);
  const list = changes.slice(0, shownEntries);
  if (changes.length > list.length) list.push(`… and ${changes.length - list.length} more`);
  const parts = [
    `Moved ${from.path} to ${to.path}.`,
    changes.length === 0 ? 'Nothing else named it.' : `Changed with it:\n${list.join('\n')}`,
    isPage(to.path) && !moved.isListed && site.docset.layout.configPath !== undefined
      ? 'No navigation file named it. When pages that list others link to it (an overview, a table of contents), see whether it belongs on another one now.'
      : '',
    moved.notes.length === 0
      ? ''
      : `Look at these yourself:\n${moved.notes.slice(0, shownEntries).join('\n')}`,
  ];
  return done(parts.filter((part) => part !== '').join('\n'));
}

/** A folder, or a path that ends in `/`, takes the file under its name. */
async function target(
  directory: string,
  { from, to }: ToolInput<'move_file'>,
): ReturnType<typeof findContained> {
  const found = await findContained(directory, to);
  const name = from.split('/').at(-1) ?? '';
  return found.kind === 'folder' || to.endsWith('/') ? findContained(directory, `${to}/${name}`) : found;
}
