import type { Redactor } from './redaction.ts';

/**
 * Tokens that came with a project, for example of the editor's own GitHub session. They live as long
 * as the process: never stored, never answered, registered for redaction before anyone can ask for them.
 */
export class HostTokens {
  readonly #redactor: Redactor;
  readonly #tokens = new Map<string, string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Undefined forgets the project's token. */
  set(projectId: string, token: string | undefined): void {
    if (token === undefined) {
      this.#tokens.delete(projectId);
      return;
    }
    this.#redactor.register(token, 'x-access-token');
    this.#tokens.set(projectId, token);
  }

  get(projectId: string): string | undefined {
    return this.#tokens.get(projectId);
  }
}
