import { posix } from 'node:path';
import { isPage, readDocsetPage } from './docset.ts';
import type { Docset } from './docset.ts';
import { readFrontMatter } from './front-matter.ts';
import { parentOf } from './layout.ts';
import type { Renaming } from './navigation.ts';
import { parsePage } from './parse.ts';

/** What a renamed file means for the names that the site knows its page by. */
export interface AddressedRenaming {
  /** The paths whose names the page's address and its entries in sidebars have, before and after. */
  readonly named: Renaming;
  /** The front matter gives the whole address: it stays, whatever the file is called. */
  readonly keepsAddress: boolean;
}

/**
 * Docusaurus names a page by the `id` of its front matter, in the folder of its file, and takes its address
 * from the `slug`, where it has one. Everywhere else the file's path says both.
 */
export async function addressedRenaming(docset: Docset, renaming: Renaming): Promise<AddressedRenaming> {
  const { from, to } = renaming;
  const byPath = { named: renaming, keepsAddress: false };
  if (docset.layout.generator !== 'docusaurus' || !isPage(from)) return byPath;
  const page = await readDocsetPage(docset, from);
  const parsed = page.kind === 'text' ? parsePage(page.text, from, 'docusaurus') : undefined;
  if (page.kind !== 'text' || parsed?.kind !== 'parsed') return byPath;
  const matter = readFrontMatter(page.text, parsed.tree);
  if (matter.kind === 'invalid') return byPath;
  const { id, slug } = matter.data;
  const keepsAddress = typeof slug === 'string' && slug.startsWith('/');
  // The page of a folder has the folder's address.
  const isFolders = /^(?:index|readme)\./i.test(posix.basename(from));
  if (typeof id !== 'string' || id === '' || id.includes('/') || isFolders)
    return { named: renaming, keepsAddress };
  const withId = (path: string): string => posix.join(parentOf(path), id + posix.extname(path));
  return { named: { from: withId(from), to: withId(to) }, keepsAddress };
}
