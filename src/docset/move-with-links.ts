import { forEachLimited } from './concurrency.ts';
import { writeDocsetPage } from './docset.ts';
import { addHugoAlias } from './hugo-alias.ts';
import { movePage } from './move-file.ts';
import { navigationFiles, renameInNavigation } from './navigation.ts';
import type { Renaming } from './navigation.ts';
import { addRedirect } from './redirect-edit.ts';
import { relinkPage } from './relink-pages.ts';
import { relinkForRename } from './rename-links.ts';
import type { Site } from './site.ts';

export interface Changes {
  readonly path: string;
  readonly count: number;
}

export type Moved =
  | {
      readonly kind: 'moved';
      /** Pages whose links changed, by their new paths, sorted. */
      readonly links: readonly Changes[];
      readonly entries: readonly Changes[];
      /** The file that got a redirect from the old address. */
      readonly redirect: string | undefined;
      /** What a person should look at, and why there is no redirect, as sentences or phrases with paths. */
      readonly notes: readonly string[];
    }
  /** Nothing was moved; links may already have been written. `reason` is a sentence. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface MoveOptions {
  /** Whether a file may be changed; others are told in the notes. */
  readonly mayWrite?: (path: string) => boolean;
  /** Called after each page that was looked at. */
  readonly onPage?: () => void;
  /** How a page's path stands in a note. */
  readonly quoted?: (path: string) => string;
}

/**
 * Moves a file with the links to and from it, its places in the navigation, and a redirect for its old address.
 *
 * @throws the signal's reason when aborted, with a part of the links written
 */
export async function moveWithLinks(
  site: Site,
  renaming: Renaming,
  signal: AbortSignal,
  { mayWrite = () => true, onPage = () => undefined, quoted = (path) => path }: MoveOptions = {},
): Promise<Moved> {
  const { docset } = site;
  const { from, to } = renaming;
  const { wanted, change } = relinkForRename(site, renaming);
  const links: Changes[] = [];
  const notes: string[] = [];
  await forEachLimited(docset.pages, 8, signal, async (path) => {
    const result = await relinkPage(
      site,
      path,
      (text) => path === from || wanted(text),
      (link, target) => change(path, link, target),
    );
    onPage();
    notes.push(...result.left.map((reason) => `${quoted(path)}: ${reason}`));
    if (result.kind === 'unchanged') return;
    if (!mayWrite(path)) {
      notes.push(`${quoted(path)}: its links to the page were kept, because it may not be changed`);
      return;
    }
    signal.throwIfAborted();
    await writeDocsetPage(docset, path, result.text, result.byteOrderMark);
    links.push({ path: path === from ? to : path, count: result.links });
  });
  signal.throwIfAborted();
  const refused = await movePage(docset, from, to);
  if (refused !== undefined) return { kind: 'refused', reason: refused };

  const files = await navigationFiles(docset);
  const navigation = renameInNavigation(docset, files, renaming);
  notes.push(...navigation.notes);
  const allowed = navigation.changes.filter(({ path }) => mayWrite(path));
  for (const { path } of navigation.changes) {
    if (!mayWrite(path))
      notes.push(`${quoted(path)}: still lists the old path, because it may not be changed`);
  }
  for (const { path, text } of allowed) await writeDocsetPage(docset, path, text, false);
  const fresh = files.map((file) => allowed.find(({ path }) => path === file.path) ?? file);
  const redirect =
    docset.layout.generator === 'hugo'
      ? await addHugoAlias(docset, renaming)
      : addRedirect(docset.layout, fresh, renaming);
  if (redirect.kind === 'none') notes.push(redirect.note);
  const isAdded = redirect.kind === 'added' && mayWrite(redirect.path);
  if (isAdded) await writeDocsetPage(docset, redirect.path, redirect.text, false);
  return {
    kind: 'moved',
    links: links.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    entries: allowed.map(({ path, entries }) => ({ path, count: entries })),
    redirect: isAdded ? redirect.path : undefined,
    notes,
  };
}
