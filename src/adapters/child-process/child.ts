import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Order, Word } from './messages.ts';
import { runtimeEnvironment } from './runtime-environment.ts';

/** Characters of standard error that are kept of a child, for the log. */
const keptErrors = 4_000;

export interface ChildOptions {
  /** The module of a child, which calls `serveChild`. */
  readonly entry: URL;
  readonly heapMegabytes: number;
  readonly env: NodeJS.ProcessEnv;
}

/** One process for one piece of work at a time. */
export class Child {
  /** Why it is no more; settled once nothing of it runs. */
  readonly died: Promise<Error>;
  /** The workspace that it worked in last: what it remembers of that saves reading it again. */
  directory: string | undefined;
  readonly #process: ChildProcess;
  #errors = '';
  #death: Error | undefined;
  #onDeath: ((death: Error) => void) | undefined;

  constructor({ entry, heapMegabytes, env }: ChildOptions) {
    const child = fork(fileURLToPath(entry), [], {
      // A folder that is always there and that no job works in.
      cwd: path.parse(process.execPath).root,
      env: runtimeEnvironment(env),
      // None of this process's own: a debugger's port can be had once.
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      serialization: 'advanced',
      // The first is the lifeline, see `endWithParent`.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      windowsHide: true,
    });
    this.#process = child;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.died = promise;
    void promise.then((death) => {
      this.#death = death;
      this.#onDeath?.(death);
    });
    // What could not be started has no `close`. Any other error is followed by one.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(error);
    });
    child.on('close', (code, signal) => resolve(deathOf(code, signal, heapMegabytes, this.#errors)));
    child.stdin?.on('error', () => undefined);
    child.stderr?.on('error', () => undefined);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text.slice(0, keptErrors - this.#errors.length);
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Undefined: nobody listens. */
  set onWord(listener: ((word: Word) => void) | undefined) {
    this.#process.removeAllListeners('message');
    if (listener !== undefined) this.#process.on('message', listener);
  }

  /**
   * Undefined: nobody listens. For each piece of work, since what waits for {@link died} stays in memory with all
   * that it refers to until the child ends, after many of them.
   */
  set onDeath(listener: ((death: Error) => void) | undefined) {
    this.#onDeath = listener;
    if (this.#death !== undefined) listener?.(this.#death);
  }

  /** Throws what cannot be sent; that the child is gone shows in {@link died}. */
  order(order: Order): void {
    if (this.#process.connected) this.#process.send(order, () => undefined);
  }

  /** Whether it keeps this process alive. */
  set holds(holds: boolean) {
    const { channel, stderr } = this.#process;
    const pipes = [this.#process, channel, stderr as { ref?(): void; unref?(): void } | null];
    for (const one of pipes) {
      if (holds) one?.ref?.();
      else one?.unref?.();
    }
  }

  kill(): void {
    // Whoever waits for the end of it must not end before.
    this.holds = true;
    this.#process.kill('SIGKILL');
  }
}

/** Node ends by a signal when its heap is full, and says so. */
function deathOf(code: number | null, signal: string | null, megabytes: number, errors: string): Error {
  const cause = errors === '' ? undefined : new Error(errors);
  if (/heap out of memory|Reached heap limit/i.test(errors)) {
    return new Error(`The work took more than the ${megabytes} MB of memory that it may have.`, { cause });
  }
  const end = signal ?? `exit code ${code}`;
  return new Error(`The process of the work ended before it was done: ${end}.`, { cause });
}
