import { findContained } from '../../../../docset/contained-path.ts';
import { removeContained } from '../../../../docset/contained-file.ts';
import { openDocset } from '../../../../docset/docset.ts';
import { mentionsOf } from '../../../../docset/who-names.ts';
import { openSite } from '../../../../docset/site.ts';
import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';
import { suggestion } from './read-file.ts';
import { rememberProblems } from './known-problems.ts';
import { count, done, failed, placesOf } from './tool-answer.ts';
import { whyNotWritten } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';
import type { ToolInput } from './tool-table.ts';

export async function deleteFile(run: ToolRun, input: ToolInput<'delete_file'>): Promise<ToolAnswer> {
  const { directory, docsRoot } = run.place;
  const found = await findContained(directory, input.path);
  if (found.kind === 'refused') return failed(found.reason);
  if (found.kind === 'folder')
    return failed(
      `${found.path || '.'} is a folder. Delete its files one by one, and only those that were asked for.`,
    );
  const why = whyNotWritten(found.path, run.place);
  if (why !== undefined) return failed(why);
  if (found.kind === 'missing')
    return failed(`There is no ${found.path}.${await suggestion(run, found.path)}`);
  const site = await openSite(await openDocset(directory, docsRoot, run.signal), run.signal);
  const mentions = await mentionsOf(site, found.path, run.signal);
  await rememberProblems(
    run,
    mentions.links.map((page) => page.path),
  );
  run.signal.throwIfAborted();
  const removed = await removeContained(directory, found.path, (path) => whyNotWritten(path, run.place));
  if (removed.kind === 'refused') return failed(removed.reason);
  run.changed.paths.delete(found.path);
  const links = mentions.links.map(({ path, lines }) => {
    const isOurs = whyNotWritten(path, run.place) === undefined;
    if (isOurs) run.changed.paths.add(path);
    return { path: isOurs ? path : `${path} (may not be changed: tell it in your summary)`, lines };
  });
  const parts = [
    `Deleted ${found.path}.`,
    mentions.links.length === 0
      ? 'No page links to it.'
      : `${count(mentions.links.length, 'page')} still ${mentions.links.length === 1 ? 'links' : 'link'} to it; change or take out these links:\n${placesOf(links)}`,
    mentions.navigation.length === 0
      ? 'No navigation lists it.'
      : `The navigation still lists it; take it out of ${mentions.navigation.join(', ')}.`,
  ];
  return done(parts.join('\n'));
}
