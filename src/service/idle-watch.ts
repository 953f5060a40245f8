export interface IdleWatchOptions {
  /** Milliseconds without a request and without an active job after which the service is idle. */
  readonly idleMs: number;
  /** True while jobs are active. */
  readonly isBusy: () => Promise<boolean>;
  /** Called once. Nothing was held when it is called. */
  readonly onIdle: () => void;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

/**
 * Notices when nobody needs the service any more. A request holds it while it is answered; jobs are asked
 * for when the time is up, because they may also come to life in the store.
 */
export class IdleWatch implements Disposable {
  readonly #options: IdleWatchOptions;
  readonly #now: () => number;
  #holds = 0;
  #lastUse: number;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** Starts to count at once. */
  constructor(options: IdleWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#lastUse = this.#now();
    this.#arm();
  }

  /** The service is in use until the answer is disposed; disposing twice counts once. */
  hold(): Disposable {
    this.#holds++;
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        this.#holds--;
        this.#lastUse = this.#now();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.#ended) return;
    const left = this.#lastUse + this.#options.idleMs - this.#now();
    // At least a tick: a hold or a job may last long after the time was up.
    const wait = Math.max(left, this.#options.idleMs / 10, 10);
    // A timer longer than its 31 bits would fire at once.
    this.#timer = setTimeout(() => void this.#look(), Math.min(wait, 2 ** 31 - 1));
  }

  async #look(): Promise<void> {
    // A store that cannot tell is no reason to end with jobs in it.
    const busy = await this.#options.isBusy().catch(() => true);
    if (this.#ended) return;
    // Nothing can begin between this line and `onIdle`.
    if (busy || this.#holds > 0) this.#lastUse = this.#now();
    if (this.#now() - this.#lastUse < this.#options.idleMs) {
      this.#arm();
      return;
    }
    this.#ended = true;
    this.#options.onIdle();
  }
}
