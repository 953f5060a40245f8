import { anchorsOf, hasAnchor } from './anchors.ts';
import type { DocsView } from './checks.ts';
import { readDocsetPage } from './docset.ts';
import { parsePage } from './parse.ts';

/** Whatever an anchor can come from stands on such a line, or is the line above one of dashes. */
const anchorLine =
  /^[ \t>]{0,20}#|^[ \t>]{0,20}(?:=+|-+)[ \t]*$|\b(?:id|name|title|anchor|label|path|query|body|header|group|tag|value)\s?=|\{:?[^{}]{0,100}#|^\([\w.:-]+\)=/;

/**
 * The anchors that a page had and has no more; empty as well when nothing can be said.
 *
 * @param former the page's path before
 */
export async function lostAnchors(
  before: DocsView,
  after: DocsView,
  former: string,
  path: string,
): Promise<ReadonlySet<string>> {
  const none = new Set<string>();
  const [old, fresh] = await Promise.all([
    readDocsetPage(before.site.docset, former).catch(() => undefined),
    readDocsetPage(after.site.docset, path).catch(() => undefined),
  ]);
  if (old?.kind !== 'text' || fresh?.kind !== 'text') return none;
  // Most changes touch no heading: seen without parsing.
  if (isKept(anchorLines(old.text), anchorLines(fresh.text))) return none;
  const { generator } = after.site.docset.layout;
  const was = parsePage(old.text, former, generator);
  const is = parsePage(fresh.text, path, generator);
  if (was.kind === 'failed' || is.kind === 'failed') return none;
  const anchors = anchorsOf(fresh.text, is.tree, generator);
  const known = anchorsOf(old.text, was.tree, generator).possible;
  return new Set([...known].filter((anchor) => !hasAnchor(anchors, anchor)));
}

function anchorLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (line: string): void => void counts.set(line, (counts.get(line) ?? 0) + 1);
  let last = '';
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (anchorLine.test(line)) {
      if (/^[ \t>]{0,20}[=-]/.test(line)) add(last);
      else add(trimmed);
    }
    last = trimmed;
  }
  return counts;
}

function isKept(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  for (const [line, count] of before) if ((after.get(line) ?? 0) < count) return false;
  return true;
}
