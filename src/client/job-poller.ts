import { hasEnded, isKnownStatus, type ReceivedJob } from '../contract/job.ts';
import { ApiError } from './api-error.ts';
import {
  backOffMs,
  longestRetryAfterMs,
  lookLimitMs,
  maxLooksAtOnce,
  notYetMs,
  paceOf,
  pauseMs,
  shaken,
} from './polling-policy.ts';
import { redactorOf, withoutSecrets } from './secrets.ts';

/** Time as the poller sees it. `setTimeout` answers what `clearTimeout` takes. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** One active job. */
export interface PollTarget {
  /** Names the job among all services and projects. */
  readonly key: string;
  /** What `Retry-After` and a refused key hold for: the service (with its key) that the job is at. */
  readonly origin: string;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly createdAt: number;
  /** When the last follow-up was sent, which starts the pace anew; absent: `createdAt`. */
  readonly activeSince?: number;
  /**
   * Looks once. Rejects with an `ApiError`, also when there is no key to send (`key_missing`). A function,
   * because the service may have to be found or started again at each look.
   */
  fetchJob(signal: AbortSignal): Promise<ReceivedJob>;
}

/** What a poller tells. Calls come one after the other, never while a method of the poller runs. */
export interface PollListener {
  /** The state as it came, changed or not. A job that has ended is no longer tracked. */
  onJob(key: string, job: ReceivedJob): void;
  /** A look failed; the last state stays, and the next look is planned. */
  onProblem(key: string, error: ApiError): void;
  /** The service does not know the job (any more). It is no longer tracked. */
  onGone(key: string, error: ApiError): void;
  /** The key was refused: nothing at this origin is looked at until `resume`. Told once per refusal. */
  onStopped(origin: string, error: ApiError): void;
}

interface Tracked {
  readonly target: PollTarget;
  /** From when on the age counts, never in the future: clocks of machines differ. */
  readonly since: number;
  readonly createdAt: number;
  /** The last look's end, or `since` before the first look. */
  lookedAt: number;
  /** From `lookedAt` to the next look, jitter included: by the pace of a focused window. */
  pauseMs: number;
  /** Failed looks in a row. */
  failures: number;
  /** A person wants to see it now. */
  wanted: boolean;
  look: AbortController | undefined;
}

interface Origin {
  stopped: boolean;
  /** Counts resumptions, so that a refusal of the key before the last one does not stop the new key. */
  epoch: number;
  /** Milliseconds since the epoch, by `Retry-After`. */
  silentUntil: number;
}

/**
 * Looks at active jobs, no oftener than needed (see `polling-policy.ts`), and tells a listener what it
 * saw. Knows neither where jobs are kept nor who shows them. Without an active job there is no timer.
 */
export class JobPoller {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #listener: PollListener;
  readonly #tracked = new Map<string, Tracked>();
  readonly #origins = new Map<string, Origin>();
  #looking = 0;
  #focused: boolean;
  #timer: unknown;
  #disposed = false;

  constructor(options: {
    readonly clock: Clock;
    /** As `Math.random`. */
    readonly random: () => number;
    readonly listener: PollListener;
    readonly focused: boolean;
  }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#listener = options.listener;
    this.#focused = options.focused;
  }

  /** Begins to look at a job, at once when it is older than the first pause. Replaces a target of that key. */
  track(target: PollTarget): void {
    if (this.#disposed) return;
    this.untrack(target.key);
    const now = this.#clock.now();
    const since = Math.min(target.activeSince ?? target.createdAt, now);
    this.#tracked.set(target.key, {
      target,
      since,
      createdAt: Math.min(target.createdAt, now),
      lookedAt: since,
      pauseMs: shaken(pauseMs(0, true), this.#random()),
      failures: 0,
      wanted: false,
      look: undefined,
    });
    this.#plan();
  }

  /** Stops looking at a job. A look under way is aborted and tells nothing. */
  untrack(key: string): void {
    const tracked = this.#tracked.get(key);
    if (tracked === undefined) return;
    this.#tracked.delete(key);
    tracked.look?.abort();
    this.#plan();
  }

