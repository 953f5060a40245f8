/**
 * A place where something under test stands still until the test decides: what stops there calls
 * {@link pass}, the test waits for {@link reached}.
 */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #verdict = Promise.withResolvers<boolean>();

  /** Resolves when something stands at the gate. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  /** True: go on. False: end here, without doing or answering anything. */
  pass(): Promise<boolean> {
    this.#reached.resolve();
    return this.#verdict.promise;
  }

  open(): void {
    this.#verdict.resolve(true);
  }

  drop(): void {
    this.#verdict.resolve(false);
  }
}

/** Passes a request: true when it may go on. */
export type Stop = (when: 'before' | 'after') => Promise<boolean>;

/** Gates of a server: the next request that fits stands still before it is done, or before its answer. */
export class RequestGates {
  readonly #holds: { when: 'before' | 'after'; method: string; path: RegExp; gate: Gate }[] = [];

  /** @param path is held against path and query */
  hold(when: 'before' | 'after', method: string, path: RegExp): Gate {
    const gate = new Gate();
    this.#holds.push({ when, method, path, gate });
    return gate;
  }

  /** What the server asks once it has a request. */
  take(method: string, { pathname, search }: URL): Stop {
    const index = this.#holds.findIndex(
      (hold) => hold.method === method && hold.path.test(pathname + search),
    );
    const [hold] = index < 0 ? [] : this.#holds.splice(index, 1);
    return async (when) => hold?.when !== when || hold.gate.pass();
  }
}
