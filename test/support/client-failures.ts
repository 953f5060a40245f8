import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { ApiError } from '../../src/client/api-error.ts';
import { JobClient } from '../../src/client/job-client.ts';
import { fakeFetch, type Reply, type Sent } from './fake-fetch.ts';

export const apiKey = 'mint_S3cr3tValue0123456789';
export const baseUrl = 'https://api.example.com';
export const job = { id: 'job_1', status: 'active' };

export function clientOf(...replies: Reply[]): { client: JobClient; sent: Sent[] } {
  const { fetch, sent } = fakeFetch(...replies);
  return { client: new JobClient({ baseUrl, apiKey, fetch }), sent };
}

/** Runs what has to fail, and checks what holds for every failure. */
export async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, inspect(error));
  assert.match(error.message, /^[A-Z\p{L}].*[.”]$/u, error.message);
  assert.doesNotMatch(error.message, /[<>{}]|\p{Cc}|undefined|\[object/u);
  const everything = inspect(error, { depth: 20, showHidden: true });
  assert.ok(!everything.includes(apiKey) && !everything.includes(apiKey.slice(0, 14)), 'the key has leaked');
  return error;
}