  /** The keys that are tracked, in no certain order. */
  get keys(): string[] {
    return [...this.#tracked.keys()];
  }

  /** A window that gets the focus sees at once what is overdue by the quicker pace. */
  setFocused(focused: boolean): void {
    this.#focused = focused;
    this.#plan();
  }

  /**
   * A person's wish to see one job, or all, now: passes over pauses and over a refused key, not over
   * `Retry-After`. During a look it means one more look afterwards.
   */
  checkNow(key?: string): void {
    for (const tracked of this.#tracked.values()) {
      if (key !== undefined && tracked.target.key !== key) continue;
      tracked.wanted = true;
      this.#start(tracked.target.origin);
    }
    this.#plan();
  }

  /** The key of this origin was changed, or shall be tried again. */
  resume(origin: string): void {
    this.#start(origin);
    for (const tracked of this.#tracked.values()) {
      if (tracked.target.origin === origin) tracked.wanted = true;
    }
    this.#plan();
  }

  /** Ends all looks and the timer. Nothing is told afterwards. */
  dispose(): void {
    this.#disposed = true;
    for (const tracked of this.#tracked.values()) tracked.look?.abort();
    this.#tracked.clear();
    this.#origins.clear();
    this.#plan();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #origin(name: string): Origin {
    let origin = this.#origins.get(name);
    if (origin === undefined) {
      origin = { stopped: false, epoch: 0, silentUntil: 0 };
      this.#origins.set(name, origin);
    }
    return origin;
  }

  #start(name: string): void {
    const origin = this.#origin(name);
    origin.stopped = false;
    origin.epoch += 1;
  }

  /** Begins the looks that are due and sets the one timer for the next one. */
  #plan(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const tracked of this.#tracked.values()) {
      // A clock that was set back would keep a job unseen until it has caught up.
      tracked.lookedAt = Math.min(tracked.lookedAt, now);
    }
    const waiting = [...this.#tracked.values()]
      .filter((tracked) => tracked.look === undefined && !this.#origin(tracked.target.origin).stopped)
      .map((tracked) => ({ tracked, due: this.#due(tracked) }))
      .toSorted((a, b) => a.due - b.due);
    for (const { tracked, due } of waiting) {
      // A free place is noticed by the end of a look, which plans again.
      if (this.#looking >= maxLooksAtOnce) return;
      if (due > now) {
        this.#timer = this.#clock.setTimeout(() => this.#plan(), Math.ceil(due - now));
        return;
      }
      void this.#look(tracked);
    }
  }

  #due(tracked: Tracked): number {
    const { silentUntil } = this.#origin(tracked.target.origin);
    if (tracked.wanted) return silentUntil;
    return Math.max(tracked.lookedAt + paceOf(tracked.pauseMs, this.#focused), silentUntil);
  }

  async #look(tracked: Tracked): Promise<void> {
    const { target } = tracked;
    const { epoch } = this.#origin(target.origin);
    const beganAt = this.#clock.now();
    const look = new AbortController();
    tracked.look = look;
    tracked.wanted = false;
    this.#looking += 1;
    const seen = await this.#limited(target, look);
    this.#looking -= 1;
    tracked.look = undefined;
    if (this.#disposed) return;
    try {
      // Untracked or replaced meanwhile: what was seen is of no interest any more.
      if (this.#tracked.get(target.key) === tracked) {
        if (seen.kind === 'job') this.#onJob(tracked, seen.job);
        else this.#onError(tracked, seen.error, { beganAt, epoch });
      }
    } finally {
      this.#plan();
    }
  }

  #onJob(tracked: Tracked, job: ReceivedJob): void {
    const now = this.#clock.now();
    tracked.lookedAt = now;
    tracked.failures = 0;
    tracked.pauseMs = shaken(pauseMs(now - tracked.since, isKnownStatus(job.status)), this.#random());
    if (hasEnded(job.status)) this.#tracked.delete(tracked.target.key);
    this.#listener.onJob(tracked.target.key, job);
  }

  #onError(tracked: Tracked, error: ApiError, look: { beganAt: number; epoch: number }): void {
    const { key, origin: name } = tracked.target;
    const now = this.#clock.now();
    const origin = this.#origin(name);
    tracked.lookedAt = now;
    if (error.code === 'not_found') {
      if (look.beganAt - tracked.createdAt < notYetMs) {
        tracked.failures = 0;
        tracked.pauseMs = shaken(pauseMs(now - tracked.since, true), this.#random());
        return;
      }
      this.#tracked.delete(key);
      this.#listener.onGone(key, error);
      return;
    }
    tracked.failures += 1;
    tracked.pauseMs = shaken(backOffMs(tracked.failures, now - tracked.since), this.#random());
    if (error.retryAfterMs !== undefined) {
      const silence = Math.min(error.retryAfterMs, longestRetryAfterMs);
      origin.silentUntil = Math.max(origin.silentUntil, now + silence);
    }
    const stops = error.concernsKey && look.epoch === origin.epoch && !origin.stopped;
    if (stops) origin.stopped = true;
    this.#listener.onProblem(key, error);
    if (stops && !this.#disposed) this.#listener.onStopped(name, error);
  }

  /** One look that surely ends: at its limit, or at once when it is aborted, whatever `fetchJob` does. */
  async #limited(target: PollTarget, look: AbortController): Promise<Seen> {
    let timedOut = false;
    const limit = this.#clock.setTimeout(() => {
      timedOut = true;
      look.abort();
    }, lookLimitMs);
    const aborted = Promise.withResolvers<Seen>();
    look.signal.addEventListener('abort', () => {
      const error = timedOut
        ? new ApiError('timeout', 'The service did not answer in time. Try again later.', { retryable: true })
        : new ApiError('cancelled', 'The request was cancelled.');
      aborted.resolve({ kind: 'error', error });
    });
    // Not within the call that planned it: what `fetchJob` does at once may change what is tracked.
    const answered = Promise.resolve()
      .then(async () => target.fetchJob(look.signal))
      .then(
        (job): Seen => ({ kind: 'job', job }),
        (error: unknown): Seen => ({ kind: 'error', error: asApiError(error) }),
      );
    try {
      return await Promise.race([answered, aborted.promise]);
    } finally {
      this.#clock.clearTimeout(limit);
    }
  }
}

type Seen =
  | { readonly kind: 'job'; readonly job: ReceivedJob }
  | { readonly kind: 'error'; readonly error: ApiError };

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('unreachable', 'The job could not be looked at. The log holds the details.', {
    retryable: true,
    cause: withoutSecrets(error, redactorOf([])),
  });
}
