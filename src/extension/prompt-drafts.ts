import type { Memento } from 'vscode';

const draftName = 'docsAgent.promptDraft';

/**
 * Prompts that are not sent yet, one for the next job and one for each job's follow-up: what was typed when
 * the box closed is there the next time. Each has its own entry, so that none is overwritten by another.
 */
export class PromptDrafts {
  readonly #state: Memento;

  constructor(state: Memento) {
    this.#state = state;
  }

  /** `job` is the key of the job that a follow-up is for; absent for a new job. Empty when there is none. */
  find(job?: string): string {
    return this.#state.get<string>(nameOf(job)) ?? '';
  }

  /** An empty text takes the draft away. */
  async keep(text: string, job?: string): Promise<void> {
    await this.#state.update(nameOf(job), text === '' ? undefined : text);
  }

  /**
   * Sends a text and keeps it until that has succeeded. Then `earlier` comes back: a text of the person's
   * that this one was begun beside, and that was not sent with it.
   */
  async keepUntilSent(
    text: string,
    send: () => Promise<boolean>,
    { job, earlier = '' }: { readonly job?: string; readonly earlier?: string } = {},
  ): Promise<void> {
    await this.keep(text, job);
    if (await send()) await this.keep(earlier, job);
  }
}

function nameOf(job: string | undefined): string {
  return job === undefined ? draftName : `${draftName}:${job}`;
}
