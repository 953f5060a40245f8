import type { Segment } from './segments.ts';
import { findTerms } from './terms.ts';
import type { Searcher } from './terms.ts';
import { spanOf } from './tree.ts';
import type { PageNode } from './tree.ts';

/** More of them are counted as the last one is. */
const maximumPlaced = 500;

/** Occurrences of the terms that stand in no segment, with the reason why they are no prose. */
export function leftoversOf(
  text: string,
  tree: PageNode,
  searchers: readonly Searcher[],
  segments: readonly Segment[],
): { reason: string; example: string }[] {
  const covered = segments.flatMap(({ text: plain }) => plain.places()).toSorted((a, b) => a.start - b.start);
  const leftovers: { reason: string; example: string }[] = [];
  let at = 0;
  let reason = '';
  for (const match of findTerms(text, searchers)) {
    if (match.leftAlone !== undefined && !match.leftAlone.startsWith('in addresses')) continue;
    while (at < covered.length && (covered[at]?.end ?? 0) <= match.from) at += 1;
    if ((covered[at]?.start ?? Infinity) <= match.from) continue;
    if (leftovers.length < maximumPlaced) reason = reasonOf(deepestAt(tree, match.from));
    leftovers.push({ reason, example: text.slice(match.from, match.to) });
  }
  return leftovers;
}

const reasons = new Map([
  ['code', 'in code'],
  ['inlineCode', 'in code'],
  ['yaml', 'in front matter'],
  ['toml', 'in front matter'],
  ['html', 'in HTML'],
  ['mdxJsxFlowElement', 'in components'],
  ['mdxJsxTextElement', 'in components'],
  ['mdxjsEsm', 'in imports and exports'],
  ['mdxFlowExpression', 'in expressions'],
  ['mdxTextExpression', 'in expressions'],
  ['link', 'in link targets'],
  ['image', 'in image links'],
  ['definition', 'in the names or targets of link definitions'],
  ['linkReference', 'in the name of a link'],
  ['imageReference', 'in the name of a link'],
]);

function reasonOf(node: PageNode): string {
  return reasons.get(node.type) ?? 'in markup';
}

function deepestAt(root: PageNode, offset: number): PageNode {
  let node = root;
  for (;;) {
    const inner = node.children?.find((child) => {
      const span = spanOf(child);
      return span.start <= offset && offset < span.end;
    });
    if (!inner) return node;
    node = inner;
  }
}
