import { ApiError } from '../client/api-error.ts';
import type { JobClient } from '../client/job-client.ts';
import type { AgentSettings } from '../contract/agents.ts';

export interface AgentHandOverOptions {
  /** Reads the settings, and from the secret storage the keys of providers that have one. */
  readonly settings: () => Promise<AgentSettings>;
  /** Ends with the window. */
  readonly signal: AbortSignal;
  readonly onTrouble: (message: string, error: unknown) => void;
}

/** What is handed over to whom: the settings as they were after so many changes, to one start of the service. */
interface Delivery {
  readonly instance: string;
  readonly revision: number;
}

/**
 * Tells the local service which providers, keys and commands there are. The service keeps them in memory
 * only, so every start of it needs them anew; each window does it, because any of them may be the one
 * that is left. Nothing is read or sent when the service has got it all.
 */
export class AgentHandOver {
  readonly #options: AgentHandOverOptions;
  #revision = 0;
  #delivered: Delivery | undefined;
  #running: { readonly delivery: Delivery; readonly done: Promise<void> } | undefined;

  constructor(options: AgentHandOverOptions) {
    this.#options = options;
  }

  /** Settings or keys have changed, so what was handed over is old. */
  outdate(): void {
    this.#revision++;
  }

  /**
   * Settles when the service has the settings as they are now, or could not be given them: that is told to
   * the log and tried again at the next call, because most jobs can do without.
   */
  async ensure(client: Pick<JobClient, 'putAgents'>, instance: string): Promise<void> {
    for (;;) {
      const delivery = { instance, revision: this.#revision };
      if (isSame(this.#delivered, delivery)) return;
      const running = this.#running;
      if (running === undefined) {
        const done = this.#deliver(client, delivery).finally(() => {
          this.#running = undefined;
        });
        this.#running = { delivery, done };
        await done;
        return;
      }
      await running.done;
      // What was under way may have been of before a change, or for a service that has ended.
      if (isSame(running.delivery, delivery)) return;
    }
  }

  async #deliver(client: Pick<JobClient, 'putAgents'>, delivery: Delivery): Promise<void> {
    const { settings, signal, onTrouble } = this.#options;
    try {
      await client.putAgents(await settings(), { signal });
      this.#delivered = delivery;
    } catch (error) {
      if (signal.aborted) return;
      // An older service that is still busy will never take them.
      if (error instanceof ApiError && error.code === 'not_supported') this.#delivered = delivery;
      onTrouble('The local service could not be told which agents there are.', error);
    }
  }
}

function isSame(a: Delivery | undefined, b: Delivery): boolean {
  return a !== undefined && a.instance === b.instance && a.revision === b.revision;
}
