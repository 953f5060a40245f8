import assert from 'node:assert/strict';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { publishedChecks } from '../support/published-api.ts';

/** Asks without the client, as strangers do. */
async function ask(
  service: HostedService,
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown; retryAfter: string | null }> {
  const headers = {
    authorization: `Bearer ${service.apiKey}`,
    ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...init.headers,
  };
  const answer = await fetch(service.url + path, { ...init, headers });
  return { status: answer.status, body: await answer.json(), retryAfter: answer.headers.get('retry-after') };
}

const create = '/v2/agent/acme-docs/job';
const body = JSON.stringify({ prompt: 'x' });

describe('the hosted stand-in', () => {
  let service: HostedService;
  beforeEach(async () => {
    service = await startHostedService({ perHour: 3 });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  it('answers exactly the published fields and nothing of ours', async () => {
    const { status, body: created } = await ask(service, create, { method: 'POST', body });
    assert.equal(status, 201);
    assert.ok(publishedChecks('strict').agentJob(created));
    assert.deepEqual(Object.keys(created as object).toSorted(), [
      'archivedAt',
      'createdAt',
      'id',
      'model',
      'prLink',
      'source',
      'status',
    ]);
    assert.equal(publishedChecks('strict').agentJob({ ...(created as object), title: 'x' }), false);
  });

  for (const [what, path, init, expected] of [
    ['no key', create, { method: 'POST', body, headers: { authorization: '' } }, 401],
    ['another scheme', create, { method: 'POST', body, headers: { authorization: 'Basic eDp5' } }, 401],
    ['an unknown key', create, { method: 'POST', body, headers: { authorization: 'Bearer mint_x' } }, 401],
    [
      'an assistant key',
      create,
      { method: 'POST', body, headers: { authorization: 'Bearer mint_dsc_x' } },
      403,
    ],
    ['another project', '/v2/agent/other/job', { method: 'POST', body }, 403],
    ['no body', create, { method: 'POST' }, 400],
    ['no JSON', create, { method: 'POST', body: 'prompt=x' }, 400],
    ['JSON as text', create, { method: 'POST', body, headers: { 'content-type': 'text/plain' } }, 400],
    ['an empty prompt', create, { method: 'POST', body: '{"prompt":""}' }, 400],
    ['a prompt that is no text', create, { method: 'POST', body: '{"prompt":["x"]}' }, 400],
    ['an unknown job', `${create}/nope`, {}, 404],
    ['a follow-up to an unknown job', `${create}/nope/message`, { method: 'POST', body }, 404],
    ['the list, which is not published', `${create}s`, {}, 404],
    ['cancel, which is not published', `${create}/nope/cancel`, { method: 'POST' }, 404],
    ['another method', create, { method: 'PUT', body }, 404],
  ] as const) {
    it(`refuses ${what} with ${expected} and the published error`, async () => {
      const answer = await ask(service, path, init);
      assert.equal(answer.status, expected);
      assert.ok(publishedChecks('strict').error(answer.body));
      assert.deepEqual(service.jobIds, []);
    });
  }

  it('counts creates and messages apart, and does not count what it refused', async () => {
    await ask(service, create, { method: 'POST', body: '{"prompt":""}' });
    for (let index = 0; index < 3; index++) {
      assert.equal((await ask(service, create, { method: 'POST', body })).status, 201);
    }
    const refused = await ask(service, create, { method: 'POST', body });
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.retryAfter) > 3_500);
    const path = `${create}/${service.jobIds[0]}/message`;
    assert.equal((await ask(service, path, { method: 'POST', body })).status, 200);
  });

  it('frees the hour as time passes', async () => {
    let now = Date.UTC(2026, 0, 1);
    await using timed = await startHostedService({ perHour: 1, now: () => now });
    assert.equal((await ask(timed, create, { method: 'POST', body })).status, 201);
    now += 59 * 60_000;
    assert.equal((await ask(timed, create, { method: 'POST', body })).retryAfter, '60');
    now += 60_000;
    assert.equal((await ask(timed, create, { method: 'POST', body })).status, 201);
  });

  it('can refuse every key, take another one, forget a job, and end one by hand', async () => {
    await ask(service, create, { method: 'POST', body });
    const [id = ''] = service.jobIds;
    const look = async (): Promise<unknown> => (await ask(service, `${create}/${id}`)).body;
    service.acceptKey(undefined);
    assert.deepEqual(await look(), { error: 'Invalid or expired API key.' });
    service.acceptKey(service.apiKey);
    service.setJob(id, 'completed', 'https://github.com/acme/docs/pull/5');
    assert.equal(((await look()) as { prLink: string }).prLink, 'https://github.com/acme/docs/pull/5');
    service.forgetJob(id);
    assert.deepEqual(await look(), { error: 'Agent job not found.' });
  });

  it('ends although requests hang', async () => {
    service.fail({ kind: 'hang' });
    const hanging = ask(service, create, { method: 'POST', body }).catch(() => 'broken');
    await service.received('create', 1);
    await service[Symbol.asyncDispose]();
    assert.equal(await hanging, 'broken');
  });
});
