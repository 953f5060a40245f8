import type { JobErrorCode } from '../../contract/errors.ts';
import type { Problem } from '../../docset/checks.ts';
import type { PageCheck } from '../../service/page-checks.ts';
import type { Agent, AgentResult } from '../../service/ports/agent.ts';
import type { PageTools, ToolAnswer } from '../../service/ports/page-tools.ts';
import { ServiceError } from '../../service/service-error.ts';
import { Child } from './child.ts';
import type { Word, Work } from './messages.ts';

/**
 * Milliseconds that a child has to stop by itself. One that is in the middle of a page for longer is
 * killed; well below the time that an aborted agent has, so that nothing writes to a workspace that goes.
 */
const graceMs = 1_000;

/** Megabytes. The links of 10,000 pages take some hundreds; beyond this it is a page that was made for it. */
const heapLimit = 2_048;

/** Between two uses of a tool a model thinks for seconds; longer than this the job is over. */
const keptMs = 30_000;

/** What works at once, for each child that is kept: tools of one answer may be asked for together. */
const busyForEachKept = 2;

export interface ChildProcessesOptions {
  /** The module of a child, which calls `serveChild`; beside the service in source and bundle. */
  readonly entry: URL;
  /** This process's own, of which a child gets next to nothing. */
  readonly env: NodeJS.ProcessEnv;
  /** Children that wait for more work after theirs; twice as many may work at once. */
  readonly keep: number;
  /** Milliseconds that they wait. */
  readonly keepMs?: number;
  readonly heapMegabytes?: number;
}

/** What ends a piece of work. */
type Answer = Exclude<Word, { kind: 'progress' }>;

/** The ports that children serve. */
export interface ChildParts {
  readonly agent: Agent;
  readonly check: PageCheck;
  readonly tools: PageTools;
}

/**
 * Runs what reads and changes pages in processes of its own: the rules agent, the checks, a model's tools.
 * A parser takes as long and as much memory as a page wants. In a child it holds up no request and no
 * heartbeat, can be killed in the middle, and when its memory is full nothing but that piece of work is lost.
 * (A thread does not do: where one allocation is larger than the room that Node leaves to a thread whose heap
 * is full, the whole process ends.) Nothing is started before there is work. Dispose at the end.
 */
export class ChildProcesses implements AsyncDisposable {
  readonly #options: ChildProcessesOptions;
  /** All that still run. */
  readonly #children = new Set<Child>();
  readonly #busy = new Set<Child>();
  /** With the timer of their end. The one that was used last comes last and is taken first. */
  readonly #idle = new Map<Child, NodeJS.Timeout>();
  /** Work that waits for a place, oldest first. */
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(options: ChildProcessesOptions) {
    this.#options = options;
  }

  /** The ports that are served by these children; `name` is the agent's. */
  parts(name: string): ChildParts {
    const run: Agent['run'] = async ({ signal, onProgress, ...rest }) => {
      // No message carries a function, and what works here costs no tokens.
      const { onSpent: _, ...task } = rest;
      return (await this.#do({ kind: 'agent', task }, signal, onProgress)) as AgentResult;
    };
    const check: PageCheck = async (change, signal) =>
      (await this.#do({ kind: 'check', change }, signal)) as Problem[];
    const use: PageTools['use'] = async (call, place, signal) =>
      (await this.#do({ kind: 'tool', call, place }, signal)) as ToolAnswer;
    return { agent: { name, repairs: false, run }, check, tools: { use } };
  }

  /** The processes that run now. */
  get pids(): readonly number[] {
    return [...this.#children].flatMap(({ pid }) => pid ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    const all = [...this.#children];
    for (const child of all) child.kill();
    while (this.#waiting.size > 0) this.#wakeNext();
    await Promise.all(all.map(({ died }) => died));
  }

  /** Throws what the work throws, the signal's reason once it has stopped, or an Error when the child dies. */
  async #do(work: Work, signal: AbortSignal, onProgress?: (message: string) => void): Promise<unknown> {
    const child = await this.#take(directoryOf(work), signal);
    let hasAnswered = false;
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      child.order({ kind: 'abort' });
      timer = setTimeout(() => child.kill(), graceMs);
    };
    try {
      const answer = new Promise<Answer>((resolve, reject) => {
        child.onWord = (word) => {
          if (word.kind === 'progress') onProgress?.(word.message);
          else resolve(word);
        };
        child.onDeath = reject;
      });
      signal.addEventListener('abort', onAbort, { once: true });
      child.order({ kind: 'start', work });
      // Aborted between getting the child and listening: nobody would tell it any more.
      if (signal.aborted) onAbort();
      const word = await answer;
      hasAnswered = true;
      if (word.kind === 'failed') throw errorOf(word);
      signal.throwIfAborted();
      return word.value;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.onWord = undefined;
      child.onDeath = undefined;
      this.#giveBack(child, hasAnswered && !signal.aborted);
    }
  }

  /** Waits while too much is under way already. Prefers the child that knows the directory. */
  async #take(directory: string, signal: AbortSignal): Promise<Child> {
    signal.throwIfAborted();
    while (!this.#ended && this.#busy.size >= this.#options.keep * busyForEachKept) await this.#place(signal);
    if (this.#ended) throw new Error('The service is ending.');
    const idle = [...this.#idle.keys()];
    const child = idle.find((each) => each.directory === directory) ?? idle.at(-1) ?? this.#start();
    child.directory = directory;
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    this.#busy.add(child);
    child.holds = true;
    return child;
  }

  async #place(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const giveUp = (): void => resolve();
    signal.addEventListener('abort', giveUp, { once: true });
    await promise;
    signal.removeEventListener('abort', giveUp);
    // One that was woken and does not want its place any more hands it on.
    if (signal.aborted && !this.#waiting.delete(resolve)) this.#wakeNext();
    signal.throwIfAborted();
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }

  #start(): Child {
    const { entry, env, heapMegabytes = heapLimit } = this.#options;
    const child = new Child({ entry, env, heapMegabytes });
    this.#children.add(child);
    void child.died.then(() => {
      this.#children.delete(child);
      clearTimeout(this.#idle.get(child));
      this.#idle.delete(child);
    });
    return child;
  }

  #giveBack(child: Child, isUsable: boolean): void {
    const { keep, keepMs = keptMs } = this.#options;
    this.#busy.delete(child);
    this.#wakeNext();
    if (!isUsable || this.#ended || this.#idle.size >= keep) {
      child.kill();
      return;
    }
    child.holds = false;
    this.#idle.set(child, setTimeout(() => child.kill(), keepMs).unref());
  }
}

function directoryOf(work: Work): string {
  switch (work.kind) {
    case 'agent':
      return work.task.directory;
    case 'check':
      return work.change.directory;
    case 'tool':
      return work.place.directory;
  }
}

function errorOf({ named, error }: Extract<Answer, { kind: 'failed' }>): Error {
  if (named === undefined) return error instanceof Error ? error : new Error(String(error));
  return new ServiceError(named.code as JobErrorCode, named.message, {
    retryable: named.retryable,
    cause: error,
  });
}
