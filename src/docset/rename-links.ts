import { decoded, isExternal, splitAddress } from './address.ts';
import { linkToFile } from './file-links.ts';
import { isFilePath, isOutside } from './link-search.ts';
import type { PageLink } from './links.ts';
import { parentOf } from './layout.ts';
import type { Renaming } from './navigation.ts';
import { normalisedUrl, urlOfPage } from './page-urls.ts';
import { relink } from './relink.ts';
import type { Site, Target } from './site.ts';

/** What a link of a page becomes: a destination, undefined to keep it, a reason why it cannot be said. */
export type LinkChange = (
  page: string,
  link: PageLink,
  target: Target,
) => string | undefined | { readonly reason: string };

/**
 * How links change when a file is renamed: those that lead to it, and the relative ones on it.
 *
 * @param addressed the paths that its addresses are made of; see `addressedRenaming`
 */
export function relinkForRename(site: Site, renaming: Renaming, addressed: Renaming): LinkChange {
  const { from, to } = renaming;
  const { layout } = site.docset;
  const moves = parentOf(from) !== parentOf(to);
  return (page, link, target) => {
    const { path } = splitAddress(link.url);
    if (path === '' || isExternal(link.url)) return undefined;
    if (page !== from && isOutside(site, page) && !isFilePath(link.url)) return undefined;
    const isMoved = page === from;
    const holder = isMoved ? to : page;
    const places = { page, holder };
    if (target.kind === 'page' && target.path === from) {
      if (leadsByFrontMatter(site, renaming, addressed, path)) return undefined;
      const isFile = link.kind === 'import' || pageExtension.test(path);
      return asModule(link, relink(link.url, holder, isFile ? to : addressed.to, layout));
    }
    if (target.kind === 'file' && target.path === from)
      return asModule(link, linkToFile(site.docset, link.url, places, from, to));
    if (!isMoved || path.startsWith('/') || !needsNewPath(moves, layout.generator)) return undefined;
    if (target.kind === 'page') return asModule(link, relink(link.url, holder, target.path, layout));
    if (target.kind === 'file')
      return asModule(link, linkToFile(site.docset, link.url, places, target.path, target.path));
    // A module of a package has a name and no path.
    if (link.kind === 'import' && !path.startsWith('.')) return undefined;
    return { reason: `${link.url} is relative, and I cannot tell where it leads; check it after the move` };
  };
}

/** A module has a path and no address: nothing in it is encoded, and without a dot it would be a package's name. */
function asModule<T>({ kind }: PageLink, url: string | T): string | T {
  if (kind !== 'import' || typeof url !== 'string') return url;
  return decoded(/^[./@~]/.test(url) ? url : `./${url}`);
}

/** Where addresses end in a slash, even a new name in the same folder changes what relative ones count from. */
function needsNewPath(moves: boolean, generator: string): boolean {
  return moves || generator === 'hugo';
}

const pageExtension = /\.(?:md|mdx|markdown)$/i;

/** A page whose front matter sets its address keeps it whatever its file is called. */
function leadsByFrontMatter(site: Site, { from }: Renaming, addressed: Renaming, path: string): boolean {
  if (!path.startsWith('/') || pageExtension.test(path)) return false;
  const own = urlOfPage(addressed.from, site.docset.layout);
  const url = normalisedUrl(decoded(path));
  return url !== normalisedUrl(own) && url !== normalisedUrl(`/docs${own}`) && site.byUrl.get(url) === from;
}
