import type { JobErrorCode } from '../contract/errors.ts';
import type { JobError } from '../contract/job.ts';

/**
 * A failure with a name. Made once, at the adapter that knows what happened; `message` is a sentence
 * that a writer can act on and holds no secret; `cause` is for the log only.
 */
export class ServiceError extends Error {
  readonly code: JobErrorCode;
  /** True when the same job may succeed later without any change. */
  readonly retryable: boolean;
  /** How long the other side wants to be left alone, in milliseconds; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: JobErrorCode,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }

  toJobError(): JobError {
    return { code: this.code, message: this.message, retryable: this.retryable };
  }
}
