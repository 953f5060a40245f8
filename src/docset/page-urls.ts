import { posix } from 'node:path';
import { isInside } from './docset.ts';
import type { Layout } from './layout.ts';

/**
 * The address that the site serves a page at: from the root, without extension and without a slash at the
 * end; `/` for the start page.
 */
export function urlOfPage(path: string, layout: Layout): string {
  let url = isInside(path, layout.contentRoot) ? posix.relative(layout.contentRoot || '.', path) : path;
  url = url.replace(/\.(?:md|mdx|markdown)$/i, '');
  for (const { from, to } of layout.rewrites) {
    if (!url.startsWith(from)) continue;
    url = to + url.slice(from.length);
    break;
  }
  if (layout.generator === 'docusaurus') {
    url = url
      .split('/')
      .map((part) => part.replace(/^\d+\s*[-_.]+\s*(?=\D)/, ''))
      .join('/');
  }
  if (layout.generator === 'hugo') url = url.toLowerCase();
  url = url.replace(indexName(layout), '');
  return `/${url.replace(/\/+$/, '')}`;
}

/** Names of the page that stands for its folder. */
function indexName(layout: Layout): RegExp {
  switch (layout.generator) {
    case 'hugo':
      return /(?:^|(?<=\/))_?index$/i;
    case 'mkdocs':
    case 'docusaurus':
    case 'plain':
      return /(?:^|(?<=\/))(?:index|readme)$/i;
    default:
      return /(?:^|(?<=\/))index$/i;
  }
}

/** Addresses differ in these without leading elsewhere. */
export function normalisedUrl(url: string): string {
  return `/${url
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.(?:html?|mdx?|markdown)$/i, '')
    .replace(/(?:^|(?<=\/))index$/i, '')
    .replace(/\/+$/, '')}`;
}
