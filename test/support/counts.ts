import { appendFile, readFile } from 'node:fs/promises';

/** How the tests of one or more suites ended. */
export interface Counts {
  readonly passed: number;
  /** What failed and why, a text each. */
  readonly failures: readonly string[];
  /** What failed at first and passed at a second try, with why: each points to a test that is not sound. */
  readonly secondTries: readonly string[];
  readonly skipped: number;
}

export const noCounts: Counts = { passed: 0, failures: [], secondTries: [], skipped: 0 };

/** What a suite counts as that crashed, hung or never reported. */
export const oneFailure = (why: string): Counts => ({ ...noCounts, failures: [why] });

export function addCounts(all: readonly Counts[]): Counts {
  const sum = (count: (counts: Counts) => number): number => all.reduce((so, one) => so + count(one), 0);
  return {
    passed: sum((counts) => counts.passed),
    failures: all.flatMap((counts) => counts.failures),
    secondTries: all.flatMap((counts) => counts.secondTries),
    skipped: sum((counts) => counts.skipped),
  };
}

/** What failed, said once more where nobody has to search for it, and the line that closes a run. */
export function closing(counts: Counts): string {
  const secondTries = counts.secondTries.map((one) => `SECOND TRY ${one}`);
  const failures = counts.failures.map((failure) => `FAILED ${failure}`);
  return [...secondTries, ...failures, closingLine(counts)].join('\n\n');
}

/** The closing line, for people and for programs that read it. */
export function closingLine({ passed, failures, skipped }: Counts): string {
  return `${passed} passed, ${failures.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

const maxFailureLength = 2_000;

/** The text of a failed test: its name and the beginning of its error. */
export function failureText(title: string, error: unknown): string {
  const told = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  return `${title}\n${told}`.slice(0, maxFailureLength);
}

/** No test at all is no success: a pattern that matches nothing would stay green for ever. */
export function hasSucceeded(counts: Counts): boolean {
  return counts.failures.length === 0 && counts.passed > 0;
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
