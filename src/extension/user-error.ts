import type { CommandName } from './command-table.ts';

/** What a person can do about an error: one of our commands, or one of VS Code's own. */
export type RemedyName =
  | CommandName
  | 'replaceKey'
  | 'manageTrust'
  | 'openKeyringHelp'
  | 'openFolder'
  | 'initRepository';

/**
 * A failure with a name and a sentence that a writer can act on, made where the cause is known. The
 * command wrapper shows it once, with a button for each remedy; background work stores `code` and
 * `message` as an `EntryProblem` instead.
 */
export class UserError extends Error {
  readonly code: string;
  readonly remedies: readonly RemedyName[];

  constructor(
    code: string,
    message: string,
    options: { remedies?: readonly RemedyName[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'UserError';
    this.code = code;
    this.remedies = options.remedies ?? [];
  }
}
