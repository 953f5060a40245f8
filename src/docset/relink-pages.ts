import { applyEdits } from './edits.ts';
import type { Edit } from './edits.ts';
import { readDocsetPage } from './docset.ts';
import { guardShape } from './guard.ts';
import { linksOf } from './links.ts';
import type { PageLink } from './links.ts';
import { parsePage } from './parse.ts';
import { resolveLink } from './site.ts';
import type { Site, Target } from './site.ts';

export type Relinked =
  | { readonly kind: 'unchanged'; readonly left: readonly string[] }
  | {
      readonly kind: 'changed';
      readonly before: string;
      readonly text: string;
      readonly byteOrderMark: boolean;
      readonly links: number;
      /** What should have changed and did not, as Markdown-free phrases. */
      readonly left: readonly string[];
    };

/**
 * Gives links of one page new destinations.
 *
 * @param wanted may the page's text hold such a link at all? Saves parsing the others
 * @param change the new destination of a link, undefined to keep it, or a reason why it cannot be had
 */
export async function relinkPage(
  site: Site,
  path: string,
  wanted: (text: string) => boolean,
  change: (link: PageLink, target: Target) => string | undefined | { readonly reason: string },
): Promise<Relinked> {
  const page = await readDocsetPage(site.docset, path);
  if (page.kind === 'refused' || !wanted(page.text)) return { kind: 'unchanged', left: [] };
  const { generator } = site.docset.layout;
  const parsed = parsePage(page.text, path, generator);
  if (parsed.kind === 'failed') {
    return {
      kind: 'unchanged',
      left: [`the page cannot be parsed (line ${parsed.line}), its links were not looked at`],
    };
  }
  const tree = { ...parsed.tree, name: parsed.dialect };
  const edits: Edit[] = [];
  const left: string[] = [];
  for (const link of linksOf(page.text, tree, generator)) {
    const fresh = change(link, resolveLink(site, path, link.url));
    if (fresh === undefined || fresh === link.url) continue;
    if (typeof fresh === 'object') left.push(fresh.reason);
    else if (!fits(fresh, link)) left.push(`${link.url} should become ${fresh}, which needs quoting there`);
    else edits.push({ ...link.span, text: fresh });
  }
  if (edits.length === 0) return { kind: 'unchanged', left };
  const after = applyEdits(page.text, edits);
  const guarded = guardShape(page.text, after, edits, path, generator, tree);
  if (guarded.kind === 'broken')
    return { kind: 'unchanged', left: [...left, `its links were kept, because ${guarded.problem}`] };
  return {
    kind: 'changed',
    before: page.text,
    text: after,
    byteOrderMark: page.byteOrderMark,
    links: edits.length,
    left,
  };
}

/** True when a destination needs no escaping at the place where it will stand. */
export function fits(url: string, { syntax }: PageLink): boolean {
  return syntax === 'markdown' ? !/[\s<>()\\]/.test(url) : !/[\s"'<>&]/.test(url);
}
