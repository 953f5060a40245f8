import assert from 'node:assert/strict';
import { ApiError } from '../../src/client/api-error.ts';
import { JobClient, type JobClientOptions } from '../../src/client/job-client.ts';
import { unsentReason } from '../../src/client/unsent.ts';
import { answer, fakeFetch, networkError, type Reply } from '../support/fake-fetch.ts';

const job = { id: 'job_1', status: 'active' };
const lost = networkError('ECONNRESET', 'read');

function setUp(replies: Reply[], options: Partial<JobClientOptions> = {}) {
  const { fetch, sent } = fakeFetch(...replies);
  const pauses: number[] = [];
  const client = new JobClient({
    baseUrl: 'https://api.example.com',
    apiKey: 'mint_0123456789abcdef',
    fetch,
    pause: async (ms) => void pauses.push(ms),
    ...options,
  });
  return { client, sent, pauses };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'success',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

/** Failures after which the service may have done what it was asked. */
const ambiguous: readonly (readonly [string, Reply])[] = [
  ['the connection was reset after sending', lost],
  ['the other side closed', networkError('UND_ERR_SOCKET', undefined, 'other side closed')],
  ['writing failed half-way', networkError('EPIPE', 'write')],
  ['the network went away while waiting', networkError('ENETUNREACH', 'read')],
  ['the headers did not come in time', networkError('UND_ERR_HEADERS_TIMEOUT')],
  ['what answered was no HTTP', networkError('HPE_INVALID_CONSTANT')],
  ['a gateway answered 502', answer('<html>', 502)],
  ['a gateway answered 503', answer('', 503)],
  ['a gateway answered 504', answer('', 504)],
  ['an edge answered 524', answer('', 524)],
  ['the service answered 500', answer({ error: 'oops' }, 500)],
  ['the body broke off', async () => new Response(broken('{"id":"jo'), { status: 201 })],
  ['the JSON breaks off', answer('{"id":"job_1","sta', 201)],
  ['HTML came with 200', answer('<html>Log in</html>', 200)],
  ['the body is empty', new Response(null, { status: 204 })],
  ['the job has no id', answer({ status: 'active' }, 201)],
  ['one of two addresses broke later', aggregate(['ECONNREFUSED', 'connect'], ['ECONNRESET', 'read'])],
  ['nobody knows why', new TypeError('fetch failed')],
];

/** Failures that happen before the service sees the request, or that say that nothing was done. */
const unsent: readonly (readonly [string, Reply, string])[] = [
  ['nobody listens', networkError('ECONNREFUSED', 'connect'), 'unreachable'],
  [
    'nobody listens at any address',
    aggregate(['ECONNREFUSED', 'connect'], ['ENETUNREACH', 'connect']),
    'unreachable',
  ],
  ['connecting took too long', networkError('ETIMEDOUT', 'connect'), 'unreachable'],
  ['connecting took too long for undici', networkError('UND_ERR_CONNECT_TIMEOUT'), 'unreachable'],
  ['the name is unknown', networkError('ENOTFOUND', 'getaddrinfo'), 'unreachable'],
  ['the resolver does not answer', networkError('EAI_AGAIN', 'getaddrinfo'), 'unreachable'],
  ['the host is not reachable', networkError('EHOSTUNREACH', 'connect'), 'unreachable'],
  ['the certificate is private', networkError('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'unreachable'],
  ['the certificate has ended', networkError('CERT_HAS_EXPIRED'), 'unreachable'],
  ['the certificate is another’s', networkError('ERR_TLS_CERT_ALTNAME_INVALID'), 'unreachable'],
  ['it is no TLS', networkError('ERR_SSL_WRONG_VERSION_NUMBER'), 'unreachable'],
  [
    'the handshake broke off',
    networkError(
      'ECONNRESET',
      undefined,
      'Client network socket disconnected before secure TLS connection was established',
    ),
    'unreachable',
  ],
  [
    'the proxy refused',
    networkError('UND_ERR_ABORTED', undefined, 'Proxy response (407) !== 200 when HTTP Tunneling'),
    'unreachable',
  ],
  ['Chromium finds no name', new TypeError('net::ERR_NAME_NOT_RESOLVED'), 'unreachable'],
  ['Chromium finds no proxy', new TypeError('net::ERR_PROXY_CONNECTION_FAILED'), 'unreachable'],
  ['it is redirected', networkError('', undefined, 'unexpected redirect'), 'redirected'],
  ['400', answer({ error: 'no' }, 400), 'invalid_request'],
  ['401', answer('', 401), 'unauthorized'],
  ['403', answer('', 403), 'forbidden'],
  ['404', answer('<html>', 404), 'not_found'],
  ['408', answer('', 408), 'timeout'],
  ['409', answer({ error: 'other body' }, 409), 'conflict'],
  ['429', answer('', 429), 'rate_limited'],
  ['501', answer('', 501), 'not_supported'],
  ['503 of our service that stops', answer({ error: 'stopping', code: 'stopping' }, 503), 'server_error'],
];

function aggregate(...each: [string, string][]): TypeError {
  const errors = each.map(([code, syscall]) =>
    Object.assign(new Error(`${syscall} ${code}`), { code, syscall }),
  );
  const cause = Object.assign(new AggregateError(errors), { code: errors[0]?.code });
  return new TypeError('fetch failed', { cause });
}

function broken(start: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
    pull: (controller) =>
      controller.error(new TypeError('terminated', { cause: new Error('other side closed') })),
  });
}

describe('a create whose answer is lost', () => {
  for (const [what, reply] of ambiguous) {
    it(`may have started a job, and is not repeated: ${what}`, async () => {
      const { client, sent } = setUp([reply, answer(job, 201)]);
      assert.equal(await codeOf(client.create('acme', 'x')), 'may_have_started');
      assert.equal(sent.length, 1);
    });

    it(`is repeated with the same key where that is honoured: ${what}`, async () => {
      const { client, sent, pauses } = setUp([reply, reply, answer(job, 201)], { honoursIdempotency: true });
      assert.equal((await client.create('acme', 'x')).id, 'job_1');
      const keys = new Set(sent.map(({ init }) => init.headers['Idempotency-Key']));
      assert.equal(keys.size, 1);
      assert.equal(new Set(sent.map(({ init }) => init.body)).size, 1);
      assert.deepEqual(pauses, [1_000, 4_000]);
    });
  }

  it('says so in words, and that it must not simply be sent again', async () => {
    const { client } = setUp([lost]);
    await assert.rejects(client.create('acme', 'x'), /may have started.*before you create it again\.$/);
    await assert.rejects(
      client.message('acme', 'j', 'x'),
      /follow-up may have arrived.*before you send it again\.$/,
    );
  });

  it('is so too when the caller gives up while it is under way, not before', async () => {
    const caller = new AbortController();
    const { client, sent } = setUp([() => new Promise<Response>(() => undefined)]);
    const under = codeOf(client.create('acme', 'x', { signal: caller.signal }));
    caller.abort();
    assert.equal(await under, 'may_have_started');
    assert.equal(await codeOf(client.create('acme', 'x', { signal: caller.signal })), 'cancelled');
    assert.equal(sent.length, 1);
  });

  it('stays so when the repetitions are refused: that tells nothing of the first', async () => {
    for (const [, refusal] of unsent) {
      const { client } = setUp([lost, refusal], { honoursIdempotency: true });
      assert.equal(await codeOf(client.create('acme', 'x')), 'may_have_started');
    }
  });

  it('gives up after three requests', async () => {
    const { client, sent } = setUp([lost], { honoursIdempotency: true });
    assert.equal(await codeOf(client.create('acme', 'x')), 'may_have_started');
    assert.equal(sent.length, 3);
  });

  it('waits as long as a 503 asks, up to a minute, and not when the caller gives up', async () => {
    const busy = answer('', 503, { 'retry-after': '20' });
    const { client, pauses } = setUp([busy, answer('', 503, { 'retry-after': '9999' }), answer(job)], {
      honoursIdempotency: true,
    });
    await client.create('acme', 'x');
    assert.deepEqual(pauses, [20_000, 60_000]);
    const caller = new AbortController();
    const patient = setUp([lost], {
      honoursIdempotency: true,
      pause: async () => caller.signal.throwIfAborted(),
    });
    caller.abort();
    assert.equal(await codeOf(patient.client.create('acme', 'x')), 'may_have_started');
    assert.equal(patient.sent.length, 1);
  });

  it('is repeated for a follow-up by the same rule', async () => {
    const careful = setUp([lost, answer(job)]);
    assert.equal(await codeOf(careful.client.message('acme', 'job_1', 'x')), 'may_have_started');
    assert.equal(careful.sent.length, 1);
    const bold = setUp([lost, answer(job)], { honoursIdempotency: true });
    assert.equal(await codeOf(bold.client.message('acme', 'job_1', 'x')), 'success');
    assert.equal(bold.sent.length, 2);
  });
});

describe('a create that surely started nothing', () => {
  for (const [what, reply, code] of unsent) {
    it(`is ${code}, and is not repeated: ${what}`, async () => {
      for (const honoursIdempotency of [false, true]) {
        const { client, sent } = setUp([reply, answer(job, 201)], { honoursIdempotency });
        assert.equal(await codeOf(client.create('acme', 'x')), code);
        assert.equal(sent.length, 1);
      }
    });
  }

  it('is not confused by an error that points to itself', () => {
    const cyclic = new Error('round');
    cyclic.cause = cyclic;
    assert.equal(unsentReason(cyclic), undefined);
    assert.equal(unsentReason('ECONNREFUSED'), undefined);
  });
});

describe('what is known of a server', () => {
  it('is learned from its health', async () => {
    const { client } = setUp([answer({ status: 'ok', version: '1', idempotency: true }), lost, answer(job)]);
    assert.equal(client.honoursIdempotency, false);
    await client.health();
    assert.equal(client.honoursIdempotency, true);
    assert.equal((await client.create('acme', 'x')).id, 'job_1');
  });

  it('is not concluded from a health that does not say it', async () => {
    const { client } = setUp([answer({ status: 'ok', version: '1' })]);
    await client.health();
    assert.equal(client.honoursIdempotency, false);
  });

  it('is learned from an answer that tells of a replay', async () => {
    const { client } = setUp([answer(job, 201, { 'Idempotent-Replay': 'true' })]);
    await client.create('acme', 'x');
    assert.equal(client.honoursIdempotency, true);
  });

  it('is not shared between clients', async () => {
    const first = setUp([answer({ status: 'ok', version: '1', idempotency: true })]);
    await first.client.health();
    assert.equal(setUp([]).client.honoursIdempotency, false);
  });
});

describe('The sentence for what may have started', () => {
  const sentenceOf = async (reply: Reply): Promise<string> =>
    setUp([reply])
      .client.create('acme', 'x')
      .then(
        () => 'success',
        (error: unknown) => (error instanceof ApiError ? error.message : String(error)),
      );

  it('says what is known: a lost answer, an unreadable one, or trouble that the service told of', async () => {
    assert.match(
      await sentenceOf(lost),
      /^The answer to the request was lost, so the job may have started\./,
    );
    assert.match(
      await sentenceOf(answer('<html>', 200)),
      /^The answer to the request could not be read, so the job/,
    );
    assert.match(
      await sentenceOf(answer({ error: 'oops' }, 500)),
      /^The service has a problem \(500\), so the job may have started\. .*“oops”$/,
    );
  });
});
