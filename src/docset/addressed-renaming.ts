import { posix } from 'node:path';
import { isPage, readDocsetPage } from './docset.ts';
import type { Docset } from './docset.ts';
import { readFrontMatter } from './front-matter.ts';
import { parentOf } from './layout.ts';
import type { Renaming } from './navigation.ts';
import { parsePage } from './parse.ts';

/** What a renamed file means for the names that the site knows its page by. */
export interface AddressedRenaming {
  /** The paths whose names the page's entries in sidebars have, before and after. */
  readonly named: Renaming;
  /** The paths that the page's address is made of, before and after. */
  readonly addressed: Renaming;
  /** The front matter gives the whole address: it stays, whatever the file is called. */
  readonly keepsAddress: boolean;
}

/**
 * Docusaurus names a page by the `id` of its front matter, in the folder of its file, and takes its address
 * from the `slug`, where it has one, else from that name; a slug without a slash at its start counts from the
 * folder. Everywhere else the file's path says both.
 */
export async function addressedRenaming(docset: Docset, renaming: Renaming): Promise<AddressedRenaming> {
  const { from, to } = renaming;
  const byPath = { named: renaming, addressed: renaming, keepsAddress: false };
  if (docset.layout.generator !== 'docusaurus' || !isPage(from)) return byPath;
  const page = await readDocsetPage(docset, from);
  const parsed = page.kind === 'text' ? parsePage(page.text, from, 'docusaurus') : undefined;
  if (page.kind !== 'text' || parsed?.kind !== 'parsed') return byPath;
  const matter = readFrontMatter(page.text, parsed.tree);
  if (matter.kind === 'invalid') return byPath;
  const wordOf = (value: unknown): string => (typeof value === 'string' ? value.replace(/\/$/, '') : '');
  const id = wordOf(matter.data.id).includes('/') ? '' : wordOf(matter.data.id);
  const keepsAddress = typeof matter.data.slug === 'string' && matter.data.slug.startsWith('/');
  const slug = keepsAddress ? '' : wordOf(matter.data.slug);
  const inItsFolder = (path: string, name: string): string =>
    name === '' ? path : posix.join(parentOf(path), name + posix.extname(path));
  const named = (path: string): string => inItsFolder(path, id);
  // The page of a folder has the folder's address.
  const isFolders = (path: string): boolean => /^(?:index|readme)\./i.test(posix.basename(path));
  const addressed = (path: string): string => inItsFolder(path, slug === '' && !isFolders(path) ? id : slug);
  return {
    named: { from: named(from), to: named(to) },
    addressed: { from: addressed(from), to: addressed(to) },
    keepsAddress,
  };
}
