/** One removed and one added line that belong together, or one of them alone. */
export type LinePair = readonly [removed: string | undefined, added: string | undefined];

/** Share of common words from which on two lines count as one that was edited. */
const alike = 0.35;
/** Comparisons in one block of changes. Above it lines are paired by their order. */
const maxComparisons = 2_500;

/**
 * Brings the removed and added lines of one block of changes together, in the order of both, so that as
 * many words as possible stand beside themselves. Lines without a like one stay alone, removed before added.
 */
export function pairLines(removed: readonly string[], added: readonly string[]): LinePair[] {
  if (removed.length * added.length > maxComparisons) return byOrder(removed, added);
  const wordsBefore = removed.map(words);
  const wordsAfter = added.map(words);
  // best[i][j]: the largest sum of likeness that the lines from i and from j on can have.
  const best = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  const likenessAt = (i: number, j: number): number =>
    likeness(wordsBefore[i] ?? new Map(), wordsAfter[j] ?? new Map());
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      const paired = likenessAt(i, j);
      const together = paired >= alike ? paired + at(i + 1, j + 1) : 0;
      (best[i] ?? [])[j] = Math.max(together, at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: LinePair[] = [];
  let i = 0;
  let j = 0;
  while (i < removed.length || j < added.length) {
    const bothLeft = i < removed.length && j < added.length;
    if (bothLeft && likenessAt(i, j) >= alike && at(i, j) === likenessAt(i, j) + at(i + 1, j + 1)) {
      pairs.push([removed[i++], added[j++]]);
    } else if (i < removed.length && (j >= added.length || at(i, j) === at(i + 1, j))) {
      pairs.push([removed[i++], undefined]);
    } else {
      pairs.push([undefined, added[j++]]);
    }
  }
  return pairs;
}

function byOrder(removed: readonly string[], added: readonly string[]): LinePair[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, i) => [removed[i], added[i]]);
}

function words(line: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of line.slice(0, 2_000).match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Sørensen–Dice over the words of both lines: 1 for the same words, 0 for none in common. */
function likeness(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let common = 0;
  let all = 0;
  for (const [word, count] of before) {
    all += count;
    common += Math.min(count, after.get(word) ?? 0);
  }
  for (const count of after.values()) all += count;
  return all === 0 ? 1 : (2 * common) / all;
}
