import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { AgentSettings, ModelProvider } from '../../src/contract/agents.ts';
import type { JobClient } from '../../src/client/job-client.ts';
import { baseUrl, clientOf, failure, job } from '../support/client-failures.ts';
import { answer } from '../support/fake-fetch.ts';

const providerKey = 'sk-Pr0viderK3y0123456789';
const provider: ModelProvider = {
  id: 'company',
  name: 'Company',
  kind: 'openai-compatible',
  baseUrl: 'https://models.example.com/v1',
  models: ['big'],
  apiKey: providerKey,
};
const settings: AgentSettings = { providers: [provider], commands: [], limits: {} };
const window = { window: 'w'.repeat(36), models: [] };

describe('the client of a service with agents', () => {
  it('names the agent of a new job only where one was chosen', async () => {
    const { client, sent } = clientOf(answer(job));
    await client.create('acme', 'x', { agent: 'acp:opencode' });
    await client.create('acme', 'x');
    await client.message('acme', 'j', 'x');
    assert.deepEqual(
      sent.map(({ init }) => JSON.parse(init.body ?? '') as unknown),
      [{ prompt: 'x', agent: 'acp:opencode' }, { prompt: 'x' }, { prompt: 'x' }],
    );
  });

  it('goes to the routes of our service', async () => {
    const list = { agents: [], handedOver: true };
    const { client, sent } = clientOf(
      answer(list),
      new Response(null, { status: 204 }),
      answer({ ok: true, message: 'It works.', models: ['big'] }),
      answer({ request: null }),
      new Response(null, { status: 204 }),
    );
    assert.deepEqual(await client.agents(), list);
    assert.equal(await client.putAgents(settings), undefined);
    assert.deepEqual((await client.checkProvider(provider)).models, ['big']);
    assert.equal(await client.nextEditorRequest(window), undefined);
    await client.answerEditorRequest('a/b', { kind: 'progress' });
    assert.deepEqual(
      sent.map(({ url, init }) => `${init.method} ${url.slice(baseUrl.length)}`),
      [
        'GET /v2/service/agents',
        'PUT /v2/service/agents',
        'POST /v2/service/agents/check',
        'POST /v2/service/editor-models/next',
        'POST /v2/service/editor-models/a%2Fb',
      ],
    );
    assert.deepEqual(JSON.parse(sent[1]?.init.body ?? ''), settings);
    assert.deepEqual(JSON.parse(sent[4]?.init.body ?? ''), { kind: 'progress' });
  });

  it('reads work for a model of the editor, and refuses what is none', async () => {
    const request = { id: 'r1', model: 'copilot/gpt', messages: [], tools: [] };
    const { client } = clientOf(answer({ request }), answer({ request: { id: 5 } }), answer('<html>'));
    assert.deepEqual(await client.nextEditorRequest(window), request);
    for (let i = 0; i < 2; i++) {
      assert.equal((await failure(client.nextEditorRequest(window))).code, 'unusable_answer');
    }
  });

  it('tells that nobody waits for an answer any more from a service that has no agents', async () => {
    const gone = { error: 'Nobody waits for this any more.', code: 'not_found' };
    const { client } = clientOf(answer(gone, 404), answer('Not here', 404));
    const work = (): Promise<void> => client.answerEditorRequest('r', { kind: 'progress' });
    assert.equal((await failure(work())).code, 'not_found');
    assert.equal((await failure(work())).code, 'not_supported');
  });

  const carriers: readonly [string, (client: JobClient) => Promise<unknown>][] = [
    ['handing it over', (client) => client.putAgents(settings)],
    ['trying it', (client) => client.checkProvider(provider)],
  ];
  for (const [what, work] of carriers) {
    it(`keeps a provider’s key out of every error of ${what}`, async () => {
      const echo = { error: `Not ${providerKey} nor ${providerKey.slice(0, 15)}.` };
      for (const reply of [answer(echo, 400), new TypeError(`bad body ${providerKey}`)]) {
        const error = await failure(work(clientOf(reply).client));
        const text = inspect(error, { depth: 20, showHidden: true });
        assert.ok(!text.includes(providerKey.slice(0, 15)), text);
      }
    });
  }

  describe('waits', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());

    const limits: readonly [string, number, (client: JobClient) => Promise<unknown>][] = [
      ['for work longer than the service holds the question', 40, (c) => c.nextEditorRequest(window)],
      ['for the trial of a provider', 40, (c) => c.checkProvider(provider)],
      ['for the list, in which agents may have to be found', 40, (c) => c.agents()],
      ['not long where nothing has to be done', 20, (c) => c.putAgents(settings)],
      ['not long for an answer to be taken', 20, (c) => c.answerEditorRequest('r', { kind: 'progress' })],
    ];
    for (const [what, seconds, work] of limits) {
      it(what, async () => {
        const failing = failure(work(clientOf(() => new Promise(() => undefined)).client));
        let ended = false;
        void failing.then(() => (ended = true));
        mock.timers.tick(seconds * 1000 - 1);
        await setImmediate();
        assert.equal(ended, false);
        mock.timers.tick(1);
        assert.equal((await failing).code, 'timeout');
      });
    }
  });
});
