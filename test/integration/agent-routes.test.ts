import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../src/client/api-error.ts';
import { JobClient } from '../../src/client/job-client.ts';
import type { AgentSettings } from '../../src/contract/agents.ts';
import type { EditorWindow } from '../../src/contract/editor-models.ts';
import { routes } from '../../src/contract/routes.ts';
import { anthropic, command, editorModel, openAi } from '../support/agent-stand.ts';
import { startServiceApp, testKey, testOrigin, type ServiceApp } from '../support/service-app.ts';

const secret = openAi.apiKey ?? '';
const settings: AgentSettings = { providers: [openAi, anthropic], commands: [command], limits: {} };
const window: EditorWindow = { window: 'window-'.padEnd(36, '0'), models: [editorModel] };
const question = { model: editorModel.id, messages: [], tools: [] };
const never = new AbortController().signal;

describe('the routes of agents', () => {
  let app: ServiceApp;
  let client: JobClient;
  beforeEach(async () => {
    app = await startServiceApp();
    client = new JobClient({
      baseUrl: testOrigin,
      apiKey: testKey,
      fetch: (url, init) => app.fetch(url, init),
    });
  });
  afterEach(() => app[Symbol.asyncDispose]());

  async function codeOf(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'success',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    );
  }

  async function windowIsThere(): Promise<void> {
    while (app.stand.editorModels.list().length === 0) await setImmediate();
  }

  it('list the agents and take what the editor hands over, whole', async () => {
    const before = await client.agents();
    assert.equal(before.handedOver, false);
    assert.deepEqual(
      before.agents.map(({ id }) => id),
      ['rules', 'acp:opencode'],
    );
    await client.putAgents(settings);
    const after = await client.agents();
    assert.equal(after.handedOver, true);
    assert.equal(after.agents.find(({ id }) => id === 'model:openai/gpt-5')?.ready, true);
    assert.equal(after.agents.find(({ id }) => id === 'model:anthropic/claude-5')?.ready, false);
    await client.putAgents({ providers: [], commands: [], limits: {} });
    assert.equal((await client.agents()).agents.length, before.agents.length);
  });

  it('try a provider and keep nothing of it', async () => {
    const check = await client.checkProvider(openAi);
    assert.deepEqual(check, { ok: true, message: 'It takes [redacted].', models: ['big'] });
    assert.deepEqual(app.stand.checked, [openAi]);
    assert.equal((await client.agents()).handedOver, false);
  });

  it('keep a key out of every answer, log line and file', async () => {
    await client.putAgents(settings);
    await client.checkProvider(openAi);
    const bad = [
      { ...settings, providers: [{ ...openAi, kind: secret }] },
      { ...settings, providers: [{ ...openAi, baseUrl: secret }] },
      { ...settings, providers: [{ ...openAi, [secret]: secret, name: `${secret}\n` }] },
      [secret],
      secret,
    ];
    const answers = [
      await app.call('GET', routes.agents()),
      ...(await Promise.all(bad.map((body) => app.call('PUT', routes.agents(), body)))),
      ...(await Promise.all(bad.map((body) => app.call('POST', routes.checkProvider(), body)))),
      await app.call('PUT', `${routes.agents()}?x=1`, { ...settings, limits: { steps: secret } }),
    ];
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const files = await readdir(app.folder);
    const contents = await Promise.all(files.map((name) => readFile(path.join(app.folder, name), 'latin1')));
    for (const text of [...texts, ...contents, inspect(app.lines, { depth: 9 })]) {
      assert.ok(!text.includes(secret), text.slice(0, 500));
    }
    assert.deepEqual(new Set(answers.slice(1).map(({ status }) => status)), new Set([400]));
  });

  it('ask for a key and turn pages in a browser away', async () => {
    const calls: readonly [string, string][] = [
      ['GET', routes.agents()],
      ['PUT', routes.agents()],
      ['POST', routes.checkProvider()],
      ['POST', routes.nextEditorRequest()],
      ['POST', routes.editorAnswer('x')],
    ];
    for (const [method, place] of calls) {
      assert.equal((await app.fetch(place, { method })).status, 401, place);
      const page = await app.call(method, place, method === 'GET' ? undefined : {}, {
        Origin: 'https://evil.example',
      });
      assert.equal(page.status, 403, place);
      assert.equal((await app.call('PATCH', place)).status, 405, place);
    }
  });

  it('bring a request to a window, and its answer back', async () => {
    const asked = client.nextEditorRequest(window);
    const answered = app.stand.editorModels.ask(question, never, () => {});
    const request = (await asked) ?? assert.fail();
    assert.deepEqual(request, { ...question, id: request.id });
    await client.answerEditorRequest(request.id, { kind: 'progress' });
    // An answer may hold whole pages.
    const parts = [{ type: 'text' as const, text: 'x'.repeat(1_000_000) }];
    await client.answerEditorRequest(request.id, { kind: 'done', parts });
    assert.deepEqual(await answered, parts);
    assert.equal(await codeOf(client.answerEditorRequest(request.id, { kind: 'progress' })), 'not_found');
    assert.equal(await codeOf(client.answerEditorRequest('../agents', { kind: 'progress' })), 'not_found');
    const listed = (await client.agents()).agents.map(({ id }) => id);
    assert.ok(listed.includes(`editor:${editorModel.id}`));
  });

  it('refuse an answer that is none, and one without end', async () => {
    const next = client.nextEditorRequest(window);
    app.stand.editorModels.ask(question, never, () => {}).catch(() => undefined);
    const { id } = (await next) ?? assert.fail();
    for (const body of [{}, { kind: 'sing' }, { kind: 'failed', code: 'rude', message: '' }]) {
      assert.equal((await app.call('POST', routes.editorAnswer(id), body)).status, 400);
    }
    const huge = { kind: 'done', parts: [{ type: 'text', text: 'x'.repeat(9_000_000) }] };
    const refused = await app.call('POST', routes.editorAnswer(id), huge);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /larger than 8192 KB/);
    for (const body of [{ ...window, window: 'short' }, { window: window.window }]) {
      assert.equal((await app.call('POST', routes.nextEditorRequest(), body)).status, 400);
    }
  });

  it('answer a question for work with null after its time, at the end of the service, and to nobody', async () => {
    const waited = app.call('POST', routes.nextEditorRequest(), window);
    await windowIsThere();
    await app.stand.clock.advance(25_000);
    assert.deepEqual(await (await waited).json(), { request: null });

    const hangUp = new AbortController();
    const gone = codeOf(client.nextEditorRequest(window, { signal: hangUp.signal }));
    await setImmediate();
    hangUp.abort();
    assert.equal(await gone, 'cancelled');

    const last = app.call('POST', routes.nextEditorRequest(), window);
    await setImmediate();
    app.stop.abort();
    assert.deepEqual(await (await last).json(), { request: null });
  });

  it('hold the service awake for everything but a question for work', async () => {
    const waiting = client.nextEditorRequest(window);
    await windowIsThere();
    assert.equal(app.holds(), 0);
    app.stop.abort();
    await waiting;
  });

  it('create a job for the agent that is asked for', async () => {
    await client.putProject('docs', { repository: app.folder });
    const { id, model } = await client.create('docs', 'x', { agent: 'editor:copilot/gpt-5' });
    assert.equal(model, 'editor:copilot/gpt-5');
    assert.equal((await app.store.get('docs', id))?.agent, 'editor:copilot/gpt-5');
    for (const agent of ['gpt-5', 'model:x', 'acp:../bin', 'editor:', 7]) {
      const refused = await app.call('POST', routes.createJob('docs'), { prompt: 'x', agent });
      assert.equal(refused.status, 400);
    }
    assert.equal((await app.store.list('docs', { limit: 9 })).jobs.length, 1);
  });
});
