import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ApiError } from '../../src/client/api-error.ts';
import { checkHealth } from '../../src/client/check-health.ts';
import type { JobClient } from '../../src/client/job-client.ts';
import { baseUrl, clientOf, failure, job } from '../support/client-failures.ts';
import { answer, fakeFetch } from '../support/fake-fetch.ts';

/** Does not even heed its signal. */
const never = (): Promise<Response> => new Promise(() => undefined);

describe('the time limit of a request', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  async function limitOf(work: (client: JobClient) => Promise<unknown>): Promise<[string, number]> {
    const { client, sent } = clientOf(never);
    const failed: ApiError[] = [];
    const failing = failure(work(client)).then((error) => failed.push(error));
    let seconds = 0;
    for (; failed.length === 0 && seconds < 600; seconds++) {
      assert.equal(sent[0]?.init.signal.aborted, false);
      mock.timers.tick(1_000);
      await setImmediate();
    }
    assert.equal(sent[0]?.init.signal.aborted, true);
    await failing;
    return [failed[0]?.code ?? '', seconds];
  }

  it('is 20 seconds for a look and whatever else is quick', async () => {
    assert.deepEqual(await limitOf((client) => client.get('acme', 'j')), ['timeout', 20]);
    assert.deepEqual(await limitOf((client) => client.list('acme')), ['timeout', 20]);
    assert.deepEqual(await limitOf((client) => client.cancel('acme', 'j')), ['timeout', 20]);
    assert.deepEqual(await limitOf((client) => client.putProject('acme', { repository: 'x' })), [
      'timeout',
      20,
    ]);
  });

  it('is a minute for a create or follow-up, whose answer is then lost, and for a diff', async () => {
    assert.deepEqual(await limitOf((client) => client.create('acme', 'x')), ['may_have_started', 60]);
    assert.deepEqual(await limitOf((client) => client.message('acme', 'j', 'x')), ['may_have_started', 60]);
    assert.deepEqual(await limitOf((client) => client.diff('acme', 'j')), ['timeout', 60]);
  });

  it('is 5 seconds for health, and says so', async () => {
    const failing = failure(checkHealth(baseUrl, fakeFetch(never).fetch));
    mock.timers.tick(5_000);
    const error = await failing;
    assert.equal(error.code, 'timeout');
    assert.equal(error.retryable, true);
    assert.equal(error.message, 'The service did not answer within 5 seconds. Try again later.');
  });

  it('covers the body, not only the beginning of the answer', async () => {
    const { client } = clientOf(async () => new Response(new ReadableStream()));
    const failing = failure(client.get('acme', 'j'));
    await setImmediate();
    mock.timers.tick(20_000);
    assert.equal((await failing).code, 'timeout');
  });

  it('leaves no timer and no listener behind after an answer', async () => {
    const { client, sent } = clientOf(answer(job));
    const caller = new AbortController();
    await client.get('acme', 'j', { signal: caller.signal });
    mock.timers.tick(600_000);
    caller.abort();
    assert.equal(sent[0]?.init.signal.aborted, false);
  });
});
