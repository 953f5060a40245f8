import { posix } from 'node:path';
import { splitAddress } from './address.ts';
import { parentOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { urlOfPage } from './page-urls.ts';

/**
 * Writes a link's destination anew so that it leads to another page, in the manner of the old one: relative
 * or from the root, with or without extension, with or without a slash at the end; query and anchor stay.
 *
 * @param from the page that holds the link
 */
export function relink(oldUrl: string, from: string, target: string, layout: Layout, hash?: string): string {
  const old = splitAddress(oldUrl);
  const path = old.path.startsWith('/')
    ? rootedPath(old.path, target, layout)
    : relativePath(old.path, from, target, layout);
  const written =
    /[\s()<>"']/.test(path) || (/%[\dA-F]{2}/i.test(old.path) && !oldIsPlain(path)) ? encodePath(path) : path;
  return written + old.query + (hash === undefined ? old.hash : hash === '' ? '' : `#${hash}`);
}

function oldIsPlain(path: string): boolean {
  return encodeURI(path) === path;
}

/** Percent-encoded so that it needs no quoting in Markdown or HTML. */
export function encodePath(path: string): string {
  return encodeURI(path).replaceAll(
    /[()'"]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const pageExtension = /\.(?:md|mdx|markdown)\/*$/i;

function rootedPath(old: string, target: string, layout: Layout): string {
  if (pageExtension.test(old)) {
    // On a code host and in Docusaurus a path from the root with an extension is a file's.
    const base = layout.generator === 'plain' ? '' : layout.contentRoot;
    return `/${posix.relative(base || '.', target)}`;
  }
  const url = urlOfPage(target, layout);
  const prefix = layout.generator === 'docusaurus' && old.startsWith('/docs') ? '/docs' : '';
  return styled(old, prefix + (prefix !== '' && url === '/' ? '' : url));
}

function relativePath(old: string, from: string, target: string, layout: Layout): string {
  const folder = parentOf(from);
  if (pageExtension.test(old)) return dotted(old, posix.relative(folder || '.', target));
  const prettyUrls = layout.generator === 'hugo' || layout.generator === 'mkdocs';
  if (prettyUrls && !/\.html?$/i.test(old)) {
    return dotted(
      old,
      styled(old, posix.relative(urlOfPage(from, layout), urlOfPage(target, layout)) || '.'),
    );
  }
  const bare = target
    .replace(pageExtension, '')
    .replace(/(?:^|(?<=\/))index$/i, /(?:^|\/)index(?:\.html?)?$/i.test(old) ? 'index' : '');
  return dotted(old, styled(old, posix.relative(folder || '.', bare.replace(/\/$/, '')) || '.'));
}

/** The old path's extension and end slash on the new one. */
function styled(old: string, fresh: string): string {
  const extension = /\.html?$/i.exec(old)?.[0];
  if (extension !== undefined)
    return fresh.endsWith('/') || fresh === '.' ? `${fresh}index${extension}` : fresh + extension;
  return old.length > 1 && old.endsWith('/') && !fresh.endsWith('/') ? `${fresh}/` : fresh;
}

function dotted(old: string, fresh: string): string {
  // Without an extension a bare word looks like an address from elsewhere, so it keeps a dot in front.
  const keepsDot = old.startsWith('./') || (old.startsWith('../') && !/\.\w+$/.test(fresh));
  return keepsDot && !fresh.startsWith('.') ? `./${fresh}` : fresh;
}
