/**
 * The end of a service process in two speeds: the first request lets running jobs come to their end, the
 * second one breaks them off; then they are given back and go on in the next process.
 */
export class Shutdown {
  readonly #stopping = new AbortController();
  readonly #hurrying = new AbortController();

  /** Fires at the first request: no new work is taken. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Fires at the second request. */
  get hurrying(): AbortSignal {
    return this.#hurrying.signal;
  }

  /** Asks to stop; asked once more, in a hurry. */
  readonly request = (): void => {
    if (this.#stopping.signal.aborted) this.#hurrying.abort();
    else this.#stopping.abort();
  };

  /** Resolves at the first request. */
  async requested(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
