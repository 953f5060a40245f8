import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../client/api-error.ts';
import type { JobClient } from '../client/job-client.ts';
import type { EditorAnswer, EditorModel, EditorRequest } from '../contract/editor-models.ts';
import { editorModelOf } from './agent-values.ts';
import { localServiceId, type JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import { isWatched, stateOf } from './job-state.ts';

/** What the loop needs of the service's client. */
export type EditorModelClient = Pick<JobClient, 'nextEditorRequest' | 'answerEditorRequest'>;

export interface EditorModelLoopOptions {
  readonly model: JobModel;
  /** `EditorModels`, or a fake in tests. */
  readonly models: {
    list(): Promise<readonly EditorModel[]>;
    onDidChange(listener: () => void): { dispose(): unknown };
    answer(request: EditorRequest, signal: AbortSignal, onProgress: () => void): Promise<EditorAnswer>;
  };
  readonly connect: (signal: AbortSignal) => Promise<EditorModelClient>;
  /** False in Restricted Mode. */
  readonly mayRun: () => boolean;
  readonly now: () => number;
  readonly onTrouble: (message: string, error: unknown) => void;
  /** For tests: rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Between two attempts to reach the service, longer with each that failed. Milliseconds. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A service that answers at once although it has nothing would be asked without end. Milliseconds. */
const shortestRoundMs = 500;
/** How often a thinking model's signs of life are passed on. Milliseconds. */
const progressEveryMs = 3_000;

/**
 * Lends the editor's models to the local service while it has jobs that use one: asks it for work, lets the
 * model do it, brings the answer. Each window does so; without such a job there is no request and no timer.
 */
export class EditorModelLoop {
  readonly #options: EditorModelLoopOptions;
  /** Unguessable, so that no other process can answer in this window's name. */
  readonly #window = randomUUID();
  /** Requests that are being answered, by id: the service takes back what it handed out and is not among them. */
  readonly #working = new Set<string>();
  readonly #subscriptions: readonly { dispose(): unknown }[];
  #running: AbortController | undefined;
  /** Ends the question that waits, so that the next one names the models that there are now. */
  #asking: AbortController | undefined;
  #disposed = false;

  constructor(options: EditorModelLoopOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.model.onDidChange(() => this.plan()),
      options.models.onDidChange(() => this.#asking?.abort()),
    ];
    this.plan();
  }

  /** Begins or ends as the jobs say. Call it when `mayRun` answers differently. */
  plan(): void {
    if (this.#disposed) return;
    const isNeeded = this.#options.mayRun() && this.#options.model.entries.some((entry) => this.#uses(entry));
    if (isNeeded && this.#running === undefined) {
      this.#running = new AbortController();
      void this.#run(this.#running.signal);
    } else if (!isNeeded) this.#stop();
  }

  dispose(): void {
    this.#disposed = true;
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#stop();
  }

  #uses(entry: JobEntry): boolean {
    if (entry.service !== localServiceId || editorModelOf(entry.agent) === undefined) return false;
    return isWatched(entry) || stateOf(entry, this.#options.now()).kind === 'sending';
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { now, onTrouble, pause = (ms, end) => wait(ms, undefined, { signal: end }) } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      const began = now();
      let restMs = 0;
      try {
        const isWork = await this.#ask(signal);
        failures = 0;
        if (!isWork) restMs = shortestRoundMs - (now() - began);
      } catch (error) {
        if (signal.aborted) return;
        // Told once, however long the service stays away.
        if (failures === 0)
          onTrouble('The local service cannot be asked for work of the editor’s models.', error);
        restMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
        failures++;
      }
      if (restMs > 0) await pause(restMs, signal).catch(() => undefined);
      // A create that was lost with its window changes by time alone.
      this.plan();
    }
  }

  /** True when there was work, which is then done beside the next question. */
  async #ask(signal: AbortSignal): Promise<boolean> {
    const { models, connect } = this.#options;
    const asking = new AbortController();
    this.#asking = asking;
    const client = await connect(signal);
    const offered = [...(await models.list())];
    const limit = AbortSignal.any([signal, asking.signal]);
    try {
      const window = { window: this.#window, models: offered, working: [...this.#working] };
      const request = await client.nextEditorRequest(window, { signal: limit });
      if (request === undefined) return false;
      void this.#answer(client, request, signal);
      return true;
    } catch (error) {
      // The models have changed: that is no trouble, and the next question says it.
      if (asking.signal.aborted && !signal.aborted) return false;
      throw error;
    }
  }

  async #answer(client: EditorModelClient, request: EditorRequest, end: AbortSignal): Promise<void> {
    const { models, now, onTrouble } = this.#options;
    const stop = new AbortController();
    this.#working.add(request.id);
    const signal = AbortSignal.any([end, stop.signal]);
    let toldAt = now();
    const tell = (): void => {
      if (now() - toldAt < progressEveryMs) return;
      toldAt = now();
      client.answerEditorRequest(request.id, { kind: 'progress' }, { signal }).catch((error: unknown) => {
        // Nobody waits for the answer any more: the job was cancelled, or another attempt took over.
        if (error instanceof ApiError && error.code === 'not_found') stop.abort();
      });
    };
    try {
      const answer = await models.answer(request, signal, tell);
      if (!signal.aborted) await client.answerEditorRequest(request.id, answer, { signal });
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.code === 'not_found')) return;
      onTrouble('What a model of the editor said could not be brought to the local service.', error);
    } finally {
      this.#working.delete(request.id);
    }
  }
}
