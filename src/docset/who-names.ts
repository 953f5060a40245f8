import { posix } from 'node:path';
import { forEachLimited } from './concurrency.ts';
import { readDocsetPage } from './docset.ts';
import { linksOf } from './links.ts';
import { navigationFiles, renameInNavigation } from './navigation.ts';
import { urlOfPage } from './page-urls.ts';
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
  const stem = posix.basename(path).replace(/\.\w+$/, '');
  const isIndex = /^_?(?:index|readme)$/i.test(stem);
  const names = [stem, encodeURI(stem), posix.basename(urlOfPage(path, docset.layout))]
    .map((name) => name.toLowerCase())
    .filter((name) => name !== '');
  const links: { path: string; lines: number[] }[] = [];
  await forEachLimited(docset.pages, 8, signal, async (page) => {
    if (page === path) return;
    const read = await readDocsetPage(docset, page);
    if (read.kind === 'refused') return;
    const lower = read.text.toLowerCase();
    if (!isIndex && !names.some((name) => lower.includes(name))) return;
    const parsed = parsePage(read.text, page, generator);
    if (parsed.kind === 'failed') return;
    const lines = linksOf(read.text, parsed.tree, generator).flatMap((link) => {
      const target = resolveLink(site, page, link.url);
      const leads = (target.kind === 'page' || target.kind === 'file') && target.path === path;
      return leads ? [lineAt(read.text, link.span.start)] : [];
    });
    if (lines.length > 0) links.push({ path: page, lines: [...new Set(lines)] });
  });
  // What a renaming would change is what names the page.
  const probe = { from: path, to: posix.join(posix.dirname(path), `${stem}-x${posix.extname(path)}`) };
  const { changes } = renameInNavigation(docset, await navigationFiles(docset), probe);
  return {
    links: links.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    navigation: changes.map((change) => change.path),
  };
}
