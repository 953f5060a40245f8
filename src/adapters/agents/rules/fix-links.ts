import { AnchorIndex, brokenLinksOf } from '../../../docset/broken-links.ts';
import { forEachLimited } from '../../../docset/concurrency.ts';
import { readDocsetPage, writeDocsetPage } from '../../../docset/docset.ts';
import { applyEdits } from '../../../docset/edits.ts';
import type { Edit } from '../../../docset/edits.ts';
import { guardShape } from '../../../docset/guard.ts';
import { parsePage } from '../../../docset/parse.ts';
import { fits } from '../../../docset/relink-pages.ts';
import { repairAnchor, repairPageLink } from '../../../docset/repair.ts';
import { openSite } from '../../../docset/site.ts';
import type { Site } from '../../../docset/site.ts';
import type { Instruction } from './instruction.ts';
import { bulletList, quoted } from './report.ts';
import { count, counter, pagesAtOnce, scopedPages } from './work.ts';
import type { Outcome, Work } from './work.ts';

interface Found {
  /** `old → new` as Markdown. */
  readonly fixed: Map<string, string[]>;
  readonly left: { path: string; line: number; text: string; isAsset: boolean }[];
  readonly unread: string[];
}

/** Repairs links and anchors that lead nowhere, where exactly one page or heading can be meant. */
export async function fixLinks(
  work: Work,
  instruction: Extract<Instruction, { kind: 'links' }>,
): Promise<Outcome> {
  const { docset, signal } = work;
  const pages = scopedPages(docset, instruction.scope);
  const tick = counter(work, pages.length, 'Checking the links of');
  const site = await openSite(docset, signal);
  const index = new AnchorIndex(site);
  const found: Found = { fixed: new Map(), left: [], unread: [] };
  await forEachLimited(pages, pagesAtOnce, signal, async (path) => {
    await fixPage(site, index, path, found, signal);
    tick();
  });
  const fixes = [...found.fixed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const total = fixes.reduce((sum, [, list]) => sum + list.length, 0);
  const lead =
    total > 0
      ? `Fixed ${count(total, 'broken link')} on ${count(fixes.length, 'page')}.`
      : found.left.length > 0
        ? 'No link was changed: I cannot tell what any of the broken ones should lead to.'
        : `There is no broken link: the links of ${count(pages.length, 'page')} lead somewhere.`;
  const leftOf = (assets: boolean): Found['left'] => found.left.filter(({ isAsset }) => isAsset === assets);
  const left = leftOf(false);
  const assets = leftOf(true);
  const parts = [
    lead,
    bulletList(fixes.flatMap(([path, list]) => list.map((fix) => `${quoted(path)}: ${fix}`))),
    left.length === 0
      ? ''
      : `Left alone, ${count(left.length, 'broken link')}:\n\n${bulletList(byPlace(left))}`,
    assets.length === 0
      ? ''
      : `Left alone, ${count(assets.length, 'image or file', 'images or files')} that I did not find:\n\n${bulletList(byPlace(assets))}`,
    found.unread.length === 0 ? '' : `Not checked:\n\n${bulletList(found.unread.toSorted())}`,
  ];
  return {
    title: 'Fix broken links',
    changed: total > 0,
    summary: parts.filter((part) => part !== '').join('\n\n'),
  };
}

/** One entry for what is wrong with the same link several times on a page. */
function byPlace(left: Found['left']): string[] {
  const entries = new Map<string, { path: string; lines: number[]; text: string }>();
  for (const { path, line, text } of left.toSorted((a, b) => a.line - b.line)) {
    const entry = entries.get(`${path}\n${text}`) ?? { path, lines: [], text };
    entry.lines.push(line);
    entries.set(`${path}\n${text}`, entry);
  }
  return [...entries.values()]
    .toSorted((a, b) =>
      a.path === b.path ? (a.lines[0] ?? 0) - (b.lines[0] ?? 0) : a.path < b.path ? -1 : 1,
    )
    .map(({ path, lines, text }) => `${quoted(`${path}:${[...new Set(lines)].join(', ')}`)}: ${text}`);
}

async function fixPage(
  site: Site,
  index: AnchorIndex,
  path: string,
  found: Found,
  signal: AbortSignal,
): Promise<void> {
  const { docset } = site;
  const page = await readDocsetPage(docset, path);
  if (page.kind === 'refused') {
    found.unread.push(`${quoted(path)}, because ${page.reason}`);
    return;
  }
  const { generator } = docset.layout;
  const parsed = parsePage(page.text, path, generator);
  if (parsed.kind === 'failed') {
    found.unread.push(`${quoted(path)}, because it cannot be parsed (line ${parsed.line}: ${parsed.reason})`);
    return;
  }
  const tree = { ...parsed.tree, name: parsed.dialect };
  const edits: Edit[] = [];
  const fixes: string[] = [];
  const left: Found['left'] = [];
  for (const link of await brokenLinksOf(site, index, path, page.text, tree)) {
    const repair =
      link.problem === 'missing'
        ? await repairPageLink(site, path, link.url, link.target, (target) => index.of(target))
        : repairAnchor(link.url, link.anchors, link.target.hash);
    const written = page.text.slice(link.span.start, link.span.end);
    const isAsset = link.problem === 'missing' && link.target.wanted === 'asset';
    if (repair.kind === 'left')
      left.push({ path, line: link.line, isAsset, text: `${quoted(link.url)}: ${repair.reason}` });
    else if (!fits(repair.url, link))
      left.push({
        path,
        line: link.line,
        isAsset,
        text: `${quoted(link.url)}: the new address does not fit there`,
      });
    else {
      edits.push({ ...link.span, text: repair.url });
      fixes.push(`${quoted(written)} → ${quoted(repair.url)}`);
    }
  }
  found.left.push(...left);
  if (edits.length === 0) return;
  const after = applyEdits(page.text, edits);
  const guarded = guardShape(page.text, after, edits, path, generator, tree);
  if (guarded.kind === 'broken') {
    found.unread.push(`${quoted(path)}, because ${guarded.problem}`);
    return;
  }
  signal.throwIfAborted();
  await writeDocsetPage(docset, path, after, page.byteOrderMark);
  found.fixed.set(path, fixes);
}
