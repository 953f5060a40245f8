import assert from 'node:assert/strict';
import { operations } from '../../src/contract/operations.ts';
import { agentJobSchema, type AgentJob } from '../../src/contract/job.ts';
import { eventListSchema } from '../../src/contract/events.ts';
import { isProof } from '../../src/contract/local-service.ts';
import { healthSchema, jobListSchema, maxPromptLength } from '../../src/contract/requests.ts';
import { routes } from '../../src/contract/routes.ts';
import { projectSchema } from '../../src/contract/project.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { published, publishedChecks } from '../support/published-api.ts';
import {
  type ServiceApp,
  type ServiceAppOptions,
  startServiceApp,
  testKey,
  testSecret,
} from '../support/service-app.ts';

const prompt = 'Replace "log in" with "sign in"';

describe('The HTTP API', () => {
  let app: ServiceApp;

  async function start(options?: ServiceAppOptions): Promise<void> {
    app = await startServiceApp(options);
    const put = await app.call('PUT', routes.project('docs'), { repository: '/srv/docs' });
    assert.equal(put.status, 200);
  }
  afterEach(() => app[Symbol.asyncDispose]());

  async function create(text = prompt, headers: Record<string, string> = {}): Promise<AgentJob> {
    const response = await app.call('POST', routes.createJob('docs'), { prompt: text }, headers);
    assert.equal(response.status, 201);
    return agentJobSchema.parse(await response.json());
  }

  /** Ends the oldest job as a worker would. */
  async function complete(): Promise<void> {
    const claim = await app.store.claim('test', 10_000);
    assert.ok(claim);
    await app.store.record(claim, {
      work: { baseBranch: 'main', branch: 'docs-agent/x', pullRequest: { number: 1, link: '/review/abc' } },
    });
    await app.store.finish(claim, { status: 'completed', summary: 'Done.', model: 'rules' });
  }

  it('creates a job, stores it before the answer, and finds it again', async () => {
    await start();
    const job = await create();
    assert.equal(job.status, 'active');
    assert.equal(job.prLink, null);
    assert.equal(job.prompt, prompt);
    const again = await app.call('GET', routes.job('docs', job.id));
    assert.equal(again.status, 200);
    assert.deepEqual(await again.json(), job);
    assert.equal(again.headers.get('cache-control'), 'no-store');
  });

  it('answers as it is published, with every field in every state', async () => {
    const { agentJob, error } = publishedChecks('published');
    const fields = Object.keys(published.components.schemas.AgentJob.properties).toSorted();
    const isPublished = async (response: Response): Promise<void> => {
      const body = (await response.json()) as Record<string, unknown>;
      assert.ok(agentJob(body), JSON.stringify(agentJob.errors));
      assert.deepEqual(
        fields.filter((field) => !(field in body)),
        [],
      );
      assert.deepEqual(Object.keys(body['source'] as object).toSorted(), ['ref', 'repository']);
      // Also a failed follow-up has the pull request that there is.
      assert.equal(body['prLink'] === null, body['status'] === 'active');
      assert.equal(body['archivedAt'] === null, body['status'] !== 'archived');
    };
    await start({ limits: { createsPerHour: 2, messagesPerHour: 1, hourMs: 3_600_000 } });
    const created = await app.call('POST', routes.createJob('docs'), { prompt });
    const { id } = (await created.clone().json()) as AgentJob;
    await isPublished(created);
    const job = routes.job('docs', id);
    await complete();
    await isPublished(await app.call('GET', job));
    await isPublished(await app.call('POST', routes.message('docs', id), { prompt }));
    await isPublished(await app.call('POST', routes.cancel('docs', id)));
    await isPublished(await app.call('POST', routes.archive('docs', id)));
    await create();
    const refusals: readonly [number, Response][] = [
      [400, await app.call('POST', routes.createJob('docs'), { prompt: '' })],
      [400, await app.call('POST', routes.message('docs', id), {})],
      [404, await app.call('GET', routes.job('docs', 'none'))],
      [404, await app.call('POST', routes.message('docs', 'none'), { prompt })],
      [429, await app.call('POST', routes.createJob('docs'), { prompt })],
    ];
    for (const [status, response] of refusals) {
      assert.equal(response.status, status);
      const body = (await response.json()) as Record<string, unknown>;
      assert.ok(error(body) && typeof body['error'] === 'string' && body['error'] !== '');
    }
  });

  it('tells the review page as a link of the port that it has now', async () => {
    await start();
    const { id } = await create();
    await complete();
    const job = agentJobSchema.parse(await (await app.call('GET', routes.job('docs', id))).json());
    assert.equal(job.status, 'completed');
    assert.equal(job.prLink, 'http://127.0.0.1:4711/review/abc');
  });

  it('answers a repeated create with the same job, and says so', async () => {
    await start();
    const first = await create(prompt, { 'Idempotency-Key': 'k1' });
    const again = await app.call('POST', routes.createJob('docs'), { prompt }, { 'Idempotency-Key': 'k1' });
    assert.equal(again.status, 201);
    assert.equal(again.headers.get('idempotent-replay'), 'true');
    assert.equal(((await again.json()) as AgentJob).id, first.id);
    const other = await app.call(
      'POST',
      routes.createJob('docs'),
      { prompt: 'x' },
      { 'Idempotency-Key': 'k1' },
    );
    assert.equal(other.status, 409);
  });

  it('takes the longest prompt with every character escaped, and refuses one more', async () => {
    await start();
    const escaped = '\\u0041'.repeat(maxPromptLength);
    const send = (text: string): Promise<Response> =>
      app.fetch(routes.createJob('docs'), {
        method: 'POST',
        body: `{"prompt":"${text}"}`,
        headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json; charset=utf-8' },
      });
    assert.equal((await send(escaped)).status, 201);
    assert.equal((await send(`${escaped}A`)).status, 400);
  });

  it('sends a follow-up, which makes the job active again', async () => {
    await start();
    const { id } = await create();
    await complete();
    const response = await app.call('POST', routes.message('docs', id), { prompt: 'Also in the FAQ' });
    assert.equal(response.status, 200);
    const job = agentJobSchema.parse(await response.json());
    assert.deepEqual([job.id, job.status, job.prLink], [id, 'active', null]);
  });

  it('lists jobs, newest first, page by page and by status', async () => {
    await start();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await create(`Prompt ${i}`)).id);
    await complete();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const page = jobListSchema.parse(await (await app.call('GET', routes.jobs('docs') + query)).json());
      seen.push(...page.jobs.map((job) => job.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(seen.toSorted(), ids.toSorted());
    const done = jobListSchema.parse(
      await (await app.call('GET', `${routes.jobs('docs')}?status=completed`)).json(),
    );
    assert.equal(done.jobs.length, 1);
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?status=done', '?cursor=nonsense']) {
      assert.equal((await app.call('GET', routes.jobs('docs') + query)).status, 400, query);
    }
  });

  it('cancels an active job once, and archives it only after its end', async () => {
    await start();
    const { id } = await create();
    assert.equal((await app.call('POST', routes.archive('docs', id))).status, 409);
    const cancelled = await app.call('POST', routes.cancel('docs', id));
    assert.equal(cancelled.status, 200);
    assert.equal(((await cancelled.json()) as AgentJob).error?.code, 'cancelled');
    assert.equal((await app.call('POST', routes.cancel('docs', id))).status, 409);
    const archived = agentJobSchema.parse(await (await app.call('POST', routes.archive('docs', id))).json());
    assert.equal(archived.status, 'archived');
    assert.notEqual(archived.archivedAt, null);
    assert.equal((await app.call('POST', routes.message('docs', id), { prompt })).status, 409);
  });

  it('tells what happened, from a cursor on', async () => {
    await start();
    const { id } = await create();
    await complete();
    const read = async (query: string) =>
      eventListSchema.parse(await (await app.call('GET', routes.events('docs', id) + query)).json());
    const all = await read('');
    assert.deepEqual(
      all.events.map((event) => event.type),
      ['created', 'claimed', 'completed'],
    );
    assert.equal(all.nextCursor, null);
    const first = await read('?limit=1');
    assert.deepEqual((await read(`?cursor=${first.nextCursor}`)).events, all.events.slice(1));
    assert.equal((await app.call('GET', `${routes.events('docs', id)}?cursor=x`)).status, 400);
  });

  it('answers the change as a diff', async () => {
    await start({ diff: async () => 'diff --git a/ü b/ü\n' });
    const { id } = await create();
    assert.equal(await (await app.call('GET', routes.diff('docs', id))).text(), '');
    const claim = await app.store.claim('test', 10_000);
    assert.ok(claim);
    await app.store.record(claim, { work: { baseCommit: 'a', headCommit: 'b' } });
    const response = await app.call('GET', routes.diff('docs', id));
    assert.equal(response.headers.get('content-type'), 'text/x-diff; charset=utf-8');
    assert.equal(await response.text(), 'diff --git a/ü b/ü\n');
  });

  it('says in a sentence when git cannot give the diff, and keeps an own defect to the log', async () => {
    let error: Error = new ServiceError('git_missing', 'Git was not found. Install it.');
    await start({ diff: () => Promise.reject(error) });
    const { id } = await create();
    const claim = await app.store.claim('test', 10_000);
    assert.ok(claim);
    await app.store.record(claim, { work: { baseCommit: 'a', headCommit: 'b' } });
    const response = await app.call('GET', routes.diff('docs', id));
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), { error: 'Git was not found. Install it.', code: 'internal' });
    error = new TypeError('undefined is not /home/writer/secret');
    const defect = await app.call('GET', routes.diff('docs', id));
    assert.equal(defect.status, 500);
    assert.doesNotMatch(await defect.text(), /secret/);
    assert.ok(
      app.lines.some(
        (line) => line.level === 'error' && JSON.stringify(line.fields).includes('job/:id/diff'),
      ),
    );
  });

  it('keeps the token that comes with a project, and never answers it', async () => {
    await start();
    const body = { repository: 'https://github.com/o/r', baseBranch: 'main', hostToken: 'gho_sekret' };
    for (let i = 0; i < 2; i++) {
      const response = await app.call('PUT', routes.project('other'), body);
      assert.equal(response.status, 200);
      const text = await response.text();
      assert.doesNotMatch(text, /sekret/);
      assert.deepEqual(projectSchema.parse(JSON.parse(text)), {
        id: 'other',
        repository: 'https://github.com/o/r',
        baseBranch: 'main',
      });
    }
    assert.equal(app.hostTokens.get('other'), 'gho_sekret');
  });

  it('answers 429 with Retry-After when the hour is full', async () => {
    await start({ limits: { createsPerHour: 2, messagesPerHour: 1, hourMs: 3_600_000 } });
    await create('One');
    await create('Two');
    const refused = await app.call('POST', routes.createJob('docs'), { prompt: 'Three' });
    assert.equal(refused.status, 429);
    assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited');
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 3_500 && seconds <= 3_600, String(seconds));
  });

  it('proves who it is, and tells its version, without a key', async () => {
    await start();
    const response = await app.fetch(`${routes.health()}?challenge=abc%20d`);
    const health = healthSchema.parse(await response.json());
    assert.deepEqual([health.status, health.version], ['ok', '1.2.3']);
    assert.ok(isProof(testSecret, 'abc d', health.proof));
    assert.ok(!isProof('x'.repeat(43), 'abc d', health.proof));
    assert.equal(healthSchema.parse(await (await app.fetch(routes.health())).json()).proof, undefined);
    assert.equal((await app.fetch(`${routes.health()}?challenge=${'x'.repeat(300)}`)).status, 400);
    assert.equal((await app.fetch(routes.ready())).status, 200);
  });

  it('ends on request when it is idle, and not while a job is active', async () => {
    await start();
    await create();
    const refused = await app.call('POST', routes.shutdown());
    assert.equal(refused.status, 409);
    assert.equal((await app.fetch(routes.ready())).status, 200);
    await complete();
    assert.equal((await app.call('POST', routes.shutdown())).status, 202);
    const health = healthSchema.parse(await (await app.fetch(routes.health())).json());
    assert.equal(health.status, 'stopping');
    assert.equal((await app.fetch(routes.ready())).status, 503);
  });

  it('takes no new work on its way out, but answers what is asked', async () => {
    await start();
    const { id } = await create();
    app.stop.abort();
    for (const path of [routes.createJob('docs'), routes.message('docs', id)]) {
      const refused = await app.call('POST', path, { prompt });
      assert.equal(refused.status, 503);
      assert.equal(((await refused.json()) as { code: string }).code, 'stopping');
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    }
    assert.equal((await app.call('GET', routes.job('docs', id))).status, 200);
  });

  it('describes every operation that it answers, and answers every one that it describes', async () => {
    await start();
    const response = await app.fetch(routes.openapi());
    const description = (await response.json()) as { openapi: string; paths: Record<string, object> };
    assert.match(description.openapi, /^3\.1/);
    const { id } = await create();
    for (const operation of operations()) {
      const path = operation.path.replace('{projectId}', 'docs').replace('{id}', id);
      assert.ok(operation.method in (description.paths[operation.path] ?? {}), operation.id);
      const answer = await app.call(operation.method.toUpperCase(), path, operation.body ? {} : undefined);
      assert.ok(![404, 405, 500].includes(answer.status), `${operation.id}: ${answer.status}`);
    }
  });

  it('holds the service awake while it answers, and lets it go', async () => {
    await start();
    assert.equal(app.holds(), 0);
    const answer = app.call('GET', routes.jobs('docs'));
    await answer;
    assert.equal(app.holds(), 0);
  });
});
