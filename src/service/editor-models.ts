import { randomUUID } from 'node:crypto';
import type { EditorAnswer, EditorModel, EditorRequest, EditorWindow } from '../contract/editor-models.ts';
import { Changes } from './changes.ts';
import type { Clock } from './clock.ts';
import { editorFailure, editorSilent, editorTooLarge, windowGone } from './editor-model-errors.ts';
import type { EditorAnswerParts, EditorModels, EditorSign } from './ports/editor-models.ts';
import { RequestError } from './request-error.ts';

/** How long one question for work is held, in milliseconds. Proxies and clients give up at thirty seconds. */
const heldMs = 25_000;
/** A window that neither asks nor answers for so long has gone: it asks again at once after each answer. */
const goneMs = 10_000;
/** How long a request waits for a window with its model. A reload takes seconds, a restart of the editor less. */
const absentMs = 120_000;
/** A model that has not said a word for so long has lost the request: the first ones come within a minute. */
const silentMs = 180_000;
/** Characters of one request as JSON. Far beyond what any model takes in. */
const largestRequest = 16_000_000;
/** Far beyond what a person has open; each is remembered for seconds only. */
const mostWindows = 100;

interface Window {
  readonly token: string;
  models: readonly EditorModel[];
  /** Answers the question for work that is held now. */
  take: ((request: EditorRequest | undefined) => void) | undefined;
  /** Runs while it does not ask. */
  goneTimer: unknown;
}

/** A request of a job. It is with a window, or waits for one. */
interface Pending {
  readonly request: Omit<EditorRequest, 'id'>;
  readonly onSign: (sign: EditorSign) => void;
  readonly settle: (parts: EditorAnswerParts) => void;
  readonly fail: (error: Error) => void;
  /** Where it is. Each hand-out has an id of its own, so nobody else can answer, and nobody answers late. */
  held: { readonly id: string; readonly window: Window } | undefined;
  /** Of its silence while a window has it, of its patience while there is no window for it. */
  timer: unknown;
  /** It was told that there is no window for it. */
  waits: boolean;
}

/**
 * Brings requests to the language models of the editor's windows. A window asks for work and holds the
 * question; it gets a request for one of its models and brings the answer by the request's id. When it goes,
 * the request goes to another window, or waits a while for one.
 */
export class EditorModelBridge implements EditorModels, Disposable {
  /** Announced when windows or their models have changed. */
  readonly changes = new Changes();
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  /** Oldest first. */
  readonly #pending = new Set<Pending>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  list(): readonly EditorModel[] {
    const models = [...this.#windows.values()].flatMap((window) => window.models);
    return [...new Map(models.map((model) => [model.id, model])).values()];
  }

