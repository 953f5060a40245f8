import { decoded, splitAddress } from '../../../docset/address.ts';
import { hasKnownSlugs } from '../../../docset/anchors.ts';
import { forEachLimited } from '../../../docset/concurrency.ts';
import { writeDocsetPage } from '../../../docset/docset.ts';
import { relinkPage } from '../../../docset/relink-pages.ts';
import { openSite } from '../../../docset/site.ts';
import { bulletList, quoted } from './report.ts';
import { count, counter, pagesAtOnce } from './work.ts';
import type { Work } from './work.ts';

/**
 * Headings with new words have new anchors: points the links of all pages at them.
 *
 * @param changes page → old anchor → new anchor
 * @returns Markdown; empty when no link led to one of them
 */
export async function followAnchors(
  work: Work,
  changes: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Promise<string> {
  if (changes.size === 0) return '';
  const { docset, signal } = work;
  const site = await openSite(docset, signal);
  const old = new Set([...changes.values()].flatMap((each) => Array.from(each.keys())));
  const tick = counter(work, docset.pages.length, 'Following renamed headings on');
  const followed = new Map<string, number>();
  const left: string[] = [];
  await forEachLimited(docset.pages, pagesAtOnce, signal, async (path) => {
    const mayLink = (text: string): boolean =>
      [...text.matchAll(/#([^\s#()<>"'\]]{1,300})/g)].some((match) => old.has(decoded(match[1] ?? '')));
    const result = await relinkPage(site, path, mayLink, (link, target) => {
      if (target.kind !== 'page' || target.hash === '') return undefined;
      const fresh = changes.get(target.path)?.get(target.hash);
      if (fresh === undefined) return undefined;
      // Only words, digits and hyphens become the same anchor whatever the generator's rules are.
      if (!hasKnownSlugs(docset.layout.generator) && !/^[\p{L}\p{N}-]+$/u.test(fresh)) {
        return { reason: `${link.url}: I do not know the new anchor` };
      }
      const { path: page, query } = splitAddress(link.url);
      return `${page}${query}#${fresh}`;
    });
    tick();
    left.push(...result.left.map((reason) => `${quoted(path)}: ${reason}`));
    if (result.kind === 'unchanged') return;
    signal.throwIfAborted();
    await writeDocsetPage(docset, path, result.text, result.byteOrderMark);
    followed.set(path, result.links);
  });
  const total = [...followed.values()].reduce((sum, links) => sum + links, 0);
  if (total === 0 && left.length === 0) return '';
  const entries = [...followed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lead = `Headings changed with it, so ${count(total, 'link')} to their anchors ${total === 1 ? 'was' : 'were'} changed too.`;
  return [
    lead,
    bulletList([
      ...entries.map(([path, links]) => `${quoted(path)}: ${count(links, 'link')}`),
      ...left.toSorted(),
    ]),
  ].join('\n\n');
}
