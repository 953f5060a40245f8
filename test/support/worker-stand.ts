import { ServiceStopping } from '../../src/service/job-errors.ts';
import type { Claim, JobStore } from '../../src/service/ports/job-store.ts';
import type { Seat } from '../../src/service/seat.ts';
import { Worker, type WorkerOptions } from '../../src/service/worker.ts';
import { JobWorld } from './job-world.ts';

/** One run under the hand of a test. */
interface Run {
  readonly claim: Claim;
  readonly signal: AbortSignal;
  readonly seat: Seat;
  end(): void;
}

/** Lets everything that is due happen. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Workers over a store in memory, whose runs end when a test says so. */
export class WorkerStand implements AsyncDisposable {
  readonly world = new JobWorld();
  readonly runs: Run[] = [];
  readonly #workers: Worker[] = [];
  readonly #calls = new Map<string | symbol, number>();
  #expected: { readonly count: number; readonly reached: () => void } | undefined;

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.runs.splice(0)) run.end();
    for (const worker of this.#workers.splice(0)) await worker.stop('abort', 100);
    await this.world[Symbol.asyncDispose]();
  }

  /** Without `run` each run is under the hand of the test. */
  worker(
    options: Partial<WorkerOptions> = {},
    run = this.underHand,
    store: JobStore = this.world.stores.jobs,
  ): Worker {
    const { signals } = this.world;
    const made = new Worker(
      { store: this.#counted(store), signals, run, log: this.world.deps().log },
      {
        name: 'w',
        concurrency: 2,
        leaseMs: 60_000,
        heartbeatMs: 60_000,
        pollMs: 60_000,
        alone: true,
        suspectWaitMs: 60_000,
        ...options,
      },
    );
    this.#workers.push(made);
    return made;
  }

  /** Resolves when workers have called a method so many times more. */
  async calledAgain(method: keyof JobStore, times: number): Promise<void> {
    const until = (this.#calls.get(method) ?? 0) + times;
    while ((this.#calls.get(method) ?? 0) < until) await settled();
  }

  /** Resolves when so many runs have begun in all. */
  async begun(count: number): Promise<void> {
    if (this.runs.length >= count) return;
    await new Promise<void>((reached) => {
      this.#expected = { count, reached };
    });
  }

  /** Resolves when the job is no longer active. */
  async ended(id: string): Promise<void> {
    using watch = this.world.signals.watch(id);
    while ((await this.world.job(id)).status === 'active')
      await watch.next(1000, new AbortController().signal);
  }

  /** Completes a job when the test ends its run; gives it back when it is aborted. */
  readonly underHand = async (claim: Claim, signal: AbortSignal, seat: Seat): Promise<void> => {
    const { world, runs } = this;
    const told = Promise.withResolvers<void>();
    runs.push({ claim, signal, seat, end: told.resolve });
    if (this.#expected !== undefined && runs.length >= this.#expected.count) this.#expected.reached();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([told.promise, aborted]);
    if (!signal.aborted) {
      await world.stores.jobs.finish(claim, { status: 'completed', summary: '', model: '' });
    } else if (signal.reason instanceof ServiceStopping) {
      await world.stores.jobs.release(claim, { uncounted: true });
    }
    world.signals.changed(claim.job.id);
  };

  /** Counts the calls of each method. */
  #counted(store: JobStore): JobStore {
    return new Proxy(store, {
      get: (target, property) => {
        this.#calls.set(property, (this.#calls.get(property) ?? 0) + 1);
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
