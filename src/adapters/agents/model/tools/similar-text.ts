import { distance } from '../../../../docset/closest.ts';

const stemOf = (path: string): string =>
  (path.split('/').at(-1) ?? '').replace(/\.(?:md|mdx|markdown)$/i, '').toLowerCase();

/** True when a path has the name of another one, in some folder and with some extension of pages, or nearly so. */
export function isSimilarName(path: string, wanted: string): boolean {
  const stem = stemOf(wanted);
  if (stem === '') return false;
  const other = stemOf(path);
  return other === stem || (stem.length > 3 && distance(stem, other, 2) <= 2);
}

export interface SimilarLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** 0 to 1. */
  readonly likeness: number;
}

/** Longer lines are compared by their beginning. */
const comparedLength = 300;

/** The lines of a text that are most like another line, best first, by the pairs of letters that they share. */
export function similarLines(lines: readonly string[], wanted: string, most: number): SimilarLine[] {
  const pairs = pairsOf(wanted);
  if (pairs.size === 0) return [];
  const found: SimilarLine[] = [];
  for (const [index, text] of lines.entries()) {
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.length > wanted.length * 5 + 40) continue;
    const own = pairsOf(trimmed);
    let shared = 0;
    for (const pair of own) if (pairs.has(pair)) shared += 1;
    const likeness = (2 * shared) / (own.size + pairs.size);
    if (likeness >= 0.4) found.push({ line: index + 1, text: trimmed, likeness });
  }
  return found.toSorted((a, b) => b.likeness - a.likeness).slice(0, most);
}

function pairsOf(text: string): Set<string> {
  const plain = text.trim().slice(0, comparedLength).toLowerCase().replaceAll(/\s+/g, ' ');
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < plain.length; at += 1) pairs.add(plain.slice(at, at + 2));
  return pairs;
}
