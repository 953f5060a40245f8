/**
 * What can go wrong with a request, as words that a program relies on. A person reads the message.
 *
 * - `may_have_started`: the request left, its answer was lost. A job may run that this machine does not
 *   know of. Everything else, as the outcome of a create or follow-up, means that surely nothing started.
 * - `key_missing`, `key_gone`: made by whoever keeps the keys, when there is none to send.
 */
export type ApiErrorCode =
  | 'invalid_base_url'
  | 'invalid_key'
  | 'key_missing'
  | 'key_gone'
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'not_supported'
  | 'conflict'
  | 'rate_limited'
  | 'server_error'
  | 'unreachable'
  | 'timeout'
  | 'cancelled'
  | 'redirected'
  | 'unusable_answer'
  | 'may_have_started';

/** Codes that another request with the same key would meet again, whichever job it asks for. */
const keyCodes: ReadonlySet<ApiErrorCode> = new Set([
  'invalid_key',
  'key_missing',
  'key_gone',
  'unauthorized',
  'forbidden',
]);

export interface ApiErrorDetails {
  /** HTTP status, when there was an answer. */
  readonly status?: number | undefined;
  /** True when the same request may succeed later without any change. Not a permission to repeat a create. */
  readonly retryable?: boolean;
  /** Milliseconds that the server asked to wait, counted from when the error was made. */
  readonly retryAfterMs?: number | undefined;
  /** For the log. Must not hold a secret; the client passes redacted copies only. */
  readonly cause?: unknown;
}

/** A request that did not succeed. `message` is a sentence that a writer can act on and holds no secret. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: ApiErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = details.status;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** True when the key is the trouble, so that no request with it makes sense until a person acted. */
  get concernsKey(): boolean {
    return keyCodes.has(this.code);
  }
}
