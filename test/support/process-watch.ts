import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Often enough to meet most git commands, rare enough to cost little. Milliseconds. */
const everyMs = 10;
/** A process between its fork and its program still shows its parent's words, so each is looked at again. */
const looks = 5;

/** One look at a process that belongs to a home. */
export interface SeenProcess {
  readonly pid: number;
  readonly commandLine: string;
  readonly environment: string;
}

interface Known {
  readonly started: string;
  readonly ours: boolean;
  looks: number;
}

/**
 * Looks at all processes of one home of a service while they run: whatever has the home's folder in its
 * environment or its command line, and what such a process has started. For Linux, which shows them as files.
 */
export class ProcessWatch implements AsyncDisposable {
  readonly #home: string;
  readonly #look: (process: SeenProcess) => void;
  readonly #known = new Map<number, Known>();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  /** How many processes of the home were met. */
  met = 0;

  /** @param look is called several times for each process */
  constructor(home: string, look: (process: SeenProcess) => void) {
    this.#home = home;
    this.#look = look;
    this.#ended = this.#run();
  }

  /** Command lines of those that were met and still run. */
  alive(): string[] {
    this.#lookAround();
    return [...this.#known]
      .filter(([pid, known]) => known.ours && startOf(pid)?.started === known.started)
      .map(([pid]) => `${pid} ${text(pid, 'cmdline').replaceAll('\0', ' ')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#lookAround();
      await delay(everyMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  #lookAround(): void {
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      const before = this.#known.get(pid);
      if (!(pid > 0) || (before !== undefined && before.looks >= looks)) continue;
      const start = startOf(pid);
      if (start === undefined) continue;
      const commandLine = text(pid, 'cmdline');
      const environment = text(pid, 'environ');
      // It has ended, or it is about to become another program.
      if (commandLine === '' || commandLine !== text(pid, 'cmdline')) continue;
      const ours =
        environment.includes(this.#home) ||
        commandLine.includes(this.#home) ||
        this.#known.get(start.parent)?.ours === true;
      const same = before?.started === start.started ? before : undefined;
      if (ours && same?.ours !== true) this.met += 1;
      this.#known.set(pid, {
        started: start.started,
        ours: ours || same?.ours === true,
        looks: (same?.looks ?? 0) + 1,
      });
      if (ours) this.#look({ pid, commandLine, environment });
    }
  }
}

/** Nothing once it has ended. */
function text(pid: number, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function startOf(pid: number): { readonly parent: number; readonly started: string } | undefined {
  const stat = text(pid, 'stat');
  // The program's name stands in brackets and may hold anything, so the fields are counted behind it.
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const started = rest[17];
  if (started === undefined || state === 'Z' || state === 'X') return undefined;
  return { parent: Number(parent), started };
}
