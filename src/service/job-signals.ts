import { EventEmitter } from 'node:events';

/**
 * Nudges inside one process: something about a job can be read anew from the store. A missed nudge is
 * no loss, because whoever waits also looks by itself.
 */
export class JobSignals {
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #cancelled = new EventEmitter().setMaxListeners(0);

  changed(jobId: string): void {
    this.#changed.emit(jobId);
  }

  cancelled(jobId: string): void {
    this.#cancelled.emit('job', jobId);
  }

  onCancelled(listener: (jobId: string) => void): Disposable {
    this.#cancelled.on('job', listener);
    return { [Symbol.dispose]: () => void this.#cancelled.off('job', listener) };
  }

  /** Listens from now on, so that a change between reading and waiting is not missed. */
  watch(jobId: string): JobWatch {
    return new JobWatch(this.#changed, jobId);
  }
}

/** One reader's ear on one job. */
export class JobWatch implements Disposable {
  readonly #emitter: EventEmitter;
  readonly #jobId: string;
  #pending = false;
  #wake: (() => void) | undefined;

  constructor(emitter: EventEmitter, jobId: string) {
    this.#emitter = emitter;
    this.#jobId = jobId;
    emitter.on(jobId, this.#hear);
  }

  readonly #hear = (): void => {
    this.#pending = true;
    this.#wake?.();
  };

  /** Resolves at the next change, at one since the last wait, after `ms` milliseconds, or when `signal` fires. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#pending && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          this.#wake = undefined;
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end);
        this.#wake = end;
      });
    }
    this.#pending = false;
  }

  [Symbol.dispose](): void {
    this.#emitter.off(this.#jobId, this.#hear);
  }
}
