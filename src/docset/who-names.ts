import { posix } from 'node:path';
import { readDocsetPage } from './docset.ts';
import { pagesNaming } from './link-search.ts';
import { linksOf } from './links.ts';
import { navigationFiles, renameInNavigation } from './navigation.ts';
import { parsePage } from './parse.ts';
import { resolveLink } from './site.ts';
import type { Site } from './site.ts';
import { lineAt } from './tree.ts';

export interface Mentions {
  /** Pages with links to the file, and the lines of these, sorted. */
  readonly links: readonly { readonly path: string; readonly lines: readonly number[] }[];
  /** Navigation files with entries for it. */
  readonly navigation: readonly string[];
}

/**
 * Who names a file of the docs: pages that link to it and navigation that lists it.
 *
 * @throws the signal's reason when aborted
 */
export async function mentionsOf(site: Site, path: string, signal: AbortSignal): Promise<Mentions> {
  const { docset } = site;
  const { generator } = docset.layout;
  const links: { path: string; lines: number[] }[] = [];
  for (const page of await pagesNaming(site, path, signal)) {
    signal.throwIfAborted();
    const read = page === path ? undefined : await readDocsetPage(docset, page);
    if (read?.kind !== 'text') continue;
    const parsed = parsePage(read.text, page, generator);
    if (parsed.kind === 'failed') continue;
    const lines = linksOf(read.text, parsed.tree, generator).flatMap((link) => {
      const target = resolveLink(site, page, link.url);
      const leads = (target.kind === 'page' || target.kind === 'file') && target.path === path;
      return leads ? [lineAt(read.text, link.span.start)] : [];
    });
    if (lines.length > 0) links.push({ path: page, lines: [...new Set(lines)] });
  }
  // What a renaming would change is what names the page.
  const extension = posix.extname(path);
  const to = posix.join(posix.dirname(path), `${posix.basename(path, extension)}-x${extension}`);
  const { changes } = renameInNavigation(docset, await navigationFiles(docset), { from: path, to });
  return {
    links: links.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    navigation: changes.map((change) => change.path),
  };
}
