import type { Clock } from '../../src/service/clock.ts';

/** Timers from here on are time-outs: they fire when a test says so. In milliseconds. */
const timeout = 1_000_000_000;

/** Time-outs of one request that only {@link QuickClock.expire} ends. */
export const patientTimes = { firstMs: timeout, idleMs: timeout + 1, wholeMs: timeout + 2 };

/** A clock on which every pause is over at once and is written down. */
export class QuickClock implements Clock {
  readonly pauses: number[] = [];
  #now = Date.UTC(2026, 0, 1);
  #next = 1;
  readonly #awaited = new Map<number, PromiseWithResolvers<void>>();
  readonly #timeouts = new Map<number, { ms: number; callback: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    if (ms >= timeout) {
      this.#timeouts.set(this.#next, { ms, callback });
      this.#awaited.get(ms)?.resolve();
      return this.#next++;
    }
    this.pauses.push(ms);
    this.#now += ms;
    return setImmediate(callback);
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'number') this.#timeouts.delete(handle);
    else clearImmediate(handle as NodeJS.Immediate);
  }

  /** When the time-out of this length is running, now or from now on. */
  async waitsFor(ms: number): Promise<void> {
    if ([...this.#timeouts.values()].some((timer) => timer.ms === ms)) return;
    const running = Promise.withResolvers<void>();
    this.#awaited.set(ms, running);
    await running.promise;
  }

  /** The time-out of this length runs out. */
  expire(ms: number): void {
    for (const [handle, timer] of this.#timeouts) {
      if (timer.ms !== ms) continue;
      this.#timeouts.delete(handle);
      timer.callback();
    }
  }
}
