import { join, posix } from 'node:path';
import { readFile } from 'node:fs/promises';
import { decoded, isExternal, isTemplated, splitAddress } from './address.ts';
import { anchorsOf } from './anchors.ts';
import type { PageAnchors } from './anchors.ts';
import { forEachLimited } from './concurrency.ts';
import { isPage, readDocsetPage } from './docset.ts';
import type { Docset } from './docset.ts';
import { parentOf } from './layout.ts';
import { normalisedUrl, urlOfPage } from './page-urls.ts';
import { parsePage } from './parse.ts';
import { redirectSources } from './redirects.ts';
import type { RedirectSource } from './redirects.ts';

/** Where a link leads. */
export type Target =
  | { readonly kind: 'page'; readonly path: string; readonly hash: string }
  | { readonly kind: 'file'; readonly path: string }
  /** Another site, a redirect, something generated or templated: not for us to judge. */
  | { readonly kind: 'elsewhere' }
  | {
      readonly kind: 'missing';
      readonly wanted: 'page' | 'asset';
      /** From the site's root, without extension: what a page there would be called. */
      readonly url: string;
    };

/** The pages of a docs project by their addresses. */
export interface Site {
  readonly docset: Docset;
  /** Addresses without extension and end slash → page. */
  readonly byUrl: ReadonlyMap<string, string>;
  readonly redirects: readonly RedirectSource[];
  /** True when pages are generated that are no files, such as an API reference. */
  readonly generatesPages: boolean;
}

/** Builds the index of addresses. Reads the front matter of all pages only where it can set addresses. */
export async function openSite(docset: Docset, signal: AbortSignal): Promise<Site> {
  const { layout } = docset;
  const byUrl = new Map<string, string>();
  const pages = [...docset.files].filter(isPage);
  for (const path of pages) {
    const url = urlOfPage(path, layout);
    // Of two pages of one address, `index.md` beside `README.md`, the first in the alphabet counts.
    if (!byUrl.has(url)) byUrl.set(url, path);
    if (layout.generator === 'docusaurus') byUrl.set(url === '/' ? '/docs' : `/docs${url}`, path);
  }
  if (layout.generator === 'docusaurus' || layout.generator === 'hugo') {
    await forEachLimited(pages, 16, signal, async (path) => {
      const text = await readFile(join(docset.root, path), 'utf8').catch(() => '');
      const head =
        /^\uFEFF?(?:---|\+\+\+)\r?\n([\s\S]{0,4000}?)\r?\n(?:---|\+\+\+)/.exec(text.slice(0, 4100))?.[1] ??
        '';
      for (const match of head.matchAll(
        /^(?:slug|id|url)\s{0,3}[:=]\s{0,3}["']?([^"'\r\n]{1,300})["']?$/gm,
      )) {
        const slug = (match[1] ?? '').trim();
        const url = slug.startsWith('/') ? slug : posix.join(parentOf(urlOfPage(path, layout)) || '/', slug);
        byUrl.set(normalisedUrl(url), path);
        byUrl.set(normalisedUrl(`/docs${url}`), path);
      }
    });
  }
  return {
    docset,
    byUrl,
    redirects: await redirectSources(docset),
    generatesPages: /"?(?:openapi|asyncapi|graphql)"?\s*:/.test(layout.config),
  };
}

/** Finds where a link on a page leads. */
export function resolveLink(site: Site, from: string, url: string): Target {
  const { docset } = site;
  const { path: rawPath, hash: rawHash } = splitAddress(url);
  const hash = decoded(rawHash.slice(1));
  if (isExternal(url) || isTemplated(url)) return { kind: 'elsewhere' };
  if (rawPath === '') return { kind: 'page', path: from, hash };
  const path = decoded(rawPath);
  const file =
    candidates(site, from, path).find((each) => docset.files.has(each)) ?? fileByAddress(site, from, path);
  if (file !== undefined)
    return isPage(file) ? { kind: 'page', path: file, hash } : { kind: 'file', path: file };
  // `page.md/` is a slip: browsers find nothing there.
  const slashed = /\.(?:md|mdx|markdown)\/+$/i.test(path);
  for (const address of slashed ? [] : addresses(site, from, path)) {
    const page = site.byUrl.get(address);
    if (page !== undefined) return { kind: 'page', path: page, hash };
    if (site.redirects.some((redirect) => redirect.matches(address))) return { kind: 'elsewhere' };
  }
  const folder = rootedPaths(site, from, path).some(
    (each) => docset.folders.has(each.replace(/\/+$/, '')) || each === '',
  );
  if (folder || !canJudge(site, from, path)) return { kind: 'elsewhere' };
  const extension = posix.extname(path.replace(/\/+$/, ''));
  const wanted =
    extension === '' || /^\.(?:md|mdx|markdown|html?)$|^\.\d/i.test(extension) ? 'page' : 'asset';
  return { kind: 'missing', wanted, url: addresses(site, from, path)[0] ?? normalisedUrl(path) };
}

