import { Worker } from 'node:worker_threads';
import type { Problem } from '../../docset/checks.ts';
import type { JobErrorCode } from '../../contract/errors.ts';
import type { PageCheck } from '../../service/page-checks.ts';
import type { Agent, AgentResult } from '../../service/ports/agent.ts';
import { ServiceError } from '../../service/service-error.ts';
import type { Order, Word, Work } from './messages.ts';

/**
 * Milliseconds that a thread has to stop by itself. One that is in the middle of a page for longer is
 * ended; well below the time that an aborted agent has, so that nothing writes to a workspace that goes.
 */
const graceMs = 1_000;

/** Megabytes. The links of 10,000 pages take some hundreds; beyond this it is a page that was made for it. */
const heapLimit = 2_048;

/**
 * Runs the built-in agent and the page checks in threads of this process. Parsers take as long as a page
 * wants, without a pause: in a thread of their own they hold up no request and no heartbeat, and can be
 * ended in the middle. One thread has one piece of work; one is kept for the next. Dispose at the end.
 */
export class Threads implements AsyncDisposable {
  readonly #entry: URL;
  readonly #heapMegabytes: number;
  readonly #running = new Set<Worker>();
  #idle: Worker | undefined;
  #ended = false;

  /** @param entry the module of a thread, which calls `serveThread`; beside the service in source and bundle */
  constructor(entry: URL, { heapMegabytes = heapLimit }: { readonly heapMegabytes?: number } = {}) {
    this.#entry = entry;
    this.#heapMegabytes = heapMegabytes;
  }

  /** The ports that are served by these threads; `name` is the agent's. */
  parts(name: string): { readonly agent: Agent; readonly check: PageCheck } {
    const run: Agent['run'] = async ({ signal, onProgress, ...task }) =>
      (await this.#do({ kind: 'agent', task }, signal, onProgress)) as AgentResult;
    const check: PageCheck = async (directory, docsRoot, paths, signal) =>
      (await this.#do({ kind: 'check', directory, docsRoot, paths }, signal, () => {})) as Problem[];
    return { agent: { name, repairs: false, run }, check };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    const all = [...this.#running, ...(this.#idle === undefined ? [] : [this.#idle])];
    this.#idle = undefined;
    await Promise.all(all.map((thread) => thread.terminate()));
  }

  /** Throws what the work throws, the signal's reason once it has stopped, or an Error when the thread dies. */
  #do(work: Work, signal: AbortSignal, onProgress: (message: string) => void): Promise<unknown> {
    signal.throwIfAborted();
    const thread = this.#take();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    let timer: NodeJS.Timeout | undefined;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    const order = (one: Order): void => thread.postMessage(one);
    const onAbort = (): void => {
      order({ kind: 'abort' });
      timer = setTimeout(() => void thread.terminate(), graceMs);
    };
    const end = (isUsable: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onDeath).off('exit', onDeath);
      this.#giveBack(thread, isUsable);
    };
    const fail = (error: unknown): void => reject(signal.aborted ? (signal.reason as Error) : error);
    const onMessage = (word: Word): void => {
      if (word.kind === 'progress') {
        onProgress(word.message);
        return;
      }
      end(!signal.aborted);
      if (word.kind === 'failed') fail(errorOf(word));
      else if (signal.aborted) fail(undefined);
      else resolve(word.value);
    };
    // `error`: out of memory, or nobody caught it. `exit` comes alone when the thread was ended.
    const onDeath = (cause: unknown): void => {
      end(false);
      fail(cause instanceof Error ? cause : new Error('The thread ended before its work was done.'));
    };
    thread.on('message', onMessage).on('error', onDeath).on('exit', onDeath);
    signal.addEventListener('abort', onAbort, { once: true });
    order({ kind: 'start', work });
    return promise;
  }

  #take(): Worker {
    const thread = this.#idle ?? this.#start();
    this.#idle = undefined;
    thread.ref();
    this.#running.add(thread);
    return thread;
  }

  #start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: this.#heapMegabytes };
    // No environment: what works on pages needs none of the keys that stand there.
    const thread = new Worker(this.#entry, { env: {}, resourceLimits });
    // Also while it has nothing to do; without a listener an error would end the process.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#idle === thread) this.#idle = undefined;
    });
    return thread;
  }

  #giveBack(thread: Worker, isUsable: boolean): void {
    this.#running.delete(thread);
    if (!isUsable || this.#idle !== undefined || this.#ended) {
      void thread.terminate();
      return;
    }
    thread.unref();
    this.#idle = thread;
  }
}

function errorOf({ named, error }: Extract<Word, { kind: 'failed' }>): Error {
  if (named === undefined) return error instanceof Error ? error : new Error(String(error));
  return new ServiceError(named.code as JobErrorCode, named.message, {
    retryable: named.retryable,
    cause: error,
  });
}
