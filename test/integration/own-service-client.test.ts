import assert from 'node:assert/strict';
import { isProof } from '../../src/contract/local-service.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { JobClient, type JobClientOptions } from '../../src/client/job-client.ts';
import type { Fetch } from '../../src/client/transport.ts';
import { startServiceApp, testKey, testOrigin, testSecret, type ServiceApp } from '../support/service-app.ts';

const project = 'docs';

describe('the client and our own service', () => {
  let service: ServiceApp;
  beforeEach(async () => {
    service = await startServiceApp();
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const fetchOf: Fetch = (url, init) => service.fetch(url, init);

  function clientOf(options: Partial<JobClientOptions> = {}): JobClient {
    return new JobClient({
      baseUrl: testOrigin,
      apiKey: testKey,
      fetch: fetchOf,
      pause: async () => undefined,
      ...options,
    });
  }

  async function readyClient(options: Partial<JobClientOptions> = {}): Promise<JobClient> {
    const client = clientOf(options);
    await client.putProject(project, { repository: service.folder });
    return client;
  }

  async function codeOf(work: Promise<unknown>): Promise<string> {
    try {
      await work;
      return 'success';
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      assert.ok(!error.message.includes(testKey));
      return error.code;
    }
  }

  it('understand each other in every operation', async () => {
    const client = await readyClient();
    const created = await client.create(project, 'replace "a" with "b"');
    assert.equal(created.status, 'active');
    assert.equal(created.prompt, 'replace "a" with "b"');
    assert.deepEqual(await client.get(project, created.id), created);
    assert.equal((await client.message(project, created.id, 'and "c" with "d"')).id, created.id);
    assert.equal(await codeOf(client.archive(project, created.id)), 'conflict');
    assert.equal(await client.diff(project, created.id), '', 'no agent has run yet');
    const cancelled = await client.cancel(project, created.id);
    assert.equal(cancelled.status, 'failed');
    assert.equal(cancelled.error?.code, 'cancelled');
    assert.equal(await codeOf(client.cancel(project, created.id)), 'conflict');
    assert.equal((await client.archive(project, created.id)).status, 'archived');
    const { events } = await client.events(project, created.id);
    assert.equal(events[0]?.type, 'created');
    assert.equal(events.at(-1)?.type, 'archived');
    assert.equal(await codeOf(client.shutdown()), 'success');
    assert.equal(service.stop.signal.aborted, true);
    assert.equal(await codeOf(client.create(project, 'too late')), 'server_error');
  });

  it('list jobs page by page', async () => {
    const client = await readyClient();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await client.create(project, `job ${index}`)).id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.list(project, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.jobs.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, ids);
    assert.deepEqual((await client.list(project, { status: 'completed' })).jobs, []);
  });

  it('agree on what is refused', async () => {
    const client = await readyClient();
    assert.equal(await codeOf(client.get(project, 'unknown')), 'not_found');
    assert.equal(await codeOf(client.cancel(project, 'unknown')), 'not_found');
    assert.equal(await codeOf(client.create(project, '')), 'invalid_request');
    assert.equal(await codeOf(client.create(project, 'x'.repeat(32_001))), 'invalid_request');
    assert.equal(await codeOf(client.create('never-told', 'x')), 'not_found');
    assert.equal(await codeOf(clientOf({ apiKey: 'another_key_of_somebody' }).list(project)), 'unauthorized');
    await client.create(project, 'x', { idempotencyKey: 'the-same-key' });
    assert.equal(await codeOf(client.create(project, 'y', { idempotencyKey: 'the-same-key' })), 'conflict');
  });

  it('prove who answers before any key is sent', async () => {
    const client = clientOf();
    const { proof, idempotency } = await client.health({ challenge: 'who are you' });
    assert.equal(isProof(testSecret, 'who are you', proof), true);
    assert.equal(isProof(testSecret, 'who else', proof), false);
    assert.equal(idempotency, true);
    assert.equal(client.honoursIdempotency, true);
  });

  it('make one job of a create whose answers get lost, and tell nobody', async () => {
    let toLose = 2;
    const lossy: Fetch = async (url, init) => {
      const answered = await fetchOf(url, init);
      if (init.method === 'POST' && toLose-- > 0)
        throw new TypeError('fetch failed', { cause: new Error('reset') });
      return answered;
    };
    const client = await readyClient({ fetch: lossy });
    assert.equal(await codeOf(client.create(project, 'x')), 'may_have_started', 'nothing is known of it yet');
    await client.health();
    toLose = 2;
    const job = await client.create(project, 'y');
    toLose = 1;
    await client.message(project, job.id, 'z');
    const { jobs } = await client.list(project);
    assert.deepEqual(
      jobs.map(({ prompt }) => prompt),
      ['y', 'x'],
    );
    const { events } = await client.events(project, job.id);
    assert.equal(events.filter(({ type }) => type === 'message').length, 1);
  });
});