/** The anchors of a page; undefined when it cannot be read or parsed, so that nothing can be said. */
export async function readAnchors(site: Site, path: string): Promise<PageAnchors | undefined> {
  const page = await readDocsetPage(site.docset, path);
  if (page.kind === 'refused') return undefined;
  const { generator } = site.docset.layout;
  const parsed = parsePage(page.text, path, generator);
  return parsed.kind === 'failed' ? undefined : anchorsOf(page.text, parsed.tree, generator);
}

/** Where addresses end in a slash, an HTML tag's relative path counts from the page's address. */
function fileByAddress({ docset }: Site, from: string, path: string): string | undefined {
  const { layout, files } = docset;
  if (path.startsWith('/') || (layout.generator !== 'mkdocs' && layout.generator !== 'hugo'))
    return undefined;
  const address = posix.join(urlOfPage(from, layout), path);
  return [layout.contentRoot, ...layout.staticRoots]
    .map((root) => posix.join(root, address))
    .find((each) => files.has(each) && !isPage(each));
}

/** The workspace paths that a link's path may mean as a file. */
function rootedPaths(site: Site, from: string, path: string): string[] {
  const { layout, docsRoot } = site.docset;
  if (!path.startsWith('/'))
    return [inWorkspace(posix.join(parentOf(from), path))].filter((each) => each !== undefined);
  const roots = [...new Set([layout.contentRoot, ...layout.staticRoots, docsRoot, ''])];
  return roots
    .map((root) => inWorkspace(posix.join(root, path.replace(/^\/+/, ''))))
    .filter((each) => each !== undefined);
}

function candidates(site: Site, from: string, path: string): string[] {
  return rootedPaths(site, from, path).flatMap((base) => {
    const bare = base.replace(/\/+$/, '');
    const stem = bare.replace(/\.html?$/i, '');
    const inner = bare === '' ? '' : `${bare}/`;
    const files = base.endsWith('/') ? [] : [bare];
    for (const extension of ['.md', '.mdx', '.markdown']) {
      if (stem !== '') files.push(`${stem}${extension}`);
      for (const name of ['index', 'README', 'readme', '_index']) files.push(`${inner}${name}${extension}`);
    }
    return files;
  });
}

/** The addresses that a link's path may mean on the built site. */
function addresses(site: Site, from: string, path: string): string[] {
  if (path.startsWith('/')) return [normalisedUrl(path)];
  const own = urlOfPage(from, site.docset.layout);
  const isIndex = /(?:^|\/)_?(?:index|readme)\.\w+$/i.test(from);
  const beside = normalisedUrl(posix.join(isIndex ? own : posix.dirname(own), path));
  // With addresses that end in a slash, a relative link counts from the page itself.
  return [beside, normalisedUrl(posix.join(own, path))];
}

function inWorkspace(path: string): string | undefined {
  const normal = posix.normalize(path).replace(/^\.(?:\/|$)/, '');
  return normal.startsWith('..') || posix.isAbsolute(normal) ? undefined : normal;
}

/** A page that shows up inside others. Hugo's `_index.md` is the page of its folder. */
export function isIncluded(path: string): boolean {
  return /(?:^|\/)(?:_(?!index\.\w+$)|snippets?\/|partials?\/|includes?\/)/i.test(path);
}

/** Leaves alone what the generator may make itself, and pages that are put into others. */
function canJudge(site: Site, from: string, path: string): boolean {
  const { generator } = site.docset.layout;
  const isFragment = isIncluded(from) || /(?:^|\/)(?:i18n|versioned_docs)\//i.test(from);
  if (!path.startsWith('/')) return !isFragment || generator === 'mkdocs';
  if (generator === 'docusaurus')
    return path.startsWith('/docs/') && !/^\/docs\/(?:next|tags|category|\d)/.test(path);
  if (generator === 'hugo') return !/^\/(?:tags|categories|authors|series|images?|img)\b/.test(path);
  return generator === 'mintlify' || generator === 'vitepress' || generator === 'nextra';
}
