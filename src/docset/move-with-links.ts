import { addressedRenaming } from './addressed-renaming.ts';
import type { AddressedRenaming } from './addressed-renaming.ts';
import { isPage, isProtected } from './docset.ts';
import type { Docset } from './docset.ts';
import { addHugoAlias } from './hugo-alias.ts';
import { pagesNaming } from './link-search.ts';
import { whyNotMoved } from './move-file.ts';
import { navigationFiles, renameInNavigation } from './navigation.ts';
import type { NavigationChange, NavigationFile, Renaming } from './navigation.ts';
import { addRedirect, docusaurusBase } from './redirect-edit.ts';
import type { RedirectResult } from './redirect-edit.ts';
import { urlOfPage } from './page-urls.ts';
import { relinkPage } from './relink-pages.ts';
import { relinkForRename } from './rename-links.ts';
import { ReversibleChanges } from './reversible-changes.ts';
import type { Rewritten } from './reversible-changes.ts';
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
      /** Whether the navigation names the file: its entries were changed, or the notes tell of them. */
      readonly isListed: boolean;
      /** The file that got a redirect, and the addresses. */
      readonly redirect: { readonly path: string; readonly from: string; readonly to: string } | undefined;
      /** What a person should look at, and why there is no redirect, as sentences or phrases with paths. */
      readonly notes: readonly string[];
    }
  /** Nothing was changed. `reason` is a sentence. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface MoveOptions {
  /** Called after each page that was looked at. */
  readonly onPage?: () => void;
  /** How a page's path stands in a note. */
  readonly quoted?: (path: string) => string;
  /** Called when all is known and nothing is written, with the pages that link to the file, and itself. */
  readonly beforeWriting?: (pages: readonly string[]) => Promise<void>;
}

/**
 * Moves a file with the links to and from it, its places in the navigation, and a redirect for the old address of
 * a page; all of it or nothing.
 *
 * @throws the signal's reason when aborted, or the file system's error; what was done is taken back
 */
export async function moveWithLinks(
  site: Site,
  renaming: Renaming,
  signal: AbortSignal,
  { onPage = () => undefined, quoted = (path) => path, beforeWriting }: MoveOptions = {},
): Promise<Moved> {
  const { docset } = site;
  const { from, to } = renaming;
  const reason = await whyNotMoved(docset, from, to);
  if (reason !== undefined) return { kind: 'refused', reason };
  const names = await addressedRenaming(docset, renaming);
  const naming = new Set(await pagesNaming(site, from, signal, onPage));
  if (isPage(from)) naming.add(from);
  const { pages, notes } = await planLinks(site, renaming, names, signal, naming, quoted);
  const files = await navigationFiles(docset);
  const navigation = renameInNavigation(docset, files, names.named);
  notes.push(...navigation.notes);
  const entries = navigation.changes.filter(({ path }) => docset.mayWrite(path));
  for (const { path } of navigation.changes) {
    if (!docset.mayWrite(path))
      notes.push(`${quoted(path)}: still names the old path, because it may not be changed`);
  }
  await beforeWriting?.([...naming]);
  const changes = new ReversibleChanges(docset);
  try {
    for (const page of pages) {
      signal.throwIfAborted();
      await changes.write(page);
    }
    const refused = await changes.move(from, to);
    if (refused !== undefined) {
      await changes.takeBack();
      return { kind: 'refused', reason: refused };
    }
    for (const { path, text } of entries) await changes.write(rewritten(files, path, text));
    const redirect = isPage(from) ? await redirectFor(site, renaming, names, files, entries) : undefined;
    if (redirect?.kind === 'none') notes.push(redirect.note);
    const isAdded = redirect?.kind === 'added' && docset.mayWrite(redirect.path);
    if (isAdded) await changes.write(rewritten(files, redirect.path, redirect.text));
    else if (redirect?.kind === 'added')
      notes.push(`${quoted(redirect.path)}: got no redirect, because it may not be changed`);
    return {
      kind: 'moved',
      links: pages
        .map(({ path, links }) => ({ path: path === from ? to : path, count: links }))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      entries: entries.map(({ path, entries: count }) => ({ path, count })),
      isListed: navigation.changes.length + navigation.notes.length > 0,
      redirect: isAdded ? { path: redirect.path, ...addressesOf(docset, names.addressed) } : undefined,
      notes,
    };
  } catch (error) {
    await changes.takeBack();
    throw error;
  }
}

interface LinkPlan {
  readonly pages: readonly (Rewritten & { readonly links: number })[];
  readonly notes: string[];
}

async function planLinks(
  site: Site,
  renaming: Renaming,
  { addressed }: AddressedRenaming,
  signal: AbortSignal,
  naming: Iterable<string>,
  quoted: (path: string) => string,
): Promise<LinkPlan> {
  const change = relinkForRename(site, renaming, addressed);
  const pages: (Rewritten & { links: number })[] = [];
  const notes: string[] = [];
  for (const path of naming) {
    signal.throwIfAborted();
    const result = await relinkPage(
      site,
      path,
      () => true,
      (link, target) => change(path, link, target),
    );
    notes.push(...result.left.map((each) => `${quoted(path)}: ${each}`));
    if (result.kind === 'unchanged') continue;
    if (isProtected(path) || !site.docset.mayWrite(path)) {
      notes.push(`${quoted(path)}: links to the old path, because it may not be changed`);
      continue;
    }
    const { before, text: after, byteOrderMark, links } = result;
    pages.push({ path, before, after, byteOrderMark, links });
  }
  return { pages, notes };
}

async function redirectFor(
  { docset }: Site,
  renaming: Renaming,
  { addressed, keepsAddress }: AddressedRenaming,
  files: readonly NavigationFile[],
  entries: readonly NavigationChange[],
): Promise<RedirectResult> {
  if (keepsAddress)
    return { kind: 'none', note: 'Its address is the same as before: its front matter sets it.' };
  if (docset.layout.generator === 'hugo') return addHugoAlias(docset, renaming);
  const fresh = files.map((file) => entries.find(({ path }) => path === file.path) ?? file);
  return addRedirect(docset.layout, fresh, addressed);
}

function addressesOf({ layout }: Docset, { from, to }: Renaming): Renaming {
  const base = layout.generator === 'docusaurus' ? docusaurusBase(layout.config) : '';
  return { from: base + urlOfPage(from, layout), to: base + urlOfPage(to, layout) };
}

/** Navigation is kept with its byte order mark in the text. Taken back, it is as it was at first. */
function rewritten(files: readonly NavigationFile[], path: string, after: string): Rewritten {
  const before = files.find((file) => file.path === path)?.text ?? after;
  return { path, before, after, byteOrderMark: false };
}
