import assert from 'node:assert/strict';
import type { ApiErrorCode } from '../../src/client/api-error.ts';
import { JobClient } from '../../src/client/job-client.ts';
import { apiKey, baseUrl, clientOf, failure } from '../support/client-failures.ts';
import { answer, fakeFetch, networkError } from '../support/fake-fetch.ts';

describe('a refusal', () => {
  const codes: readonly (readonly [number, ApiErrorCode, boolean])[] = [
    [301, 'redirected', false],
    [400, 'invalid_request', false],
    [401, 'unauthorized', false],
    [402, 'forbidden', false],
    [403, 'forbidden', false],
    [404, 'not_found', false],
    [405, 'not_supported', false],
    [407, 'unreachable', false],
    [408, 'timeout', true],
    [409, 'conflict', false],
    [410, 'not_found', false],
    [413, 'invalid_request', false],
    [418, 'invalid_request', false],
    [422, 'invalid_request', false],
    [425, 'rate_limited', true],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [501, 'not_supported', false],
    [502, 'server_error', true],
    [503, 'server_error', true],
    [504, 'server_error', true],
    [522, 'server_error', true],
  ];
  for (const [status, code, retryable] of codes) {
    it(`with ${status} is ${code}, whatever its body`, async () => {
      for (const body of ['{"error":"Some words"}', '<html>oh</html>', '', '{"error":', '{"a":{"b":1}}']) {
        const error = await failure(clientOf(answer(body, status)).client.get('acme', 'job_1'));
        assert.equal(error.code, code);
        assert.equal(error.status, status);
        assert.equal(error.retryable, retryable);
      }
    });
  }

  it('says what the service said, cleaned, cut short and without the key', async () => {
    const said = `Your key ${apiKey} \u001b[31mhas\u202e expired. ${'More. '.repeat(200)}`;
    const error = await failure(clientOf(answer({ error: said }, 401)).client.get('acme', 'job_1'));
    assert.match(error.message, /The service says: “Your key \[redacted\] has expired\. More\./);
    assert.ok(error.message.length < 500);
  });

  it('does not leak the beginning of a key where the text is cut', async () => {
    for (let length = 270; length < 300; length++) {
      const said = `${'x'.repeat(length)}${apiKey}`;
      const error = await failure(clientOf(answer({ error: said }, 401)).client.get('acme', 'job_1'));
      assert.ok(!error.message.includes(apiKey.slice(0, 4)), error.message);
    }
  });

  it('does not leak a key that invisible characters tear apart', async () => {
    const torn = apiKey.split('').join('\u200b');
    const error = await failure(clientOf(answer({ error: `key ${torn}` }, 401)).client.get('acme', 'job_1'));
    assert.match(error.message, /“key \[redacted\]”/);
  });

  it('carries Retry-After in milliseconds, from seconds, a date or nothing', async () => {
    const now = Date.UTC(2026, 0, 1);
    for (const [header, expected] of [
      ['7', 7_000],
      [new Date(now + 90_000).toUTCString(), 90_000],
      [undefined, undefined],
    ] as const) {
      const reply = answer(
        { error: 'Slow down' },
        429,
        header === undefined ? {} : { 'retry-after': header },
      );
      const client = new JobClient({ baseUrl, apiKey, fetch: fakeFetch(reply).fetch, now: () => now });
      assert.equal((await failure(client.get('acme', 'job_1'))).retryAfterMs, expected);
    }
  });

  it('tells an operation that a provider does not have from a job that ours does not have', async () => {
    const foreign = answer('<html>Not found</html>', 404);
    const ours = answer({ error: 'There is no such job.', code: 'not_found' }, 404);
    for (const call of [
      (client: JobClient) => client.list('acme'),
      (client: JobClient) => client.cancel('acme', 'j'),
      (client: JobClient) => client.archive('acme', 'j'),
      (client: JobClient) => client.events('acme', 'j'),
      (client: JobClient) => client.diff('acme', 'j'),
      (client: JobClient) => client.putProject('acme', { repository: '/x' }),
    ]) {
      assert.equal((await failure(call(clientOf(foreign).client))).code, 'not_supported');
      assert.equal((await failure(call(clientOf(ours).client))).code, 'not_found');
    }
    assert.equal((await failure(clientOf(foreign).client.get('acme', 'j'))).code, 'not_found');
  });

  it('does not leak the code host’s token of a project', async () => {
    const hostToken = 'ghp_0123456789abcdefghijkl';
    const { client } = clientOf(answer({ error: `token ${hostToken} is bad` }, 400));
    const error = await failure(client.putProject('acme', { repository: 'https://x.example/r', hostToken }));
    assert.match(error.message, /token \[redacted\] is bad/);
  });

  it('is known by its status even when its body hangs', async () => {
    const hanging = new Response(new ReadableStream(), { status: 401 });
    const caller = new AbortController();
    const { client } = clientOf(async () => {
      setImmediate(() => caller.abort());
      return hanging;
    });
    assert.equal((await failure(client.create('acme', 'x', { signal: caller.signal }))).code, 'unauthorized');
  });
});

describe('a request that gets no answer', () => {
  for (const [what, error, code, retryable] of [
    ['nobody listens', networkError('ECONNREFUSED', 'connect'), 'unreachable', true],
    ['the name is unknown', networkError('ENOTFOUND', 'getaddrinfo'), 'unreachable', true],
    ['the certificate is private', networkError('SELF_SIGNED_CERT_IN_CHAIN'), 'unreachable', false],
    ['the connection breaks', networkError('ECONNRESET', 'read'), 'unreachable', true],
    [
      'it is redirected',
      new TypeError('fetch failed', { cause: new Error('unexpected redirect') }),
      'redirected',
      false,
    ],
    ['Chromium has no network', new TypeError('net::ERR_INTERNET_DISCONNECTED'), 'unreachable', true],
  ] as const) {
    it(`is ${code} when ${what}`, async () => {
      const failed = await failure(clientOf(error).client.get('acme', 'job_1'));
      assert.equal(failed.code, code);
      assert.equal(failed.retryable, retryable);
      assert.ok(failed.cause instanceof Error || code === 'redirected');
    });
  }

  it('is cancelled by its caller, before and while it is under way, and listens no longer', async () => {
    const gone = AbortSignal.abort();
    const { client, sent } = clientOf(() => new Promise<Response>(() => undefined));
    assert.equal((await failure(client.get('acme', 'job_1', { signal: gone }))).code, 'cancelled');
    assert.equal(sent.length, 0);
    const caller = new AbortController();
    const under = failure(client.get('acme', 'job_1', { signal: caller.signal }));
    caller.abort(new Error(`because of ${apiKey}`));
    assert.equal((await under).code, 'cancelled');
    assert.equal(sent[0]?.init.signal.aborted, true);
  });

  it('does not leak a key that the network library puts into its error', async () => {
    const cause = Object.assign(new Error(`invalid header Bearer ${apiKey}`), {
      headers: [`Bearer ${apiKey}`],
    });
    const error = new TypeError(`fetch failed for ${apiKey}`, { cause });
    await failure(clientOf(error).client.get('acme', 'job_1'));
    await failure(clientOf(error).client.create('acme', 'x'));
  });
});
