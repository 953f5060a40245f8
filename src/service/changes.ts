import type { Clock } from './clock.ts';

/** Tells whoever waits that something is different now. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  announce(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls back at each change until the answer is disposed. */
  listen(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

/**
 * Looks until there is something, again at each change. Undefined when the time is up; rejects with the
 * signal's reason.
 *
 * @param ms from now on
 */
export async function waitFor<T>(
  look: () => T | undefined,
  options: {
    readonly changes: readonly Changes[];
    readonly ms: number;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<T | undefined> {
  const { changes, ms, clock, signal } = options;
  signal.throwIfAborted();
  const first = look();
  if (first !== undefined) return first;
  const over = Promise.withResolvers<T | undefined>();
  const onChange = (): void => {
    const found = look();
    if (found !== undefined) over.resolve(found);
  };
  const onAbort = (): void => over.reject(signal.reason as Error);
  const listening = changes.map((one) => one.listen(onChange));
  const timer = clock.setTimeout(() => over.resolve(undefined), ms);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await over.promise;
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    for (const one of listening) one[Symbol.dispose]();
  }
}
