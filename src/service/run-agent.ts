import { durationInWords } from './duration.ts';
import type { JobLimits } from './limits.ts';
import type { Agent, AgentResult, AgentTask } from './ports/agent.ts';
import { ServiceError } from './service-error.ts';

/** Progress is written at most this often, in milliseconds: a reader follows no faster. */
const progressEveryMs = 500;

/**
 * Runs an agent within its limits. An agent that does not listen to its signal is left behind after a short
 * while. Throws what the agent throws by name, `agent_failed` for anything else, `time_limit`, or the
 * signal's reason.
 *
 * @param tell writes a progress phrase; the agent does not wait for it
 */
export async function runAgent(
  agent: Agent,
  task: Omit<AgentTask, 'onProgress'>,
  limits: Pick<JobLimits, 'idleMs' | 'letGoMs'>,
  tell: (message: string) => Promise<void>,
): Promise<AgentResult> {
  task.signal.throwIfAborted();
  const idle = new AbortController();
  const onIdle = (): void => idle.abort(idleError(limits.idleMs));
  const idleTimer = setTimeout(onIdle, limits.idleMs);
  const progress = new Progress(tell);
  const signal = AbortSignal.any([task.signal, idle.signal]);
  const stop = Promise.withResolvers<never>();
  const onAbort = (): void => stop.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  // Asynchronous, so that an agent that throws at once is treated like one that throws later.
  const start = async (): Promise<AgentResult> =>
    agent.run({
      ...task,
      signal,
      onProgress: (message) => {
        if (signal.aborted) return;
        idleTimer.refresh();
        progress.add(message);
      },
    });
  const running = start();
  try {
    return await Promise.race([running, stop.promise]);
  } catch (error) {
    if (signal.aborted) {
      await settledWithin(running, limits.letGoMs);
      throw signal.reason;
    }
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(
      'agent_failed',
      'The agent broke down at this prompt. Nothing was changed. Say it in other words, or in smaller steps.',
      { cause: error },
    );
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(idleTimer);
    await progress.end();
  }
}

function idleError(ms: number): ServiceError {
  return new ServiceError(
    'time_limit',
    `The agent gave no sign of life for ${durationInWords(ms)}, so it was stopped. Try again, or ask for less at a time.`,
  );
}

async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  try {
    await Promise.race([work.then(noop, noop), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const noop = (): void => undefined;

/** Writes the newest of many phrases, one at a time and not too often. */
class Progress {
  readonly #tell: (message: string) => Promise<void>;
  #newest: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(tell: (message: string) => Promise<void>) {
    this.#tell = tell;
  }

  add(message: string): void {
    if (this.#ended) return;
    this.#newest = message;
    if (this.#timer !== undefined) return;
    this.#write();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#newest !== undefined) this.add(this.#newest);
    }, progressEveryMs);
  }

  /** Writes what is left. A phrase that cannot be written is no reason to fail: a lost claim shows elsewhere. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#write();
    await this.#writing;
  }

  #write(): void {
    const message = this.#newest;
    if (message === undefined) return;
    this.#newest = undefined;
    this.#writing = this.#writing.then(() => this.#tell(message)).catch(noop);
  }
}
