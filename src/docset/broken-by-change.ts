import { posix } from 'node:path';
import { decoded, isExternal, splitAddress } from './address.ts';
import { hasAnchor } from './anchors.ts';
import type { DocsChangeFile } from './change-checks.ts';
import { type DocsView, noAnchor, type Problem } from './checks.ts';
import { forEachLimited } from './concurrency.ts';
import { isPage, readDocsetPage } from './docset.ts';
import { linksOf, type PageLink } from './links.ts';
import { lostAnchors } from './lost-anchors.ts';
import { searchForLinks } from './mentions.ts';
import { normalisedUrl } from './page-urls.ts';
import { parsePage } from './parse.ts';
import { resolveLink } from './site.ts';
import { lineAt } from './tree.ts';

/** Files read at once. */
const filesAtOnce = 16;
/** Places that are named of one page that is gone. */
const namedPlaces = 20;

/** A link that leads to the page of a folder by the folder alone: `./`, `../`, `/`. */
const folderLink = /[("'<:]\s?(?=[./])(?:\.{0,2}\/){0,20}\.{0,2}[#?)"'>\s]/;

/** What a change took away that others may point at. */
interface Loss {
  /** Files that are gone, with the name that they have now, if any. */
  readonly gone: ReadonlyMap<string, string | undefined>;
  /** Anchors that are gone, by the page's path of now. */
  readonly anchors: ReadonlyMap<string, ReadonlySet<string>>;
  readonly mayPointAtIt: (text: string) => boolean;
}

/**
 * Links of pages that the change did not touch, and that led somewhere before it: to a page or a file that is
 * gone or has another address, or to an anchor that is gone. One problem for each thing that is gone. Pages
 * whose text names none of it are not parsed.
 */
export async function brokenByChange(
  before: DocsView,
  after: DocsView,
  files: readonly DocsChangeFile[],
  signal: AbortSignal,
): Promise<Problem[]> {
  const loss = await lossOf(before, after, files, signal);
  if (loss === undefined) return [];
  const { docset } = after.site;
  const touched = new Set(files.map(({ path }) => path));
  const others = [...docset.pages, ...docset.protectedPages].filter((path) => !touched.has(path));
  const places = new Map<string, string[]>();
  const problems: Problem[] = [];
  await forEachLimited(others, filesAtOnce, signal, async (path) => {
    const page = await readDocsetPage(docset, path);
    if (page.kind === 'refused' || !loss.mayPointAtIt(page.text)) return;
    const parsed = parsePage(page.text, path, docset.layout.generator);
    if (parsed.kind === 'failed') return;
    for (const link of linksOf(page.text, parsed.tree, docset.layout.generator)) {
      const broken = await brokenLink(before, after, loss, path, link);
      if (broken === undefined) continue;
      const line = lineAt(page.text, link.span.start);
      if (broken.kind === 'gone') {
        places.set(broken.path, [...(places.get(broken.path) ?? []), `${path} (line ${line})`]);
      } else {
        problems.push({ path, line, kind: 'anchor', message: noAnchor(broken.path, broken.hash) });
      }
    }
  });
  for (const [path, from] of places)
    problems.push(lostProblem(path, loss.gone.get(path), from, loss.gone.has(path)));
  return problems.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

function lostProblem(
  path: string,
  fresh: string | undefined,
  from: readonly string[],
  isGone: boolean,
): Problem {
  const what = isPage(path) ? 'The page' : 'The file';
  const how = isGone
    ? `is gone${fresh === undefined ? '' : `, it is ${fresh} now`}`
    : 'has another address now';
  const places = from.toSorted().slice(0, namedPlaces).join(', ');
  const more = from.length > namedPlaces ? ` and ${from.length - namedPlaces} more` : '';
  return {
    path,
    line: 1,
    kind: 'lost',
    message: `${what} ${how}, but is still linked from ${places}${more}.`,
  };
}

async function lossOf(
  before: DocsView,
  after: DocsView,
  files: readonly DocsChangeFile[],
  signal: AbortSignal,
): Promise<Loss | undefined> {
  const gone = new Map<string, string | undefined>();
  for (const { path, previousPath = path, change } of files) {
    if (change !== 'deleted' && change !== 'renamed') continue;
    if (after.site.docset.files.has(previousPath) || !before.site.docset.files.has(previousPath)) continue;
    gone.set(previousPath, change === 'renamed' ? path : undefined);
  }
  const anchors = new Map<string, ReadonlySet<string>>();
  const kept = files.filter(({ path, change }) => change !== 'added' && change !== 'deleted' && isPage(path));
  await forEachLimited(kept, filesAtOnce, signal, async ({ path, previousPath = path }) => {
    const lost = await lostAnchors(before, after, previousPath, path);
    if (lost.size > 0) anchors.set(path, lost);
  });
  const addresses = [...before.site.byUrl.keys()].filter((url) => !after.site.byUrl.has(url));
  if (gone.size === 0 && anchors.size === 0 && addresses.length === 0) return undefined;
  const isIndex = (path: string): boolean => indexName.test(path);
  const names = [...gone.keys()].flatMap((path) => [
    isPage(path) ? posix.basename(path).replace(/\.\w+$/, '') : posix.basename(path),
    ...(isIndex(path) ? [posix.basename(posix.dirname(path)).replace(/^\.$/, '')] : []),
  ]);
  const search = searchForLinks(
    [...names, ...addresses.map((url) => posix.basename(url))],
    namedAnchors(after, anchors),
  );
  const folders = [...gone.keys()].some(isIndex);
  return { gone, anchors, mayPointAtIt: (text) => search(text) || (folders && folderLink.test(text)) };
}

const indexName = /(?:^|\/)_?(?:index|readme)\.\w+$/i;

/** Each anchor with the names that links to its pages may end in. */
function namedAnchors(
  { site }: DocsView,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, string[]>();
  for (const path of anchors.keys()) {
    const stem = posix.basename(path).replace(/\.\w+$/, '');
    const folder = indexName.test(path) ? ['', posix.basename(posix.dirname(path))] : [];
    names.set(path, [stem, ...folder]);
  }
  // Front matter may call it otherwise.
  for (const [url, path] of site.byUrl) names.get(path)?.push(posix.basename(url));
  const found = new Map<string, Set<string>>();
  for (const [path, lost] of anchors) {
    for (const anchor of lost) {
      const of = found.get(anchor) ?? new Set<string>();
      for (const name of names.get(path) ?? []) of.add(name);
      found.set(anchor, of);
    }
  }
  return found;
}

type Broken =
  | { readonly kind: 'gone'; readonly path: string }
  | { readonly kind: 'anchor'; readonly path: string; readonly hash: string };

async function brokenLink(
  before: DocsView,
  after: DocsView,
  { gone, anchors }: Loss,
  page: string,
  { url, kind }: PageLink,
): Promise<Broken | undefined> {
  // A module of a package has a name and no path.
  if (isExternal(url) || (kind === 'import' && !/^\.{0,2}\//.test(url))) return undefined;
  const was = resolveLink(before.site, page, url);
  if (was.kind !== 'page' && was.kind !== 'file') return undefined;
  const is = resolveLink(after.site, page, url);
  if (is.kind === 'missing') return { kind: 'gone', path: was.path };
  // `./` may be the page itself where addresses end in a slash; nobody has meant that who meant another page.
  const isItself = is.kind === 'page' && is.path === page && was.path !== page;
  if (isItself && gone.has(was.path)) return { kind: 'gone', path: was.path };
  if (is.kind === 'elsewhere') {
    // Where nobody can judge an address, one that led to a file that is gone is broken all the same.
    return gone.has(was.path) && !isExcused(after, url) ? { kind: 'gone', path: was.path } : undefined;
  }
  if (is.kind !== 'page' || is.hash === '' || kind !== 'link') return undefined;
  if (anchors.get(is.path)?.has(is.hash) !== true) return undefined;
  const [old, fresh] = await Promise.all([
    was.kind === 'page' ? before.index.of(was.path) : undefined,
    after.index.of(is.path),
  ]);
  const isLost = old && fresh && hasAnchor(old, is.hash) && !hasAnchor(fresh, is.hash);
  return isLost ? { kind: 'anchor', path: is.path, hash: is.hash } : undefined;
}

/** A redirect catches it; or a folder stands there, which code hosts show. */
function isExcused({ site }: DocsView, url: string): boolean {
  const path = decoded(splitAddress(url).path);
  if (site.docset.layout.generator === 'plain' && !/\.\w+$/.test(path)) return true;
  return path.startsWith('/') && site.redirects.some((redirect) => redirect.matches(normalisedUrl(path)));
}
