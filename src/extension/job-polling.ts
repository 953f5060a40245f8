import { ApiError } from '../client/api-error.ts';
import { JobPoller, type Clock } from '../client/job-poller.ts';
import type { ReceivedJob } from '../contract/job.ts';
import { withJob, withProblem } from './entry-changes.ts';
import { entryKey } from './job-entry.ts';
import type { JobEntry, ServiceId } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import { isWatched } from './job-state.ts';
import { heartbeatMs } from './poll-lease.ts';
import { UserError } from './user-error.ts';

export interface JobPollingOptions {
  readonly model: JobModel;
  /** A `PollLease`, or a fake in tests. */
  readonly lease: { hold(): Promise<boolean>; release(): Promise<void> };
  /** Asks the entry's service, never what happens to be open. Rejects with an `ApiError` or a `UserError`. */
  readonly look: (entry: JobEntry, signal: AbortSignal) => Promise<ReceivedJob>;
  /**
   * Whether this window may look at such a job by itself. One in Restricted Mode leaves the local service's
   * jobs, and the lease, to windows that may start that service.
   */
  readonly mayLook: (entry: JobEntry) => boolean;
  readonly clock: Clock;
  /** As `Math.random`. */
  readonly random: () => number;
  readonly focused: boolean;
  /** A service refused the key or there is none; its jobs rest until {@link JobPolling.resume}. */
  readonly onKeyRefused: (service: ServiceId, error: ApiError) => void;
  /** For the log. */
  readonly onTrouble: (message: string, error: unknown) => void;
}

/**
 * Keeps the model up to date. Of all windows the one with the lease asks the services; the others hear
 * of it through the ledger. Without a job that can change there is no timer, no lease and no request.
 */
export class JobPolling {
  readonly #options: JobPollingOptions;
  readonly #poller: JobPoller;
  readonly #subscription: { dispose(): void };
  /** Keys that a person wants to see now, which needs no lease. */
  readonly #wanted = new Set<string>();
  #holds = false;
  #holding: Promise<void> | undefined;
  #heartbeat: unknown;
  #disposed = false;

  /** Begins at once when the model has jobs that can change. */
  constructor(options: JobPollingOptions) {
    this.#options = options;
    const { clock, random, focused, onKeyRefused } = options;
    this.#poller = new JobPoller({
      clock,
      random,
      focused,
      listener: {
        onJob: (key, job) => this.#tell(key, (entry) => withJob(entry, job, clock.now())),
        onProblem: (key, error) => this.#tell(key, (entry) => this.#failed(entry, error)),
        onGone: (key, error) => this.#tell(key, (entry) => this.#failed(entry, error)),
        onStopped: onKeyRefused,
      },
    });
    this.#subscription = options.model.onDidChange(() => this.#plan());
    this.#plan();
  }

  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  /** Looks at one job, whatever its state, or at all that can change. Works in every window. */
  checkNow(key?: string): void {
    for (const entry of this.#options.model.entries) {
      const own = entryKey(entry);
      if (entry.job !== undefined && (key === undefined ? isWatched(entry) : key === own))
        this.#wanted.add(own);
    }
    this.#track();
    for (const wanted of this.#wanted) this.#poller.checkNow(wanted);
  }

  /** What {@link JobPollingOptions.mayLook} answers has changed. */
  replan(): void {
    this.#plan();
  }

  /** The key of this service changed. Call it in every window, as each hears of changed secrets. */
  resume(service: ServiceId): void {
    this.#poller.resume(service);
  }

  /** Ends looks and timers at once; the promise is that of the lease given back. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#subscription.dispose();
    this.#poller.dispose();
    this.#options.clock.clearTimeout(this.#heartbeat);
    await this.#holding;
    await this.#giveBack();
  }

  #failed(entry: JobEntry, error: ApiError): JobEntry {
    return withProblem(entry, { code: error.code, message: error.message, at: this.#options.clock.now() });
  }

  #tell(key: string, transition: (entry: JobEntry) => JobEntry): void {
    this.#wanted.delete(key);
    this.#options.model.update(key, transition).catch((error: unknown) => {
      this.#options.onTrouble('A job could not be written to the ledger.', error);
    });
    this.#track();
  }

  get #needed(): boolean {
    return this.#options.model.entries.some((entry) => this.#watches(entry));
  }

  #watches(entry: JobEntry): boolean {
    return isWatched(entry) && this.#options.mayLook(entry);
  }

  #plan(): void {
    if (this.#disposed) return;
    this.#track();
    if (this.#holding !== undefined) return;
    if (this.#needed && this.#heartbeat === undefined) this.#holding = this.#hold();
    else if (!this.#needed && (this.#holds || this.#heartbeat !== undefined)) this.#holding = this.#rest();
  }

  async #hold(): Promise<void> {
    try {
      this.#holds = await this.#options.lease.hold();
    } catch (error) {
      this.#holds = false;
      this.#options.onTrouble('The lease for looking at jobs could not be read.', error);
    }
    this.#holding = undefined;
    if (this.#disposed) return;
    this.#track();
    this.#heartbeat = this.#options.clock.setTimeout(() => {
      this.#heartbeat = undefined;
      this.#plan();
    }, heartbeatMs);
    this.#plan();
  }

  async #rest(): Promise<void> {
    this.#options.clock.clearTimeout(this.#heartbeat);
    this.#heartbeat = undefined;
    await this.#giveBack();
    this.#holding = undefined;
    // A job may have come while the lease was given back.
    this.#plan();
  }

  async #giveBack(): Promise<void> {
    this.#holds = false;
    try {
      await this.#options.lease.release();
    } catch (error) {
      this.#options.onTrouble('The lease for looking at jobs could not be given back.', error);
    }
  }

  /** Makes the poller look at what it should, and at nothing else. */
  #track(): void {
    if (this.#disposed) return;
    const entries = new Map(this.#options.model.entries.map((entry) => [entryKey(entry), entry]));
    for (const key of this.#wanted) if (!entries.has(key)) this.#wanted.delete(key);
    const tracked = new Set(this.#poller.keys);
    for (const key of tracked) {
      const entry = entries.get(key);
      if (entry === undefined || !this.#concerns(key, entry)) this.#poller.untrack(key);
    }
    for (const [key, entry] of entries) {
      if (tracked.has(key) || !this.#concerns(key, entry)) continue;
      this.#poller.track({
        key,
        origin: entry.service,
        createdAt: entry.createdAt,
        // Active again after an end: a follow-up was sent.
        ...(entry.endedAt !== undefined && entry.checkedAt !== undefined
          ? { activeSince: entry.checkedAt }
          : undefined),
        fetchJob: async (signal) => this.#look(entry, signal),
      });
    }
  }

  #concerns(key: string, entry: JobEntry): boolean {
    return this.#wanted.has(key) || (this.#holds && this.#watches(entry));
  }

  async #look(entry: JobEntry, signal: AbortSignal): Promise<ReceivedJob> {
    try {
      return await this.#options.look(entry, signal);
    } catch (error) {
      throw error instanceof UserError ? asApiError(error) : error;
    }
  }
}

/** What was in the way before a request could be made: its sentence is what the writer should read. */
function asApiError(error: UserError): ApiError {
  const code = error.code === 'key_missing' || error.code === 'key_gone' ? error.code : 'unreachable';
  return new ApiError(code, error.message, { retryable: code === 'unreachable', cause: error });
}
