import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Agent, fetch as undiciFetch } from 'undici';
import { ApiError, type ApiErrorCode } from '../../src/client/api-error.ts';
import { JobClient } from '../../src/client/job-client.ts';
import { JobPoller } from '../../src/client/job-poller.ts';
import { lookLimitMs } from '../../src/client/polling-policy.ts';
import type { Fetch } from '../../src/client/transport.ts';
import type { Fault } from '../support/faults.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';

const nodeFetch: Fetch = (url, init) => globalThis.fetch(url, init);

function clientOf(
  service: HostedService,
  options: { apiKey?: string; honoursIdempotency?: boolean } = {},
): JobClient {
  return new JobClient({ baseUrl: service.url, apiKey: service.apiKey, fetch: nodeFetch, ...options });
}

async function failure(work: Promise<unknown>, secret: string): Promise<ApiError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, inspect(error));
  assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes(secret));
  return error;
}

describe('the client and a hosted provider', () => {
  let service: HostedService;
  beforeEach(async () => {
    service = await startHostedService();
  });
  afterEach(() => service[Symbol.asyncDispose]());

  it('create a job, see it run and end with a pull request', async () => {
    service.script({ looks: 2, end: 'completed', prLink: 'https://gitlab.com/acme/docs/-/merge_requests/7' });
    const client = clientOf(service);
    const created = await client.create(service.projectId, 'Document the retry option');
    assert.equal(created.status, 'active');
    assert.equal(created.prLink, undefined);
    const seen: string[] = [];
    for (let look = 0; look < 4; look++) {
      const job = await client.get(service.projectId, created.id);
      seen.push(`${job.status} ${job.prLink ?? ''}`.trim());
    }
    const end = 'completed https://gitlab.com/acme/docs/-/merge_requests/7';
    assert.deepEqual(seen, ['active', 'active', end, end]);
    const { headers } = service.requests[0] ?? {};
    assert.equal(headers?.authorization, `Bearer ${service.apiKey}`);
    assert.equal(headers['content-type'], 'application/json');
    assert.match(String(headers['idempotency-key']), /^[0-9a-f-]{36}$/);
  });

  it('tell nothing to change, failed and archived apart', async () => {
    const client = clientOf(service);
    for (const [end, prLink] of [
      ['completed', null],
      ['failed', null],
      ['archived', null],
    ] as const) {
      service.script({ looks: 0, end, prLink });
      const { id } = await client.create(service.projectId, 'x');
      const job = await client.get(service.projectId, id);
      assert.equal(job.status, end);
      assert.equal(job.prLink, undefined);
      assert.equal(job.archivedAt !== undefined, end === 'archived');
    }
  });

  it('go on with a job by a follow-up', async () => {
    service.script(
      { looks: 0, end: 'completed', prLink: 'https://github.com/acme/docs/pull/3' },
      { looks: 0, end: 'completed' },
    );
    const client = clientOf(service);
    const { id } = await client.create(service.projectId, 'x');
    await client.get(service.projectId, id);
    assert.equal((await client.message(service.projectId, id, 'and y')).status, 'active');
    assert.equal((await client.get(service.projectId, id)).prLink, 'https://github.com/acme/docs/pull/3');
  });

  it('refuse and understand what the published description refuses', async () => {
    const { projectId } = service;
    // Begun one by one: a promise that fails while nobody looks at it yet counts as unhandled.
    const cases: readonly (readonly [() => Promise<unknown>, ApiErrorCode, number])[] = [
      [() => clientOf(service).create(projectId, ''), 'invalid_request', 400],
      [
        () => clientOf(service, { apiKey: 'mint_somebody_elses' }).create(projectId, 'x'),
        'unauthorized',
        401,
      ],
      [() => clientOf(service).create('another-project', 'x'), 'forbidden', 403],
      [() => clientOf(service).get(projectId, 'job_unknown'), 'not_found', 404],
      [() => clientOf(service).message(projectId, 'job_unknown', 'x'), 'not_found', 404],
      [() => clientOf(service).list(projectId), 'not_supported', 404],
      [() => clientOf(service).cancel(projectId, 'job_unknown'), 'not_supported', 404],
    ];
    for (const [work, code, status] of cases) {
      const error = await failure(work(), service.apiKey);
      assert.deepEqual([error.code, error.status], [code, status]);
    }
    assert.deepEqual(service.jobIds, []);
  });

  it('meet the hourly limit with Retry-After', async () => {
    await using busy = await startHostedService({ perHour: 2 });
    const client = clientOf(busy);
    await client.create(busy.projectId, 'x');
    await client.create(busy.projectId, 'x');
    const error = await failure(client.create(busy.projectId, 'x'), busy.apiKey);
    assert.equal(error.code, 'rate_limited');
    assert.ok(
      error.retryAfterMs !== undefined && error.retryAfterMs > 3_590_000 && error.retryAfterMs <= 3_600_000,
    );
    assert.equal(busy.jobIds.length, 2);
  });

  for (const [what, fault] of [
    ['the connection is reset', { kind: 'reset', performed: true }],
    ['the body breaks off', { kind: 'broken_body', performed: true }],
    ['the JSON breaks off', { kind: 'cut_json', performed: true }],
    ['a gateway answers instead', { kind: 'answer', status: 504, body: '<html>504</html>', performed: true }],
    ['an empty 200 comes', { kind: 'answer', status: 200, performed: true }],
  ] as const satisfies readonly (readonly [string, Fault])[]) {
    it(`know that a job may have started when ${what}, and that it did once`, async () => {
      service.fail(fault, 'create');
      const error = await failure(clientOf(service).create(service.projectId, 'x'), service.apiKey);
      assert.equal(error.code, 'may_have_started');
      assert.equal(service.requests.length, 1);
      assert.equal(service.jobIds.length, 1);
    });

    it(`keep the job's last state apart from the trouble when ${what} at a look`, async () => {
      const client = clientOf(service);
      const { id } = await client.create(service.projectId, 'x');
      service.fail(fault, 'get', 1);
      const error = await failure(client.get(service.projectId, id), service.apiKey);
      assert.ok(['unreachable', 'server_error', 'unusable_answer'].includes(error.code), error.code);
      assert.equal(error.retryable, true);
      assert.equal((await client.get(service.projectId, id)).id, id);
    });
  }

  it('end a request that hangs when its caller gives up', async () => {
    service.fail({ kind: 'hang' }, 'get');
    const caller = new AbortController();
    const look = failure(
      clientOf(service).get(service.projectId, 'x', { signal: caller.signal }),
      service.apiKey,
    );
    await service.received('get', 1);
    caller.abort();
    assert.equal((await look).code, 'cancelled');
  });

  it('never show the key, even when the service sends it back in every place', async () => {
    const echo = { error: `Key ${service.apiKey}`, message: service.apiKey };
    for (const body of [JSON.stringify(echo), service.apiKey, `"Bearer ${service.apiKey}"`]) {
      service.fail({ kind: 'answer', status: 401, body, headers: { 'x-key': service.apiKey } }, 'get', 1);
      const error = await failure(clientOf(service).get(service.projectId, 'x'), service.apiKey);
      assert.equal(error.code, 'unauthorized');
    }
  });

  it('keep the key from where a redirect leads', async () => {
    await using elsewhere = await startHostedService();
    for (const status of [301, 302, 303, 307, 308]) {
      service.fail({ kind: 'answer', status, headers: { location: `${elsewhere.url}/login` } }, 'any', 2);
      const client = clientOf(service);
      assert.equal((await failure(client.get(service.projectId, 'x'), service.apiKey)).code, 'redirected');
      assert.equal((await failure(client.create(service.projectId, 'x'), service.apiKey)).code, 'redirected');
    }
    assert.equal(elsewhere.requests.length, 0);
  });

  it('find out that nobody listens, and that surely nothing started', async () => {
    // A port that no system gives out: one that was just free may be somebody's a moment later.
    const client = new JobClient({
      baseUrl: 'http://127.0.0.1:2',
      apiKey: service.apiKey,
      fetch: nodeFetch,
    });
    const error = await failure(client.create(service.projectId, 'x'), service.apiKey);
    assert.equal(error.code, 'unreachable');
    assert.match(error.message, /^Nothing answers at 127\.0\.0\.1:2\./);
  });

  it('find out that a host has no address', async () => {
    // The answer of name servers everywhere, without asking those of this machine.
    const nameless = new Agent({
      connect: {
        lookup: (host, _options, answer) => {
          const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
          answer(error, '', 4);
        },
      },
    });
    const client = new JobClient({
      baseUrl: 'https://docs-agent.invalid',
      apiKey: service.apiKey,
      fetch: (url, init) => undiciFetch(url, { ...init, dispatcher: nameless }),
    });
    const error = await failure(client.create(service.projectId, 'x'), service.apiKey);
    await nameless.close();
    assert.equal(error.code, 'unreachable');
    assert.match(error.message, /docs-agent\.invalid was not found/);
  });

  it('find out that https: was asked where http: answers', async () => {
    const url = service.url.replace('http:', 'https:');
    const client = new JobClient({ baseUrl: url, apiKey: service.apiKey, fetch: nodeFetch });
    const error = await failure(client.create(service.projectId, 'x'), service.apiKey);
    assert.deepEqual([error.code, error.retryable], ['unreachable', false]);
  });

  it('have made two jobs if a create is repeated at a server that ignores the idempotency key', async () => {
    service.fail({ kind: 'reset', performed: true }, 'create', 1);
    const client = new JobClient({
      baseUrl: service.url,
      apiKey: service.apiKey,
      fetch: nodeFetch,
      honoursIdempotency: true,
      pause: async () => undefined,
    });
    await client.create(service.projectId, 'x');
    assert.equal(service.jobIds.length, 2, 'this is why it is not repeated there');
  });
});

