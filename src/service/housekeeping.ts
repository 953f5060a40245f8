import { defaultRetention } from './limits.ts';
import type { JobStore } from './ports/job-store.ts';
import type { Log } from './ports/log.ts';

export interface HousekeepingDeps {
  readonly store: Pick<JobStore, 'forget'>;
  /** `cleanUp` removes mirrors and workspaces that nobody needs any more. */
  readonly workspaces: { cleanUp(): Promise<void> };
  readonly log: Log;
}

/** Removes what earlier processes have left and what is old. Nobody waits for it, and its failure stops nothing. */
export async function keepHouse({ store, workspaces, log }: HousekeepingDeps): Promise<void> {
  try {
    const forgotten = await store.forget(defaultRetention);
    if (forgotten.jobs + forgotten.events > 0) log.info('Removed old jobs', { ...forgotten });
  } catch (error) {
    log.warn('Old jobs were not removed', { error });
  }
  try {
    await workspaces.cleanUp();
  } catch (error) {
    log.warn('The cache was not cleaned', { error });
  }
}