  async ask(
    request: Omit<EditorRequest, 'id'>,
    signal: AbortSignal,
    onSign: (sign: EditorSign) => void,
  ): Promise<EditorAnswerParts> {
    signal.throwIfAborted();
    if (JSON.stringify(request).length > largestRequest) throw editorTooLarge();
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<EditorAnswerParts>();
    const pending: Pending = {
      request,
      onSign,
      settle,
      fail,
      held: undefined,
      timer: undefined,
      waits: false,
    };
    const onAbort = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#pending.add(pending);
    this.#offer(pending);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#clock.clearTimeout(pending.timer);
      this.#pending.delete(pending);
    }
  }

  /**
   * Work for one of the window's models; undefined when there was none for a while, or `signal` fired.
   *
   * @throws RequestError `rate_limited` when there are too many windows
   */
  async next(asking: EditorWindow, signal: AbortSignal): Promise<EditorRequest | undefined> {
    const window = this.#enter(asking);
    if (asking.working !== undefined) this.#takeBackLost(window, asking.working);
    if (signal.aborted) {
      this.#leave(window);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<EditorRequest | undefined>();
    window.take = resolve;
    const end = (): void => resolve(undefined);
    const timer = this.#clock.setTimeout(end, heldMs);
    signal.addEventListener('abort', end, { once: true });
    for (const pending of this.#pending) this.#offer(pending);
    try {
      const request = await promise;
      if (!signal.aborted || request === undefined) return request;
      // Whoever asked has hung up meanwhile.
      for (const pending of this.#pending) if (pending.held?.id === request.id) this.#takeBack(pending);
      return undefined;
    } finally {
      this.#clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      // A later question of the same window may be held by now.
      if (window.take === resolve) this.#leave(window);
    }
  }

  /**
   * What a model said, or that it still thinks.
   *
   * @throws RequestError `not_found` when nobody waits for it (any more): the model may stop
   */
  answer(id: string, answer: EditorAnswer): void {
    const pending = [...this.#pending].find(({ held }) => held?.id === id);
    if (pending?.held === undefined) {
      throw new RequestError('not_found', 'Nobody waits for this answer any more. The model may stop.');
    }
    const { window } = pending.held;
    if (window.take === undefined) this.#leave(window);
    switch (answer.kind) {
      case 'progress':
        this.#watchSilence(pending);
        pending.onSign('thinks');
        return;
      case 'done':
        this.#pending.delete(pending);
        pending.settle(answer.parts);
        return;
      case 'failed':
        this.#pending.delete(pending);
        pending.fail(editorFailure(answer, pending.request.model));
        return;
    }
  }

  [Symbol.dispose](): void {
    for (const window of this.#windows.values()) {
      this.#clock.clearTimeout(window.goneTimer);
      window.take?.(undefined);
      window.take = undefined;
    }
    this.#windows.clear();
    for (const pending of this.#pending) pending.fail(windowGone(pending.request.model));
  }

  #enter({ window: token, models }: EditorWindow): Window {
    let window = this.#windows.get(token);
    if (window === undefined) {
      if (this.#windows.size >= mostWindows) {
        throw new RequestError('rate_limited', 'Too many windows ask for work. Close some.', 60);
      }
      window = { token, models: [], take: undefined, goneTimer: undefined };
      this.#windows.set(token, window);
    }
    // One question a window: an older one is answered, so that its connection is free.
    window.take?.(undefined);
    window.take = undefined;
    this.#clock.clearTimeout(window.goneTimer);
    const isOther = JSON.stringify(window.models) !== JSON.stringify(models);
    window.models = models;
    if (isOther) this.changes.announce();
    return window;
  }

  /** The window holds no question now: unless it comes again it has gone. */
  #leave(window: Window): void {
    window.take = undefined;
    this.#clock.clearTimeout(window.goneTimer);
    window.goneTimer = this.#clock.setTimeout(() => this.#forget(window), goneMs);
  }

  #forget(window: Window): void {
    this.#windows.delete(window.token);
    for (const pending of this.#pending) {
      if (pending.held?.window === window) this.#takeBack(pending);
      // Those that nobody has may have lost their last hope with it.
      else this.#offer(pending);
    }
    this.changes.announce();
  }

  /** A hand-out whose answer never reached the window: it does not name it among what it works on. */
  #takeBackLost(window: Window, working: readonly string[]): void {
    for (const pending of this.#pending) {
      const { held } = pending;
      if (held?.window === window && !working.includes(held.id)) this.#takeBack(pending);
    }
  }

  #takeBack(pending: Pending): void {
    pending.held = undefined;
    this.#stopTimer(pending);
    this.#offer(pending);
  }

  /** Hands a request to a window that asks now, else lets it wait for one. */
  #offer(pending: Pending): void {
    if (pending.held !== undefined) return;
    const { model } = pending.request;
    const having = [...this.#windows.values()].filter(({ models }) => models.some(({ id }) => id === model));
    const window = having.find(({ take }) => take !== undefined);
    if (window?.take !== undefined) {
      const { take } = window;
      pending.held = { id: randomUUID(), window };
      this.#leave(window);
      this.#watchSilence(pending);
      if (pending.waits) pending.onSign('thinks');
      pending.waits = false;
      take({ ...pending.request, id: pending.held.id });
      return;
    }
    if (having.length > 0) {
      // One of them asks again in a moment, or goes.
      this.#stopTimer(pending);
      return;
    }
    if (pending.timer !== undefined) return;
    pending.timer = this.#clock.setTimeout(() => pending.fail(windowGone(model)), absentMs);
    pending.waits = true;
    pending.onSign('waits');
  }

  #stopTimer(pending: Pending): void {
    this.#clock.clearTimeout(pending.timer);
    pending.timer = undefined;
  }

  #watchSilence(pending: Pending): void {
    this.#stopTimer(pending);
    pending.timer = this.#clock.setTimeout(() => pending.fail(editorSilent(pending.request.model)), silentMs);
  }
}
