/** One line of the benchmark: a figure, and what it is to be seen beside, measured in the same run. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  /** The floor or the alternative, with its figure. */
  readonly beside: string;
  /** How many times the one is the other, or why there is no such number. */
  readonly ratio: string;
}

export function printTable(rows: readonly Row[]): string {
  const head: Row = { what: 'What', figure: 'Figure', beside: 'Beside', ratio: 'Ratio' };
  const columns = ['what', 'figure', 'beside', 'ratio'] as const;
  const widths = columns.map((column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row: Row): string =>
    `| ${columns.map((column, index) => row[column].padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** The middle one of the runs: machines are noisy, and one slow run should not decide. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('No run, no median.');
  return middle;
}

export async function milliseconds(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Runs of one measurement, at least one; on a slow machine fewer of them, so that the whole has an end. */
export async function repeat(
  { most, withinMs }: { readonly most: number; readonly withinMs: number },
  run: (number: number) => Promise<void>,
): Promise<void> {
  const end = performance.now() + withinMs;
  for (let number = 0; number < most && (number === 0 || performance.now() < end); number++)
    await run(number);
}

export function inMs(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ms`;
}

export function inKb(bytes: number): string {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`;
}

export function times(one: number, other: number): string {
  return `${(one / other).toFixed(one / other < 10 ? 1 : 0)}×`;
}
