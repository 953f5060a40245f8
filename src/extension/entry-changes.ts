import { isDeepStrictEqual } from 'node:util';
import { hasEnded } from '../contract/job.ts';
import type { ReceivedJob } from '../contract/job.ts';
import type { EntryProblem, JobEntry } from './job-entry.ts';

/**
 * Every change of an entry is one of these functions; each makes a new object. Times are milliseconds
 * since the epoch.
 */

/** A service told the state of the job. */
export function withJob(entry: JobEntry, job: ReceivedJob, at: number): JobEntry {
  const wasRunning = entry.job !== undefined && !hasEnded(entry.job.status);
  return {
    ...entry,
    job,
    prompt: entry.prompt === '' ? (job.prompt ?? '') : entry.prompt,
    checkedAt: at,
    problem: undefined,
    endedAt: wasRunning && hasEnded(job.status) ? at : entry.endedAt,
  };
}

/** A look failed. The last known state stays. */
export function withProblem(entry: JobEntry, problem: EntryProblem): JobEntry {
  return { ...entry, problem };
}

/** The writer looked at the result. */
export function withSeen(entry: JobEntry, at: number): JobEntry {
  return { ...entry, seenAt: at };
}

/** The pull request was opened by itself, or a window decided about it once and for all. */
export function withOpened(entry: JobEntry, at: number): JobEntry {
  return { ...entry, openedAt: at };
}

const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);

/**
 * Joins what two windows know of one job. Commutative, associative and idempotent, so windows that
 * write at the same time agree in the end, whoever was last: the later look tells the state, the other
 * times only grow.
 */
export function merge(a: JobEntry, b: JobEntry): JobEntry {
  const [older, newer] = isNewer(b, a) ? [a, b] : [b, a];
  const checkedAt = newer.checkedAt;
  const problem = laterProblem(a.problem, b.problem);
  const merged: JobEntry = {
    ...newer,
    problem: problem !== undefined && problem.at > (checkedAt ?? -Infinity) ? problem : undefined,
    endedAt: latest(older.endedAt, newer.endedAt),
    seenAt: latest(older.seenAt, newer.seenAt),
    openedAt: latest(older.openedAt, newer.openedAt),
  };
  if (isSameEntry(merged, a)) return a;
  return isSameEntry(merged, b) ? b : merged;
}

/** Equal as stored: a field that is undefined and one that is absent are the same. */
export function isSameEntry(a: JobEntry, b: JobEntry): boolean {
  return a === b || isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}

function isNewer(b: JobEntry, a: JobEntry): boolean {
  const difference = (b.checkedAt ?? -1) - (a.checkedAt ?? -1);
  // The same millisecond: any order does, if every window takes the same.
  return difference === 0 ? JSON.stringify(b.job ?? null) > JSON.stringify(a.job ?? null) : difference > 0;
}

function laterProblem(a: EntryProblem | undefined, b: EntryProblem | undefined): EntryProblem | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.at !== b.at) return a.at > b.at ? a : b;
  return a.code >= b.code ? a : b;
}
