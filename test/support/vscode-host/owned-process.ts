import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';

/** Time for a process to end by itself before it is killed: a launcher first ends its own processes. */
const graceMs = 15_000;

/**
 * A process with all that it started, ended together. It has a process group of its own where the
 * platform has groups, and it also ends when this process exits for whatever reason that can be caught.
 */
export class OwnedProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #killAtExit = (): void => signalTree(this.child, 'SIGKILL');

  constructor(command: string, args: readonly string[], { signal, ...options }: SpawnOptions) {
    this.child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
    process.on('exit', this.#killAtExit);
    signal?.addEventListener('abort', () => signalTree(this.child, 'SIGTERM'), { once: true });
    this.ended = this.#end();
  }

  async #end(): Promise<number | NodeJS.Signals> {
    try {
      const [code, signal] = (await once(this.child, 'exit')) as [number | null, NodeJS.Signals | null];
      return signal ?? code ?? 1;
    } finally {
      process.off('exit', this.#killAtExit);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) signalTree(this.child, 'SIGTERM');
    const timer = setTimeout(this.#killAtExit, graceMs);
    await this.ended.catch(() => undefined);
    clearTimeout(timer);
    // Grandchildren that outlived the first signal.
    signalTree(this.child, 'SIGKILL');
  }
}

/** Ends one process of which only the id is known. A process that is gone already is fine. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function signalTree(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform !== 'win32') return signalProcess(-child.pid, signal);
  try {
    execFileSync('taskkill', ['/T', '/F', '/PID', String(child.pid)], { stdio: 'ignore' });
  } catch {
    // It has ended already: taskkill finds no such process.
  }
}
