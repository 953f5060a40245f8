import type { Clock } from '../client/job-poller.ts';
import { entryKey } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import { isUnseen } from './job-state.ts';
import type { ClaimPurpose } from './ledger.ts';

/** Ends within this time, in milliseconds, are told as one. */
const gatherMs = 5000;

export interface EndedJobsOptions {
  readonly model: JobModel;
  /** True for one window, once; see `Ledger.claim`. */
  readonly claim: (key: string, purpose: ClaimPurpose) => Promise<boolean>;
  /** How long this window leaves a job to a window that it concerns more, in milliseconds. */
  readonly standBackMs: (entry: JobEntry) => number;
  readonly clock: Clock;
  /** Told what ended together and is this window's to announce. */
  readonly announce: (ended: readonly JobEntry[]) => void;
}

/**
 * Gathers jobs that were seen to end and hands each to exactly one window. Nobody waits without need:
 * when no other job runs, there is nothing to gather.
 */
export class EndedJobs {
  readonly #options: EndedJobsOptions;
  readonly #subscription: { dispose(): void };
  readonly #gathered = new Map<string, JobEntry>();
  readonly #timers = new Set<unknown>();
  #gathering: unknown;
  #disposed = false;

  constructor(options: EndedJobsOptions) {
    this.#options = options;
    this.#subscription = options.model.onDidChange((changes) => {
      for (const { key, after, ended } of changes) {
        if (ended && after !== undefined) this.#gathered.set(key, after);
        // Removed, looked at, or active again by a follow-up, before it was told.
        else if (after === undefined || !isUnseen(after)) this.#gathered.delete(key);
      }
      this.#plan();
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.#subscription.dispose();
    this.#options.clock.clearTimeout(this.#gathering);
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
  }

  #plan(): void {
    if (this.#gathered.size === 0) return;
    if (this.#options.model.counts.running === 0) this.#flush();
    else this.#gathering ??= this.#options.clock.setTimeout(() => this.#flush(), gatherMs);
  }

  #flush(): void {
    if (this.#gathering !== undefined) this.#options.clock.clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const byPause = Map.groupBy(this.#gathered.values(), (entry) => this.#options.standBackMs(entry));
    this.#gathered.clear();
    for (const [ms, entries] of byPause) {
      if (ms === 0) {
        void this.#announce(entries);
        continue;
      }
      const timer = this.#options.clock.setTimeout(() => {
        this.#timers.delete(timer);
        void this.#announce(entries);
      }, ms);
      this.#timers.add(timer);
    }
  }

  async #announce(entries: readonly JobEntry[]): Promise<void> {
    const { claim, model, announce } = this.#options;
    const claimed = await Promise.all(
      entries.map(async (entry) => claim(entryKey(entry), `announced-${entry.endedAt ?? 0}`)),
    );
    if (this.#disposed) return;
    const own = entries.filter((entry, index) => claimed[index] && model.get(entryKey(entry)) !== undefined);
    if (own.length > 0) announce(own);
  }
}
