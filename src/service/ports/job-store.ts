import type { JobEvent, EventType } from '../../contract/events.ts';
import type { JobError, JobStatus } from '../../contract/job.ts';
import type { Job, JobMessage, JobWork } from '../job.ts';

export interface NewJob extends Pick<
  Job,
  'id' | 'projectId' | 'title' | 'prompt' | 'agent' | 'model' | 'repository'
> {}

/** Makes a repeated request find its first answer. `fingerprint` tells whether the body was the same. */
export interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

/** At most so many creates, or so many follow-ups, of one project in the last `withinMs` milliseconds. */
export interface Quota {
  readonly most: number;
  readonly withinMs: number;
}

/** A worker's hold on one job, for one of its messages. It is lost when another claim has begun. */
export interface Claim {
  readonly job: Job;
  /** Counts the claims of this job over its whole life: what tells a late worker from the present one. */
  readonly number: number;
  /** Which attempt at {@link message} this is, from 1. */
  readonly attempt: number;
  /** What is to be done now: the oldest message that is not settled. */
  readonly message: JobMessage;
  /** The settled messages, oldest first. One without a summary had failed. */
  readonly earlier: readonly JobMessage[];
}

export type Outcome =
  | { readonly status: 'completed'; readonly summary: string; readonly model: string }
  | { readonly status: 'failed'; readonly error: JobError };

/**
 * `replayed`: an earlier request with the same key; `conflict`: the same key with another body;
 * `over_quota`: `retryAfterMs` milliseconds from now one more fits. A replay is never over the quota.
 */
export type Stored =
  | { readonly kind: 'stored' | 'replayed'; readonly job: Job }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'over_quota'; readonly retryAfterMs: number };

export interface Release {
  /** Milliseconds from now until the next claim; absent: at once. */
  readonly delayMs?: number;
  /** The attempt was not the job's fault, for example because the service stops. */
  readonly uncounted?: boolean;
}

/** How much of the past is kept. */
export interface Retention {
  /** Milliseconds since its last change within which nothing of a job is removed. */
  readonly keptMs: number;
  /** Jobs of one project that stay however old they are: the newest ones. */
  readonly jobsPerProject: number;
}

/** What {@link JobStore.forget} has removed. */
export interface Forgotten {
  readonly jobs: number;
  readonly events: number;
}

/**
 * Keeps jobs durably. What a method has answered survives the death of the process. Every write of a
 * claim is refused (false) once the claim is lost, so a late worker cannot overwrite a newer one.
 * `created`, `message`, `claimed`, `completed`, `failed`, `cancelled` and `archived` events are written
 * together with the change that they tell.
 */
export interface JobStore extends AsyncDisposable {
  create(job: NewJob, idempotency?: Idempotency, quota?: Quota): Promise<Stored>;
  get(projectId: string, id: string): Promise<Job | undefined>;
  /** Newest first. `cursor` is the one of the page before; an unknown one answers an empty page. */
  list(
    projectId: string,
    query: { limit: number; cursor?: string; status?: JobStatus },
  ): Promise<{ jobs: Job[]; cursor: string | undefined }>;
  /** Makes an ended job active again. Undefined: no such job. An archived one is not reopened: `archived`. */
  addMessage(
    projectId: string,
    id: string,
    prompt: string,
    idempotency?: Idempotency,
    quota?: Quota,
  ): Promise<Stored | { kind: 'archived' } | undefined>;
  /** False when it has already ended. A running attempt learns it from its next heartbeat. */
  cancel(projectId: string, id: string, error: JobError): Promise<boolean>;
  /** False while it is active. Archiving twice keeps the first time. */
  archive(projectId: string, id: string): Promise<boolean>;

  /** The oldest active job that nobody holds, or whose holder's lease ran out. */
  claim(worker: string, leaseMs: number): Promise<Claim | undefined>;
  heartbeat(claim: Claim, leaseMs: number): Promise<boolean>;
  /** `work` replaces what was there. */
  record(
    claim: Claim,
    change: { step?: string; model?: string; repository?: string; work?: JobWork },
  ): Promise<boolean>;
  addEvent(claim: Claim, type: EventType, message: string): Promise<boolean>;
  /** Settles the claim's message. Another unsettled one keeps the job active and claimable. */
  finish(claim: Claim, outcome: Outcome): Promise<boolean>;
  /** Gives the job back. */
  release(claim: Claim, options?: Release): Promise<boolean>;
  /**
   * Ends every lease, so that the jobs of a process that was killed are taken over at once. Only for a
   * process that knows itself to be the only one. Answers how many there were.
   */
  endLeases(): Promise<number>;

  /**
   * Removes what nobody looks at any more. Of jobs that rest since `keptMs`: all events but the last, so
   * that their numbers go on, and the whole job with its messages and its closed or merged reviews when
   * `jobsPerProject` newer ones are there. Never touches an active job, nor one with an open review. Commits and
   * branches are not the store's, so no work is lost with a job.
   */
  forget(retention: Retention): Promise<Forgotten>;

  /** In order, after event `after`. */
  events(jobId: string, after: number, limit: number): Promise<JobEvent[]>;
  /** Active jobs, held or waiting. Zero means that the service is idle. */
  activeCount(): Promise<number>;
  /** Calls back when a job may have become claimable, in another process too. Returns the end of it. */
  onWork(listener: () => void): Disposable;
}
