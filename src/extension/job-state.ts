import { hasEnded } from '../contract/job.ts';
import type { JobError } from '../contract/job.ts';
import { localServiceId, mayHaveStartedCode } from './job-entry.ts';
import type { EntryProblem, JobEntry, ServiceId } from './job-entry.ts';

/** What a job is to the writer. Everything that is shown of a job follows from this. */
export type JobState =
  | { readonly kind: 'sending' }
  /** Create was refused, so there is no job; the prompt is kept. */
  | { readonly kind: 'notStarted'; readonly problem: EntryProblem }
  | { readonly kind: 'mayHaveStarted' }
  | { readonly kind: 'running'; readonly step: string | undefined }
  /** A status that the contract did not have when this was written. It is watched on. */
  | { readonly kind: 'unknown'; readonly status: string }
  | { readonly kind: 'completed'; readonly link: string }
  /** Completed without a link: nothing had to change, or, at a hosted service, its project pushes without a pull request. */
  | { readonly kind: 'nothingToChange'; readonly mayBePushed: boolean }
  | { readonly kind: 'failed'; readonly error: JobError | undefined }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'archived' }
  /** The service no longer knows the job. */
  | { readonly kind: 'gone' };

export type JobStateKind = JobState['kind'];

/** A create that has no answer after this many milliseconds was lost with its window. */
export const sendingLimit = 2 * 60_000;

/** The client's code for 404; it reports it only after the first minute of a job. */
const goneCode = 'not_found';

export function stateOf(entry: JobEntry, now: number): JobState {
  const { job, problem } = entry;
  if (job === undefined) {
    if (problem === undefined) {
      return { kind: now - entry.createdAt < sendingLimit ? 'sending' : 'mayHaveStarted' };
    }
    return problem.code === mayHaveStartedCode ? { kind: 'mayHaveStarted' } : { kind: 'notStarted', problem };
  }
  switch (job.status) {
    case 'archived':
      return { kind: 'archived' };
    case 'completed':
      return job.prLink === undefined
        ? { kind: 'nothingToChange', mayBePushed: entry.service !== localServiceId && job.filesChanged !== 0 }
        : { kind: 'completed', link: job.prLink };
    case 'failed':
      return job.error?.code === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error: job.error };
    default:
      if (problem?.code === goneCode) return { kind: 'gone' };
      return job.status === 'active'
        ? { kind: 'running', step: job.step }
        : { kind: 'unknown', status: job.status };
  }
}

/** True while a service may still change the job by itself, so that it has to be asked. */
export function isWatched(entry: JobEntry): boolean {
  return entry.job !== undefined && !hasEnded(entry.job.status) && entry.problem?.code !== goneCode;
}

/** True when it ended in a way that the writer should look at, and they have not. */
export function isUnseen(entry: JobEntry): boolean {
  const { job, endedAt } = entry;
  if (job === undefined || endedAt === undefined) return false;
  if (job.status !== 'completed' && job.status !== 'failed') return false;
  return job.error?.code !== 'cancelled' && (entry.seenAt ?? 0) < endedAt;
}

/** Codes of problems that another key may solve. */
const keyProblems: ReadonlySet<string> = new Set([
  'invalid_key',
  'key_missing',
  'key_gone',
  'unauthorized',
  'forbidden',
]);

/** The services that a person may have to give another key. Never the local one: its key is made for it. */
export function servicesWithRefusedKey(entries: readonly JobEntry[]): ReadonlySet<ServiceId> {
  const refused = entries.filter(
    (entry) =>
      entry.service !== localServiceId && isWatched(entry) && keyProblems.has(entry.problem?.code ?? ''),
  );
  return new Set(refused.map(({ service }) => service));
}
