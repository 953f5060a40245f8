import { ApiError, type ApiErrorCode } from '../client/api-error.ts';
import { UserError, type RemedyName } from './user-error.ts';

/** How an error is told to a person. `cancelled`: they ended it themselves, so there is nothing to tell. */
export type ErrorReport =
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'told';
      readonly message: string;
      readonly remedies: readonly RemedyName[];
      /** A word for the log. */
      readonly code: string;
    }
  /** Nobody expected it; its text is for the log, not for a writer. */
  | { readonly kind: 'unexpected' };

const remedies: Partial<Record<ApiErrorCode, readonly RemedyName[]>> = {
  invalid_base_url: ['chooseService'],
  invalid_key: ['replaceKey'],
  key_missing: ['setApiKey'],
  key_gone: ['setApiKey', 'openKeyringHelp'],
  unauthorized: ['refresh', 'replaceKey'],
  forbidden: ['refresh', 'replaceKey'],
  not_found: ['setProjectId', 'chooseService'],
  unreachable: ['refresh', 'chooseService'],
  redirected: ['chooseService'],
  unusable_answer: ['chooseService', 'showLog'],
  timeout: ['refresh', 'showLog'],
  server_error: ['refresh', 'showLog'],
  may_have_started: ['watchJob'],
};

/** Every command's errors come through here once. */
export function reportOf(error: unknown): ErrorReport {
  if (error instanceof UserError) {
    return { kind: 'told', message: error.message, remedies: error.remedies, code: error.code };
  }
  if (error instanceof ApiError) {
    if (error.code === 'cancelled') return { kind: 'cancelled' };
    return {
      kind: 'told',
      message: error.message,
      remedies: remedies[error.code] ?? ['showLog'],
      code: error.code,
    };
  }
  // VS Code's own CancellationError, and what an aborted signal throws.
  if (error instanceof Error && (error.name === 'Canceled' || error.name === 'AbortError')) {
    return { kind: 'cancelled' };
  }
  return { kind: 'unexpected' };
}

/** An error with its causes, for the log: names, codes and messages, which hold no secret where we made them. */
export function logTextOf(error: unknown): string {
  const parts: string[] = [];
  let next: unknown = error;
  for (let depth = 0; next instanceof Error && depth < 5; depth++) {
    const code = 'code' in next && typeof next.code === 'string' ? ` [${next.code}]` : '';
    const isOurs = next instanceof UserError || next instanceof ApiError;
    parts.push(isOurs || next.stack === undefined ? `${next.name}${code}: ${next.message}` : next.stack);
    next = next.cause;
  }
  return parts.length === 0 ? 'Something that is no error was thrown.' : parts.join('\n  caused by ');
}
