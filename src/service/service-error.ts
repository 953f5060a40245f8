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

  constructor(code: JobErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }

  toJobError(): JobError {
    return { code: this.code, message: this.message, retryable: this.retryable };
  }
}
