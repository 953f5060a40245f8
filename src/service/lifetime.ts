import { IdleWatch } from './idle-watch.ts';

export interface LifetimeOptions {
  /** Milliseconds without a request and without an active job after which the service ends itself. */
  readonly idleMs: number;
  /** True while jobs are active. */
  readonly isBusy: () => Promise<boolean>;
}

/**
 * From start to end of one service process. It ends for idleness or on request, in two speeds: the first
 * request lets running jobs come to their end, the second breaks them off; then they are given back and
 * go on in the next process.
 */
export class Lifetime implements Disposable {
  readonly #isBusy: () => Promise<boolean>;
  readonly #stopping = new AbortController();
  readonly #hurrying = new AbortController();
  readonly #idle: IdleWatch;

  constructor({ idleMs, isBusy }: LifetimeOptions) {
    this.#isBusy = isBusy;
    this.#idle = new IdleWatch({ idleMs, isBusy, onIdle: () => this.#stopping.abort() });
  }

  /** Fires at the first request: no new work is taken. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Asks to stop; asked once more, in a hurry. */
  readonly requestStop = (): void => {
    if (this.#stopping.signal.aborted) this.#hurrying.abort();
    else this.#stopping.abort();
  };

  /** Begins to stop when no job is active; false when one is. */
  async stopWhenIdle(): Promise<boolean> {
    if (await this.#isBusy()) return false;
    this.#stopping.abort();
    return true;
  }

  /** Keeps the service from ending for idleness until the answer is disposed. */
  hold(): Disposable {
    return this.#idle.hold();
  }

  /** Resolves once the service is to stop, for whatever reason. */
  over(): Promise<void> {
    return fired(this.#stopping.signal);
  }

  /** Resolves at the second request to stop. */
  hurried(): Promise<void> {
    return fired(this.#hurrying.signal);
  }

  [Symbol.dispose](): void {
    this.#idle[Symbol.dispose]();
  }
}

async function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
