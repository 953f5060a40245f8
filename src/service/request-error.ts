import type { RequestErrorCode } from '../contract/errors.ts';

/** A request that is refused. `message` is answered as it is, so it is a sentence and holds no secret. */
export class RequestError extends Error {
  readonly code: RequestErrorCode;
  /** Seconds until a repetition may succeed, for `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(code: RequestErrorCode, message: string, retryAfter?: number) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
