import { appendFile, readFile } from 'node:fs/promises';

/** How the tests of one or more suites ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: 0 };
/** What a suite counts as that crashed, hung or never reported. */
export const oneFailure: Counts = { passed: 0, failed: 1, skipped: 0 };

export function addCounts(all: readonly Counts[]): Counts {
  const sum = (count: (counts: Counts) => number): number => all.reduce((so, one) => so + count(one), 0);
  return { passed: sum((c) => c.passed), failed: sum((c) => c.failed), skipped: sum((c) => c.skipped) };
}

/** The closing line, for people and for programs that read it. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

/** No test at all is no success: a pattern that matches nothing would stay green for ever. */
export function hasSucceeded(counts: Counts): boolean {
  return counts.failed === 0 && counts.passed > 0;
}

/** File to which each run of `npm test` appends its total, so that several runs can be added up. */
export const totalsVariable = 'DOCS_AGENT_TEST_TOTALS';

export async function recordTotal(counts: Counts): Promise<void> {
  const file = process.env[totalsVariable];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(counts)}\n`);
}

export async function recordedTotals(): Promise<Counts[]> {
  const file = process.env[totalsVariable];
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  const lines = text.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Counts);
}
