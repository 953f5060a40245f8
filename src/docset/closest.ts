/**
 * Edit distance with transpositions (optimal string alignment), up to `limit`; `limit + 1` for anything above.
 */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  if (a.length > 300 || b.length > 300) return a === b ? 0 : limit + 1;
  let previous: number[] = [];
  let current = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    let best = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (current[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (current[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (previous[column - 2] ?? 0) + 1);
      }
      next.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    previous = current;
    current = next;
  }
  return Math.min(current[b.length] ?? limit + 1, limit + 1);
}

export type Closest =
  | { readonly kind: 'one'; readonly value: string }
  | { readonly kind: 'several'; readonly values: readonly string[] }
  | { readonly kind: 'none' };

export function oneOf(values: Iterable<string>): Closest {
  const distinct = [...new Set(values)];
  const [first] = distinct;
  if (first === undefined) return { kind: 'none' };
  return distinct.length === 1
    ? { kind: 'one', value: first }
    : { kind: 'several', values: distinct.slice(0, 5) };
}

/** Slips of the pen that still leave no doubt: none in a word of three letters, two in a long one. */
export function allowedSlips(word: string): number {
  if (word.length < 4) return 0;
  return word.length < 9 ? 1 : 2;
}

/**
 * The values nearest to a word within the allowed slips; several when they are equally near. Numbers must
 * agree: `v1` is no slip for `v2`, nor the second heading of a name for the third.
 */
export function nearest(word: string, values: Iterable<string>): Closest {
  const limit = allowedSlips(word);
  let best = limit;
  let found: string[] = [];
  if (limit === 0) return { kind: 'none' };
  const digits = digitsOf(word);
  for (const value of values) {
    if (digitsOf(value) !== digits) continue;
    const far = distance(word, value, best);
    if (far > best) continue;
    if (far < best) found = [];
    best = far;
    found.push(value);
  }
  return oneOf(found);
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D+/g, ' ').trim();
}
