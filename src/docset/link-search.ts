import { join, posix } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { splitAddress } from './address.ts';
import { isInside, isPage } from './docset.ts';
import { urlOfPage } from './page-urls.ts';
import { readPlainText } from './read-plain.ts';
import { resolveLink } from './site.ts';
import type { Site } from './site.ts';
import { maximumPageBytes } from './text-file.ts';

/** Pages between two looks at the signal. */
const pagesAtOnce = 64;

/** Places of one page that are looked at closely; a page with more of them is parsed. */
const mostPlaces = 300;

/** Pages outside the docs that are looked at, in a repository with much more than docs. */
const mostOutside = 5_000;

/** How far before a name its path may begin, in characters, and at how many signs. */
const longestPath = 300;
const mostBeginnings = 8;

/**
 * The pages with something that looks like a link to a file and leads there; only these need parsing. Also those
 * outside the docs: links between files lead from there, too.
 *
 * @param onPage called after each page that was looked at
 * @throws the signal's reason when aborted
 */
export async function pagesNaming(
  site: Site,
  path: string,
  signal: AbortSignal,
  onPage: () => void = () => undefined,
): Promise<string[]> {
  const mayLink = linkSearch(site, path);
  const found = await pagesWhere(site, signal, mayLink, onPage);
  const outside = [...site.docset.files].filter((each) => isPage(each) && isOutside(site, each));
  const others = outside.toSorted().slice(0, mostOutside);
  return [...found, ...(await pagesWhere(site, signal, mayLink, undefined, others))];
}

/** A page that is not part of the site, such as the repository's README. */
export function isOutside({ docset }: Site, page: string): boolean {
  return !isInside(page, docset.docsRoot);
}

/** What a page outside the site links to it does so as to files: an address means something else there. */
export function isFilePath(url: string): boolean {
  const { path } = splitAddress(url);
  return !path.startsWith('/') && /\.\w+$/.test(path);
}

/**
 * The pages whose text fits, read fast and without parsing.
 *
 * @param onPage called after each page that was looked at
 * @throws the signal's reason when aborted
 */
export async function pagesWhere(
  { docset }: Site,
  signal: AbortSignal,
  fits: (page: string, text: string) => boolean,
  onPage: () => void = () => undefined,
  pages: readonly string[] = docset.pages,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, page] of pages.entries()) {
    if (index % pagesAtOnce === 0) {
      await breath();
      signal.throwIfAborted();
    }
    const text = readPlainText(join(docset.root, page), maximumPageBytes);
    if (text !== undefined && fits(page, text)) found.push(page);
    onPage();
  }
  return found;
}

/**
 * Tells pages that may link to a file from those that do not: searches for its names at the speed of a text
 * search, and follows what looks like a path around them.
 */
export function linkSearch(site: Site, path: string): (page: string, text: string) => boolean {
  const names = namesOf(site, path);
  const any = [...names].map((name) => name.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|');
  // Words of prose are called like pages, too: a link has something of a link around the name.
  const named = new RegExp(
    String.raw`(?:^[ \t]*|[/("'<=]|:[ \t]*)(?:${any})(?:\.\w{2,8})?(?=[/#?)"'>\s]|$)`,
    'gm',
  );
  // Dots and slashes alone lead to the page of a folder.
  const folders = isIndex(path)
    ? /[("'<:=][ \t]?(?=[./])(?:\.{0,2}\/){0,20}\.{0,2}(?=[#?)"'>\s])/g
    : undefined;
  return (page, text) => {
    const plain = text.includes('\\') ? text.replaceAll('\\', '') : text;
    const patterns = [...names].some((name) => plain.includes(name)) ? [named] : [];
    let places = 0;
    const seen = new Set<string>();
    for (const pattern of folders ? [...patterns, folders] : patterns) {
      for (const match of plain.matchAll(pattern)) {
        places += 1;
        if (places > mostPlaces) return true;
        for (const url of pathsEndingAt(plain, match.index + match[0].length)) {
          if (seen.has(url)) continue;
          seen.add(url);
          const target = resolveLink(site, page, url);
          if ((target.kind === 'page' || target.kind === 'file') && target.path === path) return true;
        }
      }
    }
    return false;
  };
}

/** What the last part of a link to the file may be, as written and percent-encoded. */
function namesOf({ docset, byUrl }: Site, path: string): ReadonlySet<string> {
  const base = posix.basename(path);
  const names = isPage(path)
    ? [base.replace(/\.\w+$/, ''), posix.basename(urlOfPage(path, docset.layout))]
    : [base];
  if (isIndex(path)) names.push(posix.basename(posix.dirname(path)));
  // Front matter may call a page otherwise.
  for (const [url, page] of byUrl) if (page === path) names.push(posix.basename(url));
  const encoded = names.flatMap((name) => {
    const full = encodeURI(name.toWellFormed());
    return [
      full,
      full.replaceAll(/%[\dA-F]{2}/g, (sign) => sign.toLowerCase()),
      encodeURIComponent(name.toWellFormed()),
    ];
  });
  return new Set([...names, ...encoded].filter((name) => name !== '' && name !== '.'));
}

/** Each text that may be the path which ends at a place, the shortest first; it may have spaces in it. */
function pathsEndingAt(text: string, end: number): string[] {
  const paths: string[] = [];
  const first = Math.max(0, end - longestPath, text.lastIndexOf('\n', end - 1) + 1);
  for (let at = end - 1; at >= first && paths.length < mostBeginnings; at -= 1) {
    const sign = text[at] ?? '';
    if (!/[\s()<>"'`[\]{}=,|:]/.test(sign)) continue;
    if (at + 1 < end) paths.push(text.slice(at + 1, end));
    if (sign === '<' || sign === '"' || sign === "'" || (sign === '(' && text[at - 1] === ']')) return paths;
  }
  if (paths.length < mostBeginnings && end > first) paths.push(text.slice(first, end));
  return paths;
}

function isIndex(path: string): boolean {
  return /(?:^|\/)_?(?:index|readme)\.\w+$/i.test(path);
}
