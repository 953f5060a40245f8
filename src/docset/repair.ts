import { posix } from 'node:path';
import { splitAddress } from './address.ts';
import { hasAnchor } from './anchors.ts';
import type { PageAnchors } from './anchors.ts';
import { nearest, oneOf } from './closest.ts';
import type { Closest } from './closest.ts';
import { isInside } from './docset.ts';
import { relink } from './relink.ts';
import { resolveLink } from './site.ts';
import type { Site, Target } from './site.ts';
import { bareSlug } from './slug.ts';

export type Repair =
  | { readonly kind: 'repaired'; readonly url: string }
  /** Nobody can tell what is meant; `reason` is a part of a sentence. */
  | { readonly kind: 'left'; readonly reason: string };

/** Names that pages of every section have: equal names say nothing there. */
const generalNames =
  /^(?:|index|readme|overview|introduction|intro|home|faq|setup|reference|api|guide|changelog)$/i;

/**
 * The page that a link to nothing most likely means: one that differs in spelling only, or has moved with
 * its name, or is a slip of the pen away. Two that fit equally well give none.
 */
export function closestPage(site: Site, url: string): Closest {
  const language = languageOf(url);
  const known = [...site.byUrl].filter(
    ([each, path]) => languageOf(each) === language && isInside(path, site.docset.layout.contentRoot),
  );
  const pick = (fits: (url: string) => boolean): Closest =>
    oneOf(known.flatMap(([each, path]) => (fits(each) ? [path] : [])));
  const spelled = pick((each) => bareSlug(each) === bareSlug(url));
  if (spelled.kind !== 'none') return spelled;
  const name = posix.basename(url);
  const parent = posix.basename(posix.dirname(url));
  if (!generalNames.test(name) && bareSlug(name) !== '') {
    // Where pages are generated, an equal name alone may be a coincidence.
    const isSame = (each: string): boolean =>
      !site.generatesPages || posix.basename(posix.dirname(each)) === parent;
    const moved = pick((each) => posix.basename(each) === name && isSame(each));
    if (moved.kind !== 'none') return moved;
    const movedAndSpelled = pick((each) => bareSlug(posix.basename(each)) === bareSlug(name) && isSame(each));
    if (movedAndSpelled.kind !== 'none') return movedAndSpelled;
  }
  const folder = posix.dirname(url);
  const siblings = known
    .filter(([each]) => posix.dirname(each) === folder)
    .map(([each]) => posix.basename(each));
  const slip = nearest(name, siblings);
  if (slip.kind === 'one') return pick((each) => each === posix.join(folder, slip.value));
  if (slip.kind === 'several') return slip;
  // A slip in the name of a folder: the page's own name must be right.
  const folders = known
    .filter(([each]) => posix.basename(each) === name)
    .map(([each]) => posix.dirname(each));
  const folderSlip = generalNames.test(name) ? nearest(folder, folders) : { kind: 'none' as const };
  return folderSlip.kind === 'one' ? pick((each) => each === posix.join(folderSlip.value, name)) : folderSlip;
}

/** The anchor that a broken one most likely means. */
export function closestAnchor(anchors: PageAnchors, hash: string): Closest {
  const ids = anchors.headings.map(({ id }) => id).filter((id) => id !== '');
  const wanted = bareSlug(hash);
  const spelled = wanted === '' ? oneOf([]) : oneOf(ids.filter((id) => bareSlug(id) === wanted));
  if (spelled.kind !== 'none') return spelled;
  // A heading with an id of its own is often linked by its words.
  const titled =
    wanted === ''
      ? oneOf([])
      : oneOf(anchors.headings.filter(({ text }) => bareSlug(text) === wanted).map(({ id }) => id));
  return titled.kind === 'none' ? nearest(hash, ids) : titled;
}

/** What a link that leads nowhere should be; `target` is what `resolveLink` says of it. */
export async function repairPageLink(
  site: Site,
  from: string,
  url: string,
  target: Extract<Target, { kind: 'missing' }>,
  anchorsOf: (path: string) => Promise<PageAnchors | undefined>,
): Promise<Repair> {
  if (target.wanted === 'asset') return { kind: 'left', reason: 'there is no such file' };
  const closest = closestPage(site, target.url);
  if (closest.kind === 'none') return { kind: 'left', reason: reasonForNone(site, target.url) };
  if (closest.kind === 'several')
    return { kind: 'left', reason: `several pages could be meant: ${closest.values.join(', ')}` };
  const { hash } = splitAddress(url);
  let fresh = relink(url, from, closest.value, site.docset.layout);
  if (hash.length > 1) {
    const anchors = await anchorsOf(closest.value);
    const better =
      anchors && !hasAnchor(anchors, hash.slice(1)) ? closestAnchor(anchors, hash.slice(1)) : undefined;
    if (better?.kind === 'one') fresh = relink(url, from, closest.value, site.docset.layout, better.value);
  }
  const check = resolveLink(site, from, fresh);
  return check.kind === 'page' && check.path === closest.value
    ? { kind: 'repaired', url: fresh }
    : { kind: 'left', reason: `it should lead to ${closest.value}, but I cannot tell how to write that` };
}

/** A longer name beside it, or a name that many folders have, is too little to go by, but a person may look for it. */
function reasonForNone(site: Site, url: string): string {
  const name = posix.basename(url);
  const alike = [...site.byUrl].flatMap(([each, path]) =>
    (each.startsWith(`${url}-`) && !each.slice(url.length).includes('/')) ||
    (posix.basename(each) === name && languageOf(each) === languageOf(url))
      ? [path]
      : [],
  );
  const paths = [...new Set(alike)].toSorted();
  return paths.length === 0
    ? 'no page has a similar name'
    : `no page is there; it may mean ${paths.slice(0, 5).join(' or ')}`;
}

/** What a link whose anchor does not exist should be. */
export function repairAnchor(url: string, anchors: PageAnchors, hash: string): Repair {
  const closest = closestAnchor(anchors, hash);
  if (closest.kind === 'none') return { kind: 'left', reason: 'the page has no heading like that' };
  if (closest.kind === 'several') {
    return {
      kind: 'left',
      reason: `several headings could be meant: ${closest.values.map((id) => `#${id}`).join(', ')}`,
    };
  }
  return { kind: 'repaired', url: `${url.slice(0, url.indexOf('#'))}#${closest.value}` };
}

/** Translations lie in folders such as `es` or `pt-BR`: a link never means a page of another language. */
function languageOf(url: string): string {
  return /^\/([a-z]{2}(?:-[A-Za-z]{2,4})?)(?:\/|$)/.exec(url)?.[1] ?? '';
}
