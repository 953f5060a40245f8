import assert from 'node:assert/strict';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import { ServiceError } from '../../src/service/service-error.ts';

/** For `assert.rejects`: an error of this name whose sentence says this. */
export function failsWith(code: JobErrorCode, words: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ServiceError, `not a ServiceError: ${String(error)}`);
    assert.equal(error.code, code, `${error.message} (${String(error.cause)})`);
    assert.match(error.message, words);
    return true;
  };
}
