import assert from 'node:assert/strict';
import { ApiError, type ApiErrorCode } from '../../src/client/api-error.ts';
import { checkHealth } from '../../src/client/check-health.ts';
import { JobClient } from '../../src/client/job-client.ts';
import { apiKey, baseUrl, clientOf, failure, job } from '../support/client-failures.ts';
import { answer, fakeFetch } from '../support/fake-fetch.ts';

describe('a request of the client', () => {
  it('goes to the published routes, with what comes from outside encoded', async () => {
    const { client, sent } = clientOf(answer(job));
    await client.create('p/1', 'x');
    await client.get('acme', '../../healthz?a=b#c');
    await client.message('acme', 'j 1', 'y');
    await client.cancel('acme', 'j');
    await client.archive('acme', 'j');
    await client.diff('acme', 'j');
    await client.putProject('acme', { repository: '/docs' });
    await client.shutdown();
    assert.deepEqual(
      sent.map(({ url, init }) => `${init.method} ${url.slice(baseUrl.length)}`),
      [
        'POST /v2/agent/p%2F1/job',
        'GET /v2/agent/acme/job/..%2F..%2Fhealthz%3Fa%3Db%23c',
        'POST /v2/agent/acme/job/j%201/message',
        'POST /v2/agent/acme/job/j/cancel',
        'POST /v2/agent/acme/job/j/archive',
        'GET /v2/agent/acme/job/j/diff',
        'PUT /v2/projects/acme',
        'POST /v2/service/shutdown',
      ],
    );
  });

  it('carries the key, asks for JSON, follows no redirect and has a signal', async () => {
    const { client, sent } = clientOf(answer(job));
    await client.create('acme', 'Say “hello”\n');
    await client.get('acme', 'job_1');
    for (const { init, url } of sent) {
      assert.equal(init.headers['Authorization'], `Bearer ${apiKey}`);
      assert.equal(init.headers['Accept'], 'application/json');
      assert.equal(init.redirect, 'error');
      assert.ok(init.signal instanceof AbortSignal);
      assert.ok(!url.includes(apiKey));
    }
    assert.equal(sent[0]?.init.headers['Content-Type'], 'application/json');
    assert.deepEqual(JSON.parse(sent[0]?.init.body ?? ''), { prompt: 'Say “hello”\n' });
    assert.equal(sent[1]?.init.body, undefined);
    assert.equal(sent[1]?.init.headers['Content-Type'], undefined);
  });

  it('has an idempotency key of its own for each create and follow-up, or the given one', async () => {
    const { client, sent } = clientOf(answer(job));
    await client.create('acme', 'x');
    await client.create('acme', 'x');
    await client.message('acme', 'job_1', 'x');
    await client.create('acme', 'x', { idempotencyKey: 'mine' });
    await client.get('acme', 'job_1');
    const keys = sent.map(({ init }) => init.headers['Idempotency-Key']);
    assert.equal(new Set(keys.slice(0, 3)).size, 3);
    assert.ok(keys.slice(0, 3).every((key) => /^[\w-]{20,}$/.test(key ?? '')));
    assert.deepEqual(keys.slice(3), ['mine', undefined]);
  });

  it('looks the fetch up at each call when it is handed over as a function that does', async () => {
    const first = fakeFetch(answer({ ...job, model: 'first' }));
    const second = fakeFetch(answer({ ...job, model: 'second' }));
    const editor = { fetch: first.fetch };
    const client = new JobClient({ baseUrl, apiKey, fetch: (url, init) => editor.fetch(url, init) });
    assert.equal((await client.get('acme', 'job_1')).model, 'first');
    editor.fetch = second.fetch;
    assert.equal((await client.get('acme', 'job_1')).model, 'second');
  });

  it('keeps a path of the base URL, and cleans the key before sending it', async () => {
    const { fetch, sent } = fakeFetch(answer(job));
    const client = new JobClient({ baseUrl: `${baseUrl}/agents/`, apiKey: `Bearer ${apiKey}\n`, fetch });
    await client.get('acme', 'job_1');
    assert.equal(sent[0]?.url, `${baseUrl}/agents/v2/agent/acme/job/job_1`);
    assert.equal(sent[0].init.headers['Authorization'], `Bearer ${apiKey}`);
    assert.equal(client.origin, baseUrl);
  });

  it('is not even built with a key or an address that must not be used', () => {
    const { fetch } = fakeFetch();
    const built = (options: object) => () => new JobClient({ baseUrl, apiKey, fetch, ...options });
    const code = (expected: ApiErrorCode) => (error: unknown) =>
      error instanceof ApiError && error.code === expected && !error.retryable;
    assert.throws(built({ baseUrl: 'http://api.example.com' }), code('invalid_base_url'));
    assert.throws(built({ baseUrl: 'https://u:p@api.example.com' }), code('invalid_base_url'));
    assert.throws(built({ apiKey: 'mint_dsc_123' }), code('invalid_key'));
    assert.throws(built({ apiKey: '' }), code('invalid_key'));
  });
});

