import { posix } from 'node:path';
import { readDocsetPage } from './docset.ts';
import { normalisedUrl, urlOfPage } from './page-urls.ts';
import type { Site } from './site.ts';

export type FoundPage =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'several'; readonly paths: readonly string[] }
  | { readonly kind: 'none' };

const extension = /\.(?:md|mdx|markdown)$/i;

/** The page that a writer means by a path, an address, a file's name or a title. */
export async function findPage(site: Site, words: string, signal: AbortSignal): Promise<FoundPage> {
  const { docset } = site;
  const name = words
    .replaceAll('\\', '/')
    .replace(/^\.?\/+/, '')
    .replace(/\/+$/, '');
  const roots = [...new Set(['', docset.docsRoot, docset.layout.contentRoot])];
  const paths = roots.map((root) => posix.join(root, name));
  const url = normalisedUrl(name);
  const fits: ((page: string) => boolean)[] = [
    (page) => paths.includes(page),
    (page) => paths.some((path) => page.replace(extension, '') === path.replace(extension, '')),
    (page) => urlOfPage(page, docset.layout) === url,
    (page) =>
      page
        .toLowerCase()
        .replace(extension, '')
        .endsWith(`/${name.toLowerCase().replace(extension, '')}`),
  ];
  for (const fit of fits) {
    const found = asFound(docset.pages.filter(fit));
    if (found.kind !== 'none') return found;
  }
  const wanted = words.trim().toLowerCase();
  const titled: string[] = [];
  for (const page of docset.pages) {
    signal.throwIfAborted();
    const read = await readDocsetPage(docset, page);
    if (read.kind === 'text' && titleOf(read.text).toLowerCase() === wanted) titled.push(page);
  }
  return asFound(titled);
}

function asFound(paths: readonly string[]): FoundPage {
  const [path] = paths;
  if (path === undefined) return { kind: 'none' };
  return paths.length === 1 ? { kind: 'found', path } : { kind: 'several', paths: paths.slice(0, 5) };
}

/** The title as front matter or the first heading has it. */
function titleOf(text: string): string {
  const head = text.slice(0, 4000);
  const title =
    /^title:[ \t]{0,10}["']?([^\r\n]{1,300})$/m.exec(head)?.[1] ??
    /^#[ \t]+([^\r\n]{1,300})$/m.exec(head)?.[1] ??
    '';
  return title.trim().replace(/["']$/, '');
}
