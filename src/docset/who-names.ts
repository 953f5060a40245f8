import { posix } from 'node:path';
import { readDocsetPage } from './docset.ts';
import { isFilePath, isOutside, linkSearch, pagesNaming, pagesWhere } from './link-search.ts';
import { linksOf } from './links.ts';
import { navigationFiles, renameInNavigation } from './navigation.ts';
import { parsePage } from './parse.ts';
import { resolveLink } from './site.ts';
import type { Site, Target } from './site.ts';
import { lineAt } from './tree.ts';

/** A page with links to something, and the lines of these. */
export interface LinkPlaces {
  readonly path: string;
  readonly lines: readonly number[];
}

export interface Mentions {
  /** Sorted by path. */
  readonly links: readonly LinkPlaces[];
  /** Navigation files with entries for it. */
  readonly navigation: readonly string[];
}

/**
 * Who names a file of the docs: other pages that link to it and navigation that lists it.
 *
 * @throws the signal's reason when aborted
 */
export async function mentionsOf(site: Site, path: string, signal: AbortSignal): Promise<Mentions> {
  const pages = (await pagesNaming(site, path, signal)).filter((page) => page !== path);
  return {
    links: await linksThat(site, pages, signal, (target) => leadsTo(target, path)),
    navigation: await navigationNaming(site, path),
  };
}

/** Navigation files with entries for a file of the docs. */
export async function navigationNaming({ docset }: Site, path: string): Promise<string[]> {
  // What a renaming would change is what names the page.
  const extension = posix.extname(path);
  const to = posix.join(posix.dirname(path), `${posix.basename(path, extension)}-x${extension}`);
  const { changes } = renameInNavigation(docset, await navigationFiles(docset), { from: path, to });
  return changes.map((change) => change.path);
}

/**
 * The links that lead to anchors of a page, on this page and on others, sorted by path.
 *
 * @param anchors without `#`
 * @throws the signal's reason when aborted
 */
export async function linksToAnchors(
  site: Site,
  path: string,
  anchors: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<LinkPlaces[]> {
  const written = [...anchors].flatMap((anchor) => [`#${anchor}`, `#${encodeURI(anchor.toWellFormed())}`]);
  const mayLink = linkSearch(site, path);
  const pages = await pagesWhere(
    site,
    signal,
    (page, text) => written.some((each) => text.includes(each)) && (page === path || mayLink(page, text)),
  );
  return linksThat(
    site,
    pages,
    signal,
    (target) => target.kind === 'page' && target.path === path && anchors.has(target.hash),
  );
}

function leadsTo(target: Target, path: string): boolean {
  return (target.kind === 'page' || target.kind === 'file') && target.path === path;
}

async function linksThat(
  site: Site,
  pages: readonly string[],
  signal: AbortSignal,
  fits: (target: Target) => boolean,
): Promise<LinkPlaces[]> {
  const { docset } = site;
  const { generator } = docset.layout;
  const places: LinkPlaces[] = [];
  for (const page of pages) {
    signal.throwIfAborted();
    const read = await readDocsetPage(docset, page);
    if (read.kind !== 'text') continue;
    const parsed = parsePage(read.text, page, generator);
    if (parsed.kind === 'failed') continue;
    const counts = isOutside(site, page) ? isFilePath : () => true;
    const lines = linksOf(read.text, parsed.tree, generator).flatMap((link) =>
      counts(link.url) && fits(resolveLink(site, page, link.url)) ? [lineAt(read.text, link.span.start)] : [],
    );
    if (lines.length > 0) places.push({ path: page, lines: [...new Set(lines)] });
  }
  return places.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