describe('an answer of the service', () => {
  it('is read with every field missing, null or odd, but id and status', async () => {
    for (const body of [
      job,
      { ...job, source: null, model: null, prLink: null, createdAt: null, archivedAt: null },
      { ...job, source: 'x', model: 5, prLink: {}, createdAt: [], title: 7, error: 'no', filesChanged: '3' },
    ]) {
      const read = await clientOf(answer(body)).client.get('acme', 'job_1');
      assert.equal(read.id, 'job_1');
      assert.equal(read.status, 'active');
      assert.equal(read.prLink, undefined);
      assert.equal(read.model, undefined);
      assert.equal(read.repository, undefined);
    }
  });

  it('keeps one good field of an odd group, and a status word that nobody knows', async () => {
    const body = { ...job, status: 'paused', source: { repository: 'https://x.example/r', ref: null } };
    const read = await clientOf(answer(body)).client.get('acme', 'job_1');
    assert.equal(read.status, 'paused');
    assert.equal(read.repository, 'https://x.example/r');
  });

  it('counts as success with any 2xx, any content type and a BOM', async () => {
    for (const status of [200, 201, 202, 203, 206]) {
      const reply = answer(`\uFEFF${JSON.stringify(job)}`, status, { 'content-type': 'text/plain' });
      assert.equal((await clientOf(reply).client.create('acme', 'x')).id, 'job_1');
    }
  });

  it('is unusable as HTML, nothing, cut-off JSON, another JSON, or a job without id or status', async () => {
    for (const body of [
      '<html>Log in</html>',
      '',
      '{"id":"job_1","sta',
      '[]',
      'null',
      '{"id":"x"}',
      '{"status":"active"}',
      '{"id":"","status":"active"}',
      '{"id":5,"status":"active"}',
    ]) {
      const error = await failure(clientOf(answer(body)).client.get('acme', 'job_1'));
      assert.equal(error.code, 'unusable_answer', body);
      assert.equal(error.status, 200);
    }
  });

  it('is not read beyond its bound', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    const error = await failure(clientOf(async () => new Response(endless)).client.get('acme', 'job_1'));
    assert.equal(error.code, 'unusable_answer');
    assert.ok(pulled < 50 && cancelled);
  });

  it('is a list whose odd rows are left out', async () => {
    const { client, sent } = clientOf(
      answer({ jobs: [job, null, { id: 'x' }, { id: 'b', status: 'new' }], nextCursor: 'c2' }),
    );
    const page = await client.list('acme', { limit: 10, cursor: 'a&b', status: 'active' });
    assert.deepEqual(
      page.jobs.map(({ id }) => id),
      ['job_1', 'b'],
    );
    assert.equal(page.nextCursor, 'c2');
    assert.equal(sent[0]?.url, `${baseUrl}/v2/agent/acme/jobs?limit=10&cursor=a%26b&status=active`);
    const last = await clientOf(answer({ jobs: [], nextCursor: null })).client.list('acme');
    assert.deepEqual(last, { jobs: [], nextCursor: undefined });
    assert.equal((await failure(clientOf(answer({ rows: [] })).client.list('acme'))).code, 'unusable_answer');
  });

  it('is a page of events whose unknown kinds are left out', async () => {
    const known = { id: 1, type: 'created', at: '2026-01-01T00:00:00.000Z', message: 'Created.' };
    const { client } = clientOf(
      answer({ events: [known, { ...known, id: 2, type: 'teleported' }, 5], nextCursor: null }),
    );
    assert.deepEqual(await client.events('acme', 'job_1'), { events: [known], nextCursor: undefined });
  });

  it('is a diff as text', async () => {
    const diff = '--- a/x\n+++ b/x\n';
    const { client, sent } = clientOf(answer(diff, 200, { 'content-type': 'text/x-diff' }));
    assert.equal(await client.diff('acme', 'job_1'), diff);
    assert.equal(sent[0]?.init.headers['Accept'], 'text/x-diff');
  });
});

describe('health', () => {
  it('is asked without a key, with the challenge', async () => {
    const { fetch, sent } = fakeFetch(answer({ status: 'ok', version: '1.0.0', proof: 'p' }));
    const health = await checkHealth('http://127.0.0.1:4711', fetch, { challenge: 'a b' });
    assert.deepEqual(health, { status: 'ok', version: '1.0.0', proof: 'p' });
    assert.equal(sent[0]?.url, 'http://127.0.0.1:4711/healthz?challenge=a+b');
    assert.equal('Authorization' in sent[0].init.headers, false);
    const { client, sent: sentByClient } = clientOf(answer({ status: 'ok', version: '1' }));
    await client.health();
    assert.equal('Authorization' in (sentByClient[0]?.init.headers ?? {}), false);
  });

  it('is unusable from somebody else', async () => {
    for (const body of ['OK', '{"status":"up"}', '<html>']) {
      const error = await failure(checkHealth(baseUrl, fakeFetch(answer(body)).fetch));
      assert.equal(error.code, 'unusable_answer');
    }
  });
});
