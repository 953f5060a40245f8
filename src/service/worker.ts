import { ClaimLost, ServiceStopping } from './job-errors.ts';
import type { JobSignals } from './job-signals.ts';
import type { Claim, JobStore } from './ports/job-store.ts';
import type { Log } from './ports/log.ts';
import type { Seat } from './seat.ts';

export interface WorkerOptions {
  /** Tells workers apart in the store. */
  readonly name: string;
  /** Jobs at the same time, at least 1; those that only wait for the editor do not count. */
  readonly concurrency: number;
  /** How long a silent worker keeps its jobs, in milliseconds. */
  readonly leaseMs: number;
  /** In milliseconds; a third of the lease or less, so that one that is late costs nothing. */
  readonly heartbeatMs: number;
  /** How often delayed jobs and leases that ran out are looked for, in milliseconds. */
  readonly pollMs: number;
  /** True when no other process can hold jobs: what a killed predecessor held is taken over at once. */
  readonly alone: boolean;
  /** How long a job of a killed process may wait for the editor before another one begins beside it, in milliseconds. */
  readonly suspectWaitMs: number;
}

export const defaultWorkerTimes = {
  // Long enough for the rules agent's longest stretch without a pause, short enough that a team's killed
  // worker is not missed for long.
  leaseMs: 60_000,
  heartbeatMs: 15_000,
  pollMs: 5_000,
  // An editor that is open hands over within a second or two of the service's start.
  suspectWaitMs: 10_000,
} as const;

export interface WorkerDeps {
  readonly store: JobStore;
  readonly signals: JobSignals;
  /** `attemptJob`: settles or releases the claim itself; a rejection is only logged. */
  readonly run: (claim: Claim, signal: AbortSignal, seat: Seat) => Promise<void>;
  readonly log: Log;
}

/** From a start to its stop. */
interface Session {
  readonly poll: NodeJS.Timeout;
  readonly ears: readonly Disposable[];
  /** False until the orphans are free: a job claimed before would be taken for one. */
  ready: boolean;
}

interface Running {
  readonly claim: Claim;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  readonly seat: SeatState;
}

interface SeatState {
  isLent: boolean;
  /** Of a suspect that waits. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Claims jobs and keeps hold of them while they run. `stop` has two speeds: `finish` claims nothing more and
 * waits, `abort` gives the jobs back.
 */
export class Worker {
  readonly #deps: WorkerDeps;
  readonly #options: WorkerOptions;
  readonly #running = new Set<Running>();
  /** What ends with the present run; undefined while stopped. */
  #session: Session | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;
  /** A claim is being asked for: its seat is taken. */
  #asking = false;
  /** Jobs of a killed process that have not ended since. One of them may have killed it. */
  #suspects = 0;

