import { posix } from 'node:path';
import { decoded, isExternal, splitAddress } from './address.ts';
import type { PageLink } from './links.ts';
import { parentOf } from './layout.ts';
import type { Renaming } from './navigation.ts';
import { normalisedUrl, urlOfPage } from './page-urls.ts';
import { relink } from './relink.ts';
import type { Site, Target } from './site.ts';

export interface RenameRules {
  /** May a page of this text link to the renamed one? */
  wanted(text: string): boolean;
  /** What a link of a page becomes: a destination, undefined to keep it, a reason why it cannot be said. */
  change(page: string, link: PageLink, target: Target): string | undefined | { readonly reason: string };
}

/** How links change when a page is renamed: those that lead to it, and the relative ones on it. */
export function relinkForRename(site: Site, renaming: Renaming): RenameRules {
  const { from, to } = renaming;
  const { layout } = site.docset;
  const stem = posix.basename(from).replace(/\.\w+$/, '');
  const isIndex = /^_?(?:index|readme)$/i.test(stem);
  const names = [stem, encodeURI(stem), posix.basename(urlOfPage(from, layout))].map((name) =>
    name.toLowerCase(),
  );
  const moves = parentOf(from) !== parentOf(to);
  return {
    wanted: (text) => {
      if (isIndex) return true;
      const lower = text.toLowerCase();
      return names.some((name) => name !== '' && lower.includes(name));
    },
    change: (page, link, target) => {
      const { path, query, hash } = splitAddress(link.url);
      if (path === '' || isExternal(link.url)) return undefined;
      const isMoved = page === from;
      const holder = isMoved ? to : page;
      if (target.kind === 'page' && target.path === from) {
        return leadsByFrontMatter(site, from, path) ? undefined : relink(link.url, holder, to, layout);
      }
      if (!isMoved || path.startsWith('/') || !needsNewPath(moves, layout.generator)) return undefined;
      if (target.kind === 'page') return relink(link.url, holder, target.path, layout);
      if (target.kind === 'file') {
        const isBeside = posix.join(parentOf(page), decoded(path)) === target.path;
        const fresh = isBeside
          ? posix.relative(parentOf(holder) || '.', target.path)
          : posix.relative(
              urlOfPage(holder, layout),
              `/${posix.relative(layout.contentRoot || '.', target.path)}`,
            );
        const dotted = path.startsWith('./') && !fresh.startsWith('.') ? `./${fresh}` : fresh;
        return (path.includes('%') ? encodeURI(dotted) : dotted) + query + hash;
      }
      return { reason: `${link.url} is relative, and I cannot tell where it leads; check it after the move` };
    },
  };
}

/** Where addresses end in a slash, even a new name in the same folder changes what relative ones count from. */
function needsNewPath(moves: boolean, generator: string): boolean {
  return moves || generator === 'hugo';
}

/** A page whose front matter sets its address keeps it whatever its file is called. */
function leadsByFrontMatter(site: Site, from: string, path: string): boolean {
  if (!path.startsWith('/') || /\.(?:md|mdx|markdown)$/i.test(path)) return false;
  const own = urlOfPage(from, site.docset.layout);
  const url = normalisedUrl(decoded(path));
  return url !== normalisedUrl(own) && url !== normalisedUrl(`/docs${own}`) && site.byUrl.get(url) === from;
}
