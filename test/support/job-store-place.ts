import assert from 'node:assert/strict';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Job } from '../../src/service/job.ts';
import type { Claim, JobStore, Stored } from '../../src/service/ports/job-store.ts';

/** One place where jobs are kept, with as many clients as a test wants. Disposing removes it. */
export interface JobStorePlace extends AsyncDisposable {
  /** Another client of the same place, as another process would have it. Disposed by the place. */
  client(): Promise<JobStore>;
  /** Lets milliseconds pass for every client. */
  pass(ms: number): void;
  /**
   * A child process that creates jobs of project `docs` one after another, with their numbers 0, 1, … as
   * prompts, and prints each number on a line of its own once the store has acknowledged it.
   */
  spawnCreator(): ChildProcessByStdio<null, Readable, null>;
}

export const lease = 60_000;
export const failure = { code: 'agent_failed', message: 'It broke.', retryable: false } as const;

export function storedJob(stored: Stored | { kind: 'archived' } | undefined): Job {
  assert.ok(stored !== undefined && 'job' in stored, `not stored: ${JSON.stringify(stored)}`);
  return stored.job;
}

export async function claimed(store: JobStore, worker = 'one'): Promise<Claim> {
  const claim = await store.claim(worker, lease);
  assert.ok(claim, 'there is nothing to claim');
  return claim;
}

export async function complete(store: JobStore, claim: Claim, summary = 'Done.'): Promise<boolean> {
  return store.finish(claim, { status: 'completed', summary, model: 'rules' });
}

/** What each part of the suite gets for each test. */
export type GetPlace = () => { readonly place: JobStorePlace; readonly store: JobStore };