  constructor(deps: WorkerDeps, options: WorkerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Jobs under way in this process. */
  get running(): number {
    return this.#running.size;
  }

  /** Begins to claim. Starting twice, or again after a stop, is fine. */
  async start(): Promise<void> {
    if (this.#session !== undefined) return;
    const { store, signals, log } = this.#deps;
    const session: Session = {
      ready: false,
      poll: setInterval(() => this.#nudge(), this.#options.pollMs),
      ears: [store.onWork(() => this.#nudge()), signals.onCancelled((jobId) => this.#lookAtClaim(jobId))],
    };
    this.#session = session;
    // Not while a job of an earlier start still runs here: its lease is a living one.
    if (this.#options.alone && this.#running.size === 0) {
      const orphans = await store.endLeases();
      this.#suspects = orphans;
      if (orphans > 0) log.info('Jobs of an ended process are taken over', { jobs: orphans });
    }
    session.ready = true;
    this.#nudge();
  }

  /**
   * Stops. A second call may raise the speed.
   *
   * @param speed `finish` waits for the jobs that are at work, `abort` interrupts them
   * @param withinMs after this time what still runs is given back and left behind
   */
  async stop(speed: 'finish' | 'abort', withinMs = 10_000): Promise<void> {
    this.#endSession();
    await this.#claiming;
    // Who only waits for the editor has nothing to finish.
    this.#abort((one) => speed === 'abort' || one.seat.isLent);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#abort(() => true);
      late.resolve();
    }, withinMs);
    try {
      await Promise.race([Promise.all([...this.#running].map((one) => one.ended)), late.promise]);
    } finally {
      clearTimeout(timer);
    }
    // Whoever does not listen loses its claim, so that the next process need not wait for the lease.
    for (const { claim } of this.#running) await this.#deps.store.release(claim, { uncounted: true });
  }

  #endSession(): void {
    if (this.#session === undefined) return;
    clearInterval(this.#session.poll);
    for (const ear of this.#session.ears) ear[Symbol.dispose]();
    this.#session = undefined;
  }

  #abort(which: (one: Running) => boolean): void {
    for (const one of this.#running) if (which(one)) one.controller.abort(new ServiceStopping());
  }

  /** One look at a time, and at most one more waiting. */
  #nudge(): void {
    if (this.#session?.ready !== true) return;
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      // A nudge between the last look and here.
      if (this.#again) this.#nudge();
    });
  }

  /** After a crash one by one: should it come again, it counts against the job that is to blame and no other. */
  get #atOnce(): number {
    return this.#suspects > 0 ? 1 : this.#options.concurrency;
  }

  get #taken(): number {
    const seated = [...this.#running].filter(({ seat }) => !seat.isLent);
    return seated.length + Number(this.#asking);
  }

  async #claimAll(): Promise<void> {
    const { store, log } = this.#deps;
    const { name, leaseMs } = this.#options;
    try {
      while (this.#again) {
        this.#again = false;
        while (this.#session !== undefined && this.#taken < this.#atOnce) {
          this.#asking = true;
          const claim = await store.claim(name, leaseMs);
          this.#asking = false;
          if (claim === undefined) {
            // Those that are missing were cancelled before their turn came.
            if (this.#running.size === 0) this.#suspects = 0;
            break;
          }
          this.#begin(claim);
        }
      }
    } catch (error) {
      this.#asking = false;
      this.#again = false;
      log.error('No job could be claimed', { error });
    }
  }

  #begin(claim: Claim): void {
    const { signals, run, log } = this.#deps;
    const controller = new AbortController();
    const heart = setInterval(() => void this.#beat(claim, controller), this.#options.heartbeatMs);
    signals.changed(claim.job.id);
    const seat: SeatState = { isLent: false, timer: undefined };
    const ends = { lend: () => this.#lend(seat), takeBack: () => this.#takeBack(seat) };
    const start = async (): Promise<void> => run(claim, controller.signal, ends);
    const ended = start()
      .catch((error: unknown) =>
        log.error('An attempt ended without being settled', { job: claim.job.id, error }),
      )
      .finally(() => {
        clearInterval(heart);
        clearTimeout(seat.timer);
        this.#running.delete(entry);
        // A job that comes back for another reason is taken for one of them, which costs little.
        if (claim.attempt > 1) this.#suspects -= 1;
        this.#nudge();
      });
    const entry: Running = { claim, controller, ended, seat };
    this.#running.add(entry);
  }

  #lend(seat: SeatState): void {
    const lend = (): void => {
      seat.isLent = true;
      this.#nudge();
    };
    if (this.#suspects <= 0) lend();
    // After a crash nothing runs beside a suspect, so that no job is blamed for another one; but one for which no
    // editor comes does not hold up all others.
    else seat.timer ??= setTimeout(lend, this.#options.suspectWaitMs);
  }

  #takeBack(seat: SeatState): boolean {
    clearTimeout(seat.timer);
    seat.timer = undefined;
    if (seat.isLent && this.#taken >= this.#atOnce) return false;
    seat.isLent = false;
    return true;
  }

  async #beat(claim: Claim, controller: AbortController): Promise<void> {
    try {
      const held = await this.#deps.store.heartbeat(claim, this.#options.leaseMs);
      if (!held) controller.abort(new ClaimLost());
    } catch (error) {
      // The lease outlives a few missed beats; the next one tries again.
      this.#deps.log.warn('A heartbeat could not be written', { job: claim.job.id, error });
    }
  }

  #lookAtClaim(jobId: string): void {
    for (const { claim, controller } of this.#running) {
      if (claim.job.id === jobId) void this.#beat(claim, controller);
    }
  }
}
