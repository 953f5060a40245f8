/**
 * True when version `a` came before `b`. Compares the numbers of `1.2.3`; what is no such version came
 * before everything else, so that a broken one is replaced.
 */
export function isOlder(a: string, b: string): boolean {
  const [first, second] = [numbers(a), numbers(b)];
  for (let index = 0; index < 3; index++) {
    const difference = (first[index] ?? -1) - (second[index] ?? -1);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbers(version: string): readonly number[] {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? [] : match.slice(1).map(Number);
}
