import type { EventType } from '../contract/events.ts';
import { ClaimLost } from './job-errors.ts';
import type { JobSignals } from './job-signals.ts';
import type { JobWork } from './job.ts';
import type { Claim, JobStore } from './ports/job-store.ts';

/** An event's message is one phrase; an agent may think otherwise. In characters. */
const maxEventMessage = 500;

/**
 * The written side of one attempt: each word goes to the store under the claim, and losing the claim ends the
 * attempt at the next word.
 */
export class Attempt {
  readonly claim: Claim;
  readonly #store: JobStore;
  readonly #signals: JobSignals;
  readonly #redact: (text: string) => string;
  #work: JobWork;
  #model: string;

  constructor(claim: Claim, store: JobStore, signals: JobSignals, redact: (text: string) => string) {
    this.claim = claim;
    this.#store = store;
    this.#signals = signals;
    this.#redact = redact;
    this.#work = claim.job.work;
    this.#model = claim.job.model;
  }

  /** What the job has brought about, as it is recorded. */
  get work(): JobWork {
    return this.#work;
  }

  /** Throws {@link ClaimLost}, like every method here. */
  async tell(type: EventType, message: string): Promise<void> {
    this.#mustHold(await this.#store.addEvent(this.claim, type, this.#phrase(message)));
  }

  /** Begins a step of the walk: `step` says in words what is under way. */
  async step(type: EventType, step: string): Promise<void> {
    this.#mustHold(await this.#store.record(this.claim, { step: this.#phrase(step) }));
    await this.tell(type, step);
  }

  /** Changes the named fields of the recorded work; undefined removes one. */
  async recordWork(change: { readonly [Name in keyof JobWork]: JobWork[Name] | undefined }): Promise<void> {
    // A field that is undefined vanishes in the store, so it does here.
    const work = Object.fromEntries(
      Object.entries({ ...this.#work, ...change }).filter(([, value]) => value !== undefined),
    );
    this.#mustHold(await this.#store.record(this.claim, { work }));
    this.#work = work;
  }

  /** Which agent and model work on it. */
  get model(): string {
    return this.#model;
  }

  async recordModel(model: string): Promise<void> {
    const phrase = this.#phrase(model);
    this.#mustHold(await this.#store.record(this.claim, { model: phrase }));
    this.#model = phrase;
  }

  /** @param repository without credentials */
  async recordRepository(repository: string): Promise<void> {
    this.#mustHold(await this.#store.record(this.claim, { repository }));
  }

  #phrase(text: string): string {
    const line = this.#redact(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return line.length > maxEventMessage ? `${line.slice(0, maxEventMessage - 1)}…` : line;
  }

  #mustHold(held: boolean): void {
    if (!held) throw new ClaimLost();
    this.#signals.changed(this.claim.job.id);
  }
}
