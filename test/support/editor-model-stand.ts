import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../src/client/api-error.ts';
import type {
  EditorAnswer,
  EditorModel,
  EditorRequest,
  EditorWindow,
} from '../../src/contract/editor-models.ts';
import { EditorModelLoop, type EditorModelClient } from '../../src/extension/editor-model-loop.ts';
import type { JobEntry } from '../../src/extension/job-entry.ts';
import { JobModel } from '../../src/extension/job-model.ts';
import { noon } from './job-entries.ts';

export const aModel = (id: string): EditorModel => ({ id, name: id, vendor: 'v', maxInputTokens: 1000 });

export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
};

/** The service, a person's editor and the time, all in the hands of the test. */
export class EditorModelStand {
  now = noon;
  mayRun = true;
  offered: EditorModel[] = [aModel('gpt')];
  readonly asked: EditorWindow[] = [];
  readonly answers: { id: string; answer: EditorAnswer }[] = [];
  readonly troubles: unknown[] = [];
  readonly pauses: number[] = [];
  connects = 0;
  open = 0;
  mostOpen = 0;
  readonly #next: PromiseWithResolvers<EditorRequest | undefined>[] = [];
  readonly #thinking: {
    answer: PromiseWithResolvers<EditorAnswer>;
    signal: AbortSignal;
    progress: () => void;
  }[] = [];
  readonly #changes = new Set<() => void>();
  readonly #resume: (() => void)[] = [];
  connectFails: Error | undefined;
  answerFails: ((answer: EditorAnswer) => Error | undefined) | undefined;
  readonly model: JobModel;
  readonly loop: EditorModelLoop;

  constructor(...entries: JobEntry[]) {
    const nothing = async (): Promise<void> => undefined;
    this.model = new JobModel({ create: nothing, update: nothing, remove: nothing }, () => this.now);
    this.model.load(entries);
    this.loop = new EditorModelLoop({
      model: this.model,
      models: {
        list: async () => this.offered,
        onDidChange: (listener) => {
          this.#changes.add(listener);
          return { dispose: () => this.#changes.delete(listener) };
        },
        answer: async (_, signal, progress) => {
          const answer = Promise.withResolvers<EditorAnswer>();
          this.#thinking.push({ answer, signal, progress });
          return answer.promise;
        },
      },
      connect: async () => {
        this.connects++;
        if (this.connectFails !== undefined) throw this.connectFails;
        return this.#client();
      },
      mayRun: () => this.mayRun,
      now: () => this.now,
      onTrouble: (_, error) => this.troubles.push(error),
      pause: async (ms, signal) => {
        this.pauses.push(ms);
        await new Promise<void>((resolve, reject) => {
          this.#resume.push(() => {
            this.now += ms;
            resolve();
          });
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      },
    });
  }

  get listeners(): number {
    return this.#changes.size;
  }

  get thinking(): { answer: PromiseWithResolvers<EditorAnswer>; signal: AbortSignal; progress: () => void } {
    return this.#thinking.at(-1) ?? assert.fail('no model was asked');
  }

  /** The service answers the oldest question. A real one holds it for seconds. */
  async hand(work: EditorRequest | undefined, afterMs = 25_000): Promise<void> {
    this.now += afterMs;
    (this.#next.shift() ?? assert.fail('nobody asked')).resolve(work);
    await settled();
  }

  async fail(error: Error): Promise<void> {
    (this.#next.shift() ?? assert.fail('nobody asked')).reject(error);
    await settled();
  }

  async changeModels(...ids: string[]): Promise<void> {
    this.offered = ids.map(aModel);
    for (const listener of this.#changes) listener();
    await settled();
  }

  async passPause(): Promise<void> {
    (this.#resume.shift() ?? assert.fail('there is no pause'))();
    await settled();
  }

  #client(): EditorModelClient {
    return {
      nextEditorRequest: async (window, options) => {
        const signal = options?.signal;
        this.asked.push(window);
        this.open++;
        this.mostOpen = Math.max(this.mostOpen, this.open);
        const waiting = Promise.withResolvers<EditorRequest | undefined>();
        this.#next.push(waiting);
        const abort = (): void => {
          this.#next.splice(this.#next.indexOf(waiting), 1);
          waiting.reject(new ApiError('cancelled', 'The request was cancelled.'));
        };
        if (signal?.aborted === true) abort();
        signal?.addEventListener('abort', abort, { once: true });
        return waiting.promise.finally(() => {
          signal?.removeEventListener('abort', abort);
          this.open--;
        });
      },
      answerEditorRequest: async (id, answer) => {
        const error = this.answerFails?.(answer);
        if (error !== undefined) throw error;
        this.answers.push({ id, answer });
      },
    };
  }
}
