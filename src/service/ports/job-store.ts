import type { JobEvent, EventType } from '../../contract/events.ts';
import type { JobError, JobStatus } from '../../contract/job.ts';
import type { Job, JobMessage, JobWork } from '../job.ts';

export interface NewJob extends Pick<Job, 'id' | 'projectId' | 'title' | 'prompt' | 'model' | 'repository'> {}

/** Makes a repeated request find its first answer. `fingerprint` tells whether the body was the same. */
export interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

/** A worker's hold on one job. It is lost when another attempt has begun. */
export interface Claim {
  readonly job: Job;
  readonly attempt: number;
  /** All messages; those without a summary are still to be done. */
  readonly messages: readonly JobMessage[];
}

export type Outcome =
  | { readonly status: 'completed'; readonly summary: string; readonly model: string }
  | { readonly status: 'failed'; readonly error: JobError };

/** `replayed`: an earlier request with the same key; `conflict`: the same key with another body. */
export type Stored =
  | { readonly kind: 'stored' | 'replayed'; readonly job: Job }
  | { readonly kind: 'conflict' };

/**
 * Keeps jobs durably. What a method has answered survives the death of the process. Every write of a
 * claim is refused (false) once the claim is lost, so a late worker cannot overwrite a newer attempt.
 */
export interface JobStore extends AsyncDisposable {
  create(job: NewJob, idempotency?: Idempotency): Promise<Stored>;
  get(projectId: string, id: string): Promise<Job | undefined>;
  /** Newest first. `before` is the `cursor` of the page before. */
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
  ): Promise<Stored | { kind: 'archived' } | undefined>;
  /** False when it has already ended. A running attempt learns it from its next heartbeat. */
  cancel(projectId: string, id: string, error: JobError): Promise<boolean>;
  /** False while it is active. Archiving twice keeps the first time. */
  archive(projectId: string, id: string): Promise<boolean>;

  /** The oldest active job that nobody holds, or whose holder's lease ran out. */
  claim(worker: string, leaseMs: number): Promise<Claim | undefined>;
  heartbeat(claim: Claim, leaseMs: number): Promise<boolean>;
  record(claim: Claim, change: { step?: string; model?: string; work?: JobWork }): Promise<boolean>;
  /** Ends the attempt. A message that came meanwhile keeps the job active and claimable. */
  finish(claim: Claim, outcome: Outcome): Promise<boolean>;
  /** Gives the job back; `notBefore` (milliseconds since the epoch) delays the next claim. */
  release(claim: Claim, notBefore?: number): Promise<boolean>;

  addEvent(jobId: string, type: EventType, message: string): Promise<JobEvent>;
  /** In order, after event `after`. */
  events(jobId: string, after: number, limit: number): Promise<JobEvent[]>;
  /** Active jobs, held or waiting. Zero means that the service is idle. */
  activeCount(): Promise<number>;
  /** Calls back when a job may have become claimable in another process too. Returns the end of it. */
  onWork(listener: () => void): Disposable;
}
