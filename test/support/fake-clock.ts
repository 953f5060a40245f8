import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';

/** A clock that stands still until a test moves it. Timers fire in order, promises settle in between. */
export class FakeClock {
  #now: number;
  #next = 1;
  readonly #timers = new Map<number, { at: number; callback: () => void }>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    assert.ok(ms >= 0 && ms < 2 ** 31, `a timer of ${ms} ms would fire at once`);
    const handle = this.#next++;
    this.#timers.set(handle, { at: this.#now + ms, callback });
    return handle;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await setImmediate();
    for (;;) {
      const [first] = [...this.#timers].toSorted(([, a], [, b]) => a.at - b.at);
      if (first === undefined || first[1].at > until) break;
      this.#timers.delete(first[0]);
      this.#now = Math.max(this.#now, first[1].at);
      first[1].callback();
      await setImmediate();
    }
    this.#now = until;
  }

  /** Time passes, no timer fires: the machine slept, or somebody set the clock. */
  jump(ms: number): void {
    this.#now += ms;
  }
}
