import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ApiError } from '../../src/client/api-error.ts';
import type { EditorModel, EditorRequest } from '../../src/contract/editor-models.ts';
import { routes } from '../../src/contract/routes.ts';
import { scripted } from '../support/acp-stand.ts';
import { AgentsService, finishes, modelKey, projectId, editCall, edits } from '../support/agents-service.ts';
import { bundleService } from '../support/service-bundle.ts';
import { callService, ServiceHome } from '../support/service-process.ts';

const editorModel: EditorModel = { id: 'gpt', name: 'GPT', vendor: 'copilot', maxInputTokens: 50_000 };

describe('The service with agents', function () {
  this.timeout(120_000);

  it('does a job with a model whose key the editor handed over, up to the pull request', async () => {
    await using stand = await AgentsService.start(
      [edits('docs/index.md', 'Log in', 'Sign in'), finishes('Changed the start page.')],
      { answersAs: 'docs-model-2026-11' },
    );
    await stand.handOver();
    const id = await stand.create('Say sign in');
    const job = await stand.ended(id);
    assert.deepEqual([job.status, job.error], ['completed', undefined]);
    assert.equal(job.model, 'docs-model-2026-11 (Company)');
    assert.equal(stand.page(job, 'docs/index.md'), '# Start\n\nSign in to start.\n');
    assert.equal((await fetch(job.prLink ?? '')).status, 200);
    assert.deepEqual(stand.model.refused, []);
    assert.equal(stand.model.requests.length, 2);
    assert.equal(await stand.service.stop(), 0);
    stand.assertKeyNowhere();
  });

  it('goes on with the same conversation, branch and pull request at a follow-up', async () => {
    await using stand = await AgentsService.start([
      edits('docs/index.md', 'Log in', 'Sign in'),
      finishes('Changed the start page.'),
      edits('docs/more.md', 'Text', 'Sign in'),
      finishes('Changed the other page.'),
    ]);
    await stand.handOver();
    const id = await stand.create('Say sign in on the start page');
    const first = await stand.ended(id);
    await stand.client.message(projectId, id, 'And on the other one');
    const second = await stand.ended(id);
    assert.deepEqual(
      [second.status, second.branch, second.prLink],
      ['completed', first.branch, first.prLink],
    );
    assert.equal(stand.page(second, 'docs/index.md'), '# Start\n\nSign in to start.\n');
    assert.equal(stand.page(second, 'docs/more.md'), '# More\n\nSign in.\n');
    const asked = JSON.stringify(stand.model.requests[2]?.messages);
    for (const words of ['Say sign in on the start page', 'Changed the start page', 'And on the other one']) {
      assert.ok(asked.includes(words), `the model was not told: ${words}`);
    }
  });

  it('commits in the name that its configuration says, on branches that begin as it says', async () => {
    const author = { name: 'Kim of Docs', email: 'kim@example.com' };
    await using stand = await AgentsService.start([], {
      config: () => ({ author, jobs: { branchPrefix: 'writing/' } }),
    });
    const job = await stand.ended(await stand.create('Replace "Log in" with "Sign in"', 'rules'));
    assert.match(job.branch ?? '', /^writing\/replace-log-in-with-sign-in-/);
    assert.equal(
      stand.commit(job, '%an <%ae>, %cn <%ce>'),
      'Kim of Docs <kim@example.com>, Kim of Docs <kim@example.com>',
    );
  });

  it('waits for the editor after a restart in the middle of a job, and completes it', async () => {
    await using stand = await AgentsService.start((_request, index) => {
      if (index === 0) return { kind: 'hang' };
      return index === 1 ? edits('docs/index.md', 'Log in to start', 'Again') : finishes('Changed it.');
    });
    await stand.handOver();
    const id = await stand.create('Say again');
    await stand.model.request(0);
    await stand.service.kill9();
    await stand.service.restart();
    assert.equal((await stand.client.agents()).handedOver, false, 'a key outlived the process');
    await stand.told(id, /^Waiting for an editor window that hands over the key of company$/);
    assert.match((await stand.client.get(projectId, id)).step ?? '', /^Waiting for an editor window/);
    await stand.handOver();
    const job = await stand.ended(id);
    assert.deepEqual([job.status, job.model], ['completed', 'docs-model (Company)']);
    assert.equal(stand.page(job, 'docs/index.md'), '# Start\n\nAgain.\n');
    assert.equal(await stand.service.stop(), 0);
    stand.assertKeyNowhere();
  });

  it('does other jobs while more than run at once wait for the editor', async () => {
    await using stand = await AgentsService.start(() => finishes('Nothing had to change.'));
    const waiting = [await stand.create('One'), await stand.create('Two'), await stand.create('Three')];
    for (const id of waiting) await stand.told(id, /^Waiting for an editor window/);
    const other = await stand.ended(await stand.create('replace "Log in" with "Sign in"', null));
    assert.equal(other.status, 'completed');
    assert.equal(stand.model.requests.length, 0);
    await stand.handOver();
    for (const id of waiting) {
      const job = await stand.ended(id);
      assert.deepEqual([job.status, job.model], ['completed', 'docs-model (Company)'], job.error?.message);
    }
    assert.equal(await stand.service.stop(), 0);
  });

  it('says what to do when the key is wrong, before and after it is used', async () => {
    await using stand = await AgentsService.start([]);
    const wrong = { ...stand.provider, apiKey: 'sk-wrong-0123456789' };
    const check = await stand.client.checkProvider(wrong);
    assert.equal(check.ok, false);
    assert.match(check.message, /key/i);
    assert.equal((await stand.client.checkProvider(stand.provider)).ok, true);
    await stand.handOver({ providers: [wrong] });
    const job = await stand.ended(await stand.create('Do it'));
    assert.equal(job.error?.code, 'model_authentication_failed');
    assert.ok(!job.error.message.includes('sk-wrong'));
  });

  it('ends a job at once whose provider the editor does not know', async () => {
    await using stand = await AgentsService.start([]);
    await stand.handOver({ providers: [] });
    const job = await stand.ended(await stand.create('Do it'));
    assert.equal(job.error?.code, 'agent_unavailable');
    assert.match(job.error.message, /company is not in the settings any more/);
    assert.equal(stand.model.requests.length, 0);
  });

  it('does jobs for a model of its configuration, with the key from the environment', async () => {
    const provider = {
      id: 'team',
      name: 'Team',
      kind: 'anthropic',
      models: ['docs-model'],
      apiKeyVariable: 'TEAM_MODEL_KEY',
    };
    await using stand = await AgentsService.start([finishes('Nothing had to change.')], {
      config: (baseUrl) => ({
        agents: { default: 'model:team/docs-model', providers: [{ ...provider, baseUrl }] },
      }),
      env: { TEAM_MODEL_KEY: modelKey },
    });
    const job = await stand.ended(await stand.create('Do it', null));
    assert.deepEqual([job.status, job.model, job.error], ['completed', 'docs-model (Team)', undefined]);
    assert.equal(await stand.service.stop(), 0);
    stand.assertKeyNowhere();
  });

  it('takes the rules agent while nobody chose another one', async () => {
    await using stand = await AgentsService.start([]);
    await stand.handOver();
    const job = await stand.ended(await stand.create('replace "Log in" with "Sign in"', null));
    assert.deepEqual([job.status, job.model], ['completed', 'rules']);
    assert.match(stand.page(job, 'docs/index.md'), /Sign in/);
  });

  it('does jobs with an agent of the user’s machine, whose command the editor handed over', async () => {
    await using stand = await AgentsService.start([]);
    const command = scripted([{ do: 'write', path: 'docs/more.md', text: '# More\n\nBy the agent.\n' }]);
    await stand.handOver({ commands: [command] });
    const { agents } = await stand.client.agents();
    assert.equal(agents.find(({ id }) => id === 'acp:scripted')?.ready, true);
    assert.equal(agents.find(({ id }) => id === 'acp:gemini')?.kind, 'acp', 'the known ones are told of too');
    const job = await stand.ended(await stand.create('Do it', 'acp:scripted'));
    assert.deepEqual([job.status, job.error], ['completed', undefined]);
    assert.match(job.model ?? '', /^Scripted Agent/);
    assert.equal(stand.page(job, 'docs/more.md'), '# More\n\nBy the agent.\n');
    assert.equal(await stand.service.stop(), 0);
    stand.assertKeyNowhere();
  });

  it('publishes no key of its environment that an agent was given and prints', async () => {
    const key = 'sk-of-the-environment-0123456789';
    await using stand = await AgentsService.start([], { env: { COMPANY_API_KEY: key } });
    const command = scripted(
      [
        { do: 'tool', text: `Use ${key}` },
        { do: 'write', path: 'docs/more.md', text: `# More\n\n${key}\n` },
        { do: 'environment' },
      ],
      { passVariables: ['COMPANY_API_KEY'] },
    );
    await stand.handOver({ commands: [command] });
    const job = await stand.ended(await stand.create('Say it', 'acp:scripted'));
    assert.deepEqual([job.status, job.error?.code], ['failed', 'push_rejected'], job.error?.message);
    assert.equal(job.branch ?? undefined, undefined);
    assert.equal(await stand.service.stop(), 0);
    stand.assertKeyNowhere(key);
  });

  describe('with a model of the editor', () => {
    const window = (name: string) => ({ window: name.padEnd(36, '0'), models: [editorModel] });

    it('asks a window, and another one when that goes', async () => {
      await using stand = await AgentsService.start([]);
      const id = await stand.create('Do it', 'editor:gpt');
      await stand.told(id, /^Waiting for an editor window with the model gpt$/);
      const first = await workOf(stand, window('a'));
      assert.match(JSON.stringify(first.messages), /Do it/);
      // The window of the first one is closed: its connection breaks, and it asks no more.
      const second = await workOf(stand, window('b'));
      await refused(stand.client.answerEditorRequest(first.id, { kind: 'progress' }), 'not_found');
      await stand.client.answerEditorRequest(second.id, {
        kind: 'done',
        parts: [
          {
            type: 'tool-call',
            callId: '1',
            ...editCall('docs/index.md', 'Log in to start', 'By the editor'),
          },
        ],
      });
      const third = await workOf(stand, window('b'));
      assert.match(JSON.stringify(third.messages.at(-1)), /tool-result/);
      await stand.client.answerEditorRequest(third.id, {
        kind: 'done',
        parts: [
          {
            type: 'tool-call',
            callId: '2',
            name: 'finish',
            input: { title: 'Change it', summary: 'Changed it.' },
          },
        ],
      });
      const job = await stand.ended(id);
      assert.deepEqual([job.status, job.error], ['completed', undefined]);
      assert.match(job.model ?? '', /^GPT|^gpt/);
      assert.equal(stand.page(job, 'docs/index.md'), '# Start\n\nBy the editor.\n');
    });

    it('ends when it is idle, however long a window asks for work', async () => {
      await using home = await ServiceHome.create();
      // Six seconds: the question has to come before the end on a busy machine, too.
      const service = home.start({ DOCS_AGENT_IDLE_MINUTES: '0.1' });
      const { url } = await home.address(service);
      const asked = await callService(url, 'POST', routes.nextEditorRequest(), window('a'));
      assert.deepEqual(await asked.json(), { request: null });
      assert.equal((await service.ended).code, 0);
    });

    it('ends with a clear reason when the person says no', async () => {
      await using stand = await AgentsService.start([]);
      const id = await stand.create('Do it', 'editor:gpt');
      const { id: requestId } = await workOf(stand, window('a'));
      await stand.client.answerEditorRequest(requestId, {
        kind: 'failed',
        code: 'no_permission',
        message: 'No',
      });
      const job = await stand.ended(id);
      assert.equal(job.error?.code, 'agent_unavailable');
      assert.match(job.error.message, /does not let Docs Agent use the model gpt/);
    });
  });

  it('does the same as it is built', async () => {
    await using bundle = await bundleService();
    await using stand = await AgentsService.start(
      [edits('docs/index.md', 'Log in', 'Sign in'), finishes('Changed the start page.')],
      { entry: bundle.entry },
    );
    const command = scripted([{ do: 'write', path: 'docs/more.md', text: '# More\n\nBy the agent.\n' }]);
    await stand.handOver({ commands: [command] });
    assert.equal((await stand.client.checkProvider(stand.provider)).ok, true);
    for (const agent of ['model:company/docs-model', 'acp:scripted']) {
      const job = await stand.ended(await stand.create('Do it', agent));
      assert.deepEqual([job.status, job.error, job.filesChanged], ['completed', undefined, 1]);
    }
  });

  it('shows the key to no list of processes, and stops the model when the job is cancelled', async () => {
    await using stand = await AgentsService.start([{ kind: 'hang' }]);
    await stand.handOver();
    const id = await stand.create('Do it');
    const { left } = await stand.model.request(0);
    if (process.platform === 'linux') {
      for (const file of ['cmdline', 'environ']) {
        const text = readFileSync(`/proc/${stand.service.pid}/${file}`, 'latin1');
        assert.ok(!text.includes(modelKey), file);
      }
    }
    await stand.client.cancel(projectId, id);
    assert.equal((await stand.ended(id)).error?.code, 'cancelled');
    await left;
  });
});

/** Asks until there is work, as a window does. */
async function workOf(
  stand: AgentsService,
  window: { window: string; models: EditorModel[] },
): Promise<EditorRequest> {
  for (;;) {
    const request = await stand.client.nextEditorRequest(window);
    if (request !== undefined) return request;
  }
}

async function refused(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error) => error instanceof ApiError && error.code === code);
}
