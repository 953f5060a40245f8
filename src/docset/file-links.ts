import { posix } from 'node:path';
import { decoded, splitAddress } from './address.ts';
import type { Docset } from './docset.ts';
import { isInside } from './docset.ts';
import { parentOf } from './layout.ts';
import { urlOfPage } from './page-urls.ts';
import { encodePath } from './relink.ts';

/**
 * Writes a link to a file that is no page, such as an image, anew so that it leads to the file's new place, in the
 * manner of the old one: relative to the page, to the page's address, or from the site's root.
 *
 * @param places the page that holds the link, where it was and where it will be
 * @returns a reason when no such link leads to the new place
 */
export function linkToFile(
  docset: Docset,
  url: string,
  { page, holder }: { readonly page: string; readonly holder: string },
  from: string,
  to: string,
): string | { readonly reason: string } {
  const { path, query, hash } = splitAddress(url);
  const fresh = path.startsWith('/')
    ? rooted(docset, decoded(path), from, to)
    : posix.join(parentOf(page), decoded(path)) === from
      ? posix.relative(parentOf(holder) || '.', to)
      : byAddress(docset, page, holder, decoded(path), from, to);
  if (fresh === undefined) return { reason: `${url}: the site has no address for ${to}` };
  const dotted = path.startsWith('./') && !fresh.startsWith('.') ? `./${fresh}` : fresh;
  const isEncoded = path.includes('%') || /[\s()<>"']/.test(dotted);
  return (isEncoded ? encodePath(dotted) : dotted) + query + hash;
}

/** Folders whose files the site serves from its root. */
function rootsOf({ layout }: Docset): readonly string[] {
  return [...layout.staticRoots, layout.contentRoot];
}

function rooted(docset: Docset, path: string, from: string, to: string): string | undefined {
  const all = [...new Set([...rootsOf(docset), docset.docsRoot, ''])];
  const own = all.filter((root) => posix.join(root, path) === from);
  const root = [...own, ...rootsOf(docset)].find((each) => isInside(to, each));
  return root === undefined ? undefined : `/${posix.relative(root || '.', to)}`;
}

/** Where addresses end in a slash, the relative path of an HTML tag counts from the page's address. */
function byAddress(
  docset: Docset,
  page: string,
  holder: string,
  path: string,
  from: string,
  to: string,
): string | undefined {
  const old = posix.join(urlOfPage(page, docset.layout), path);
  const own = rootsOf(docset).filter((root) => posix.join(root, old) === from);
  const root = [...own, ...rootsOf(docset)].find((each) => isInside(to, each));
  if (root === undefined) return undefined;
  return posix.relative(urlOfPage(holder, docset.layout), `/${posix.relative(root || '.', to)}`);
}