describe('a client whose server sends the answer in pieces', () => {
  it('reads characters that are torn apart between two pieces', async () => {
    const text = Buffer.from(JSON.stringify({ id: 'j', status: 'active', model: 'ß字😀' }));
    const server = createServer((_request, response) => {
      response.writeHead(200);
      let at = 0;
      const next = (): void => {
        if (at >= text.length) response.end();
        else response.write(text.subarray(at, ++at), () => setImmediate(next));
      };
      next();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const client = new JobClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', fetch: nodeFetch });
      assert.equal((await client.get('p', 'j')).model, 'ß字😀');
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('the poller, the client and a hosted provider', () => {
  it('go from create to the pull request, through a failure, and are silent afterwards', async () => {
    await using service = await startHostedService();
    service.script({ looks: 1, end: 'completed', prLink: 'https://github.com/acme/docs/pull/9' });
    const client = clientOf(service);
    const { id } = await client.create(service.projectId, 'x');
    service.fail({ kind: 'answer', status: 502, body: '<html>' }, 'get', 1);
    const told: string[] = [];
    // Pauses are over at once; the limit of a look never comes, however busy the machine is.
    let now = Date.UTC(2026, 0, 1);
    const timers = new Set<unknown>();
    const ended = Promise.withResolvers<void>();
    using poller = new JobPoller({
      clock: {
        now: () => now,
        setTimeout: (callback, ms) => {
          const timer = setImmediate(() => {
            if (ms === lookLimitMs) return;
            timers.delete(timer);
            now += ms;
            callback();
          });
          timers.add(timer);
          return timer;
        },
        clearTimeout: (timer) => {
          timers.delete(timer);
          clearImmediate(timer as NodeJS.Immediate);
        },
      },
      random: () => 0.5,
      focused: true,
      listener: {
        onJob: (_key, job) => {
          told.push(`${job.status} ${job.prLink ?? ''}`.trim());
          if (job.status !== 'active') ended.resolve();
        },
        onProblem: (_key, error) => void told.push(error.code),
        onGone: () => void told.push('gone'),
        onStopped: () => void told.push('stopped'),
      },
    });
    poller.track({
      key: id,
      origin: client.origin,
      createdAt: now,
      fetchJob: (signal) => client.get(service.projectId, id, { signal }),
    });
    await ended.promise;
    assert.deepEqual(told, ['server_error', 'active', 'completed https://github.com/acme/docs/pull/9']);
    assert.deepEqual(poller.keys, []);
    assert.equal(timers.size, 0);
    assert.equal(service.requests.filter((each) => each.operation === 'get').length, 3);
  });
});
