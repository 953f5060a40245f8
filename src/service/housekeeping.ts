import { type Clock, systemClock } from './clock.ts';
import { defaultRetention } from './limits.ts';
import type { JobStore } from './ports/job-store.ts';
import type { Log } from './ports/log.ts';

/** The service of a team runs for months. */
const everyMs = 24 * 60 * 60 * 1000;

export interface HousekeepingDeps {
  readonly store: Pick<JobStore, 'forget'>;
  /** `cleanUp` removes mirrors and workspaces that nobody needs any more. */
  readonly workspaces: { cleanUp(): Promise<void> };
  readonly log: Log;
  readonly clock?: Clock;
}

/**
 * Removes what earlier processes have left and what is old, now and once a day. Nobody waits for it, and its failure
 * stops nothing. Disposing ends the waiting for the next day.
 */
export function keepHouse(deps: HousekeepingDeps): Disposable {
  const { clock = systemClock } = deps;
  let ended = false;
  let timer: unknown;
  const run = async (): Promise<void> => {
    await tidyUp(deps);
    if (!ended) timer = clock.setTimeout(() => void run(), everyMs);
  };
  void run();
  return {
    [Symbol.dispose]: () => {
      ended = true;
      clock.clearTimeout(timer);
    },
  };
}

async function tidyUp({ store, workspaces, log }: HousekeepingDeps): Promise<void> {
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
