import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as z from 'zod/v4';
import { isMissing, writeFileAtomically } from './atomic-file.ts';

/** A holder that was not heard of for so long, in milliseconds, has lost the lease. Three heartbeats. */
const leaseMs = 30_000;
/** How often the holder prolongs the lease and the others look whether it is free. In milliseconds. */
export const heartbeatMs = 10_000;

const leaseSchema = z.object({
  owner: z.string(),
  pid: z.int(),
  host: z.string(),
  /** Milliseconds since the epoch; 0 once it was given back. */
  expiresAt: z.number(),
});
type Lease = z.infer<typeof leaseSchema>;

interface Generation {
  readonly number: number;
  readonly lease: Lease | undefined;
  readonly writtenAt: number;
}

export interface PollLeaseOptions {
  /** A folder for nothing else. Made when it is missing. */
  readonly folder: string;
  readonly now: () => number;
}

/**
 * Lets one window poll for all. The lease is the file of the highest number in its folder. Taking it
 * over means creating the next number, which the file system grants to one window only; so no window
 * ever has to delete what another may just have made.
 */
export class PollLease {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #owner: string = randomUUID();
  #held: number | undefined;

  constructor(options: PollLeaseOptions) {
    this.#folder = options.folder;
    this.#now = options.now;
  }

  get held(): boolean {
    return this.#held !== undefined;
  }

  /**
   * Takes the lease if it is free, prolongs it if it is ours. False when another window has it, also when
   * that window took it while this one slept. Call it every {@link heartbeatMs}.
   */
  async hold(): Promise<boolean> {
    const last = await this.#last();
    if (this.#held !== undefined && last?.number === this.#held) {
      await writeFileAtomically(this.#path(this.#held), this.#content(this.#now() + leaseMs));
      return true;
    }
    this.#held = undefined;
    if (last !== undefined && !this.#isFree(last)) return false;
    return this.#take((last?.number ?? 0) + 1);
  }

  /** Gives the lease back, so that another window has it at its next look. */
  async release(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    if ((await this.#last())?.number !== held) return;
    await writeFileAtomically(this.#path(held), this.#content(0));
  }

  async #take(number: number): Promise<boolean> {
    try {
      const file = await open(this.#path(number), 'wx', 0o600);
      try {
        await file.writeFile(this.#content(this.#now() + leaseMs), 'utf8');
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    this.#held = number;
    const older = (await this.#numbers()).filter((other) => other < number);
    // On Windows a file that another window reads right now stays; the next taker removes it.
    await Promise.all(
      older.map(async (other) => rm(this.#path(other), { force: true }).catch(() => undefined)),
    );
    return true;
  }

  async #last(): Promise<Generation | undefined> {
    const number = (await this.#numbers()).at(-1);
    if (number === undefined) return undefined;
    try {
      const { mtimeMs } = await stat(this.#path(number));
      const text = await readFile(this.#path(number), 'utf8');
      return { number, lease: readLease(text), writtenAt: mtimeMs };
    } catch (error) {
      // Removed between two calls: a higher one is there.
      if (isMissing(error)) return this.#last();
      throw error;
    }
  }

  async #numbers(): Promise<number[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#folder);
    return names
      .map((name) => /^(\d{1,15})\.lease$/.exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .map(Number)
      .toSorted((a, b) => a - b);
  }

  #isFree({ lease, writtenAt }: Generation): boolean {
    const now = this.#now();
    // Just being written, or written by something else: what counts is when.
    if (lease === undefined) return Math.abs(now - writtenAt) > leaseMs;
    // Far in the future: the clock was set back since.
    if (lease.expiresAt <= now || lease.expiresAt > now + 2 * leaseMs) return true;
    return lease.host === hostname() && !isAlive(lease.pid);
  }

  #content(expiresAt: number): string {
    const lease: Lease = { owner: this.#owner, pid: process.pid, host: hostname(), expiresAt };
    return JSON.stringify(lease);
  }

  #path(number: number): string {
    return path.join(this.#folder, `${number}.lease`);
  }
}

function readLease(text: string): Lease | undefined {
  try {
    return leaseSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Signal 0 asks without sending. Another user's process answers EPERM: it lives. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
