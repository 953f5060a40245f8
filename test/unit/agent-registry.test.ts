import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { agentListSchema } from '../../src/contract/agents.ts';
import { RequestError } from '../../src/service/request-error.ts';
import { AgentStand, anthropic, command, editorModel, openAi } from '../support/agent-stand.ts';

/** As long as a job waits for the editor. */
const patience = 120_000;

describe('the agents of the service', () => {
  let stand: AgentStand;
  beforeEach(() => {
    stand = new AgentStand();
  });
  afterEach(async () => {
    stand.editorModels[Symbol.dispose]();
    await setImmediate();
    assert.equal(stand.clock.pendingTimers, 0, 'a timer was left behind');
  });

  const listed = async (): Promise<[string, string, boolean][]> =>
    (await stand.registry.list(stand.cancel.signal)).map(({ id, name, ready }) => [id, name, ready]);

  it('are the rules and what might be found, before the editor has said anything', async () => {
    assert.deepEqual(await listed(), [
      ['rules', 'Built-in rules', true],
      ['acp:opencode', 'opencode', false],
    ]);
    assert.equal(await stand.open('rules'), 'rules');
    assert.deepEqual(stand.told, []);
  });

  it('are listed with what is ready and why the others are not', async () => {
    stand.handOver({ providers: [openAi, anthropic], commands: [command] });
    stand.installed.add('opencode');
    stand.offer(editorModel);
    assert.deepEqual(await listed(), [
      ['rules', 'Built-in rules', true],
      ['model:openai/gpt-5', 'gpt-5 (OpenAI)', true],
      ['model:openai/o4/mini:2026', 'o4/mini:2026 (OpenAI)', true],
      ['model:anthropic/claude-5', 'claude-5 (Anthropic)', false],
      ['acp:mine', 'My Agent', false],
      ['acp:opencode', 'opencode', true],
      ['editor:copilot/gpt-5', 'GPT-5 (copilot)', true],
    ]);
    const agents = await stand.registry.list(stand.cancel.signal);
    assert.deepEqual(agentListSchema.parse({ agents, handedOver: true }).agents, agents);
    for (const { detail } of agents) assert.match(detail, /^[A-Z].*\.$/i);
    assert.ok(!JSON.stringify(agents).includes('sk-of-openai'), 'a key was listed');
  });

  it('do not list a model whose name no id can hold', async () => {
    stand.handOver({ providers: [{ ...openAi, models: ['ein Modell', 'größer', 'ok'] }] });
    assert.deepEqual(
      (await listed()).map(([id]) => id),
      ['rules', 'model:openai/ok', 'acp:opencode'],
    );
  });

  it('are made from what was handed over last, whole', async () => {
    stand.handOver({ providers: [openAi], limits: { steps: 7 } });
    assert.equal(
      await stand.open('model:openai/o4/mini:2026'),
      'openai o4/mini:2026 sk-of-openai-0123456789 7',
    );
    stand.handOver({ providers: [{ ...openAi, apiKey: 'sk-another-0123456789' }] });
    assert.equal(await stand.open('model:openai/gpt-5'), 'openai gpt-5 sk-another-0123456789 undefined');
    stand.handOver({});
    assert.match(await stand.open('model:openai/gpt-5'), /^agent_unavailable: The provider openai is not in/);
  });

  it('hide a key from the moment on that it is known, also after it was replaced', () => {
    stand.handOver({ providers: [openAi] });
    stand.handOver({});
    assert.equal(stand.redactor.redact('with sk-of-openai-0123456789'), 'with [redacted]');
  });

  describe('of the configuration', () => {
    const own = { ...openAi, apiKey: 'sk-of-the-team-0123456789' };
    beforeEach(() => {
      stand = new AgentStand({ handOver: true, providers: [own], commands: [], limits: { steps: 3 } });
    });

    it('are there at once, and nobody can put another address or key in their place', async () => {
      assert.equal(await stand.open('model:openai/gpt-5'), 'openai gpt-5 sk-of-the-team-0123456789 3');
      stand.handOver({ providers: [{ ...openAi, baseUrl: 'https://evil.example' }], limits: { steps: 900 } });
      assert.equal(await stand.open('model:openai/gpt-5'), 'openai gpt-5 sk-of-the-team-0123456789 3');
      assert.equal(stand.redactor.redact(own.apiKey), '[redacted]');
    });
  });

  describe('where nobody may hand anything over', () => {
    beforeEach(() => {
      stand = new AgentStand({ handOver: false, providers: [openAi], commands: [], limits: {} });
    });

    it('are those of the configuration, and the others are not waited for', async () => {
      const refused = (error: unknown) => error instanceof RequestError && error.code === 'forbidden';
      assert.throws(() => stand.handOver({ commands: [command] }), refused);
      await assert.rejects(stand.service.check(anthropic, stand.cancel.signal), refused);
      assert.deepEqual(stand.checked, []);
      assert.match(await stand.open('model:openai/gpt-5'), /^openai gpt-5/);
      assert.match(
        await stand.open('acp:mine'),
        /^agent_unavailable: This service does not know the agent mine/,
      );
      assert.match(await stand.open('model:other/x'), /^agent_unavailable: The provider other is not in/);
      assert.deepEqual(stand.told, []);
    });
  });

  describe('whose key is still to come', () => {
    it('are waited for', async () => {
      const opening = stand.open('model:anthropic/claude-5');
      await stand.clock.advance(patience - 1);
      assert.deepEqual(stand.told, ['Waiting for an editor window that hands over the key of anthropic']);
      stand.handOver({ providers: [{ ...anthropic, apiKey: 'sk-ant-0123456789' }] });
      assert.equal(await opening, 'anthropic claude-5 sk-ant-0123456789 undefined');
    });

    it('end the job after two minutes, with what to do', async () => {
      const opening = stand.open('model:openai/gpt-5');
      await stand.clock.advance(patience);
      assert.match(
        await opening,
        /^agent_unavailable: The editor has not handed over its settings for openai\. Open VS Code/,
      );
    });

    it('end the job at once when the editor has handed over and there is no key', async () => {
      stand.handOver({ providers: [anthropic] });
      assert.match(
        await stand.open('model:anthropic/claude-5'),
        /^agent_unavailable: There is no key for Anthropic\. Set it with “Choose Agent…”/,
      );
      assert.deepEqual(stand.told, []);
    });

    it('end the job when the hand-over came without them', async () => {
      const opening = stand.open('model:openai/gpt-5');
      await stand.clock.advance(10);
      stand.handOver({ providers: [anthropic] });
      assert.match(await opening, /^agent_unavailable: The provider openai is not in the settings any more/);
    });

    it('are waited for no longer than the job goes on', async () => {
      const opening = stand.open('model:openai/gpt-5');
      await stand.clock.advance(10);
      stand.cancel.abort(new Error('cancelled'));
      assert.equal(await opening, 'Error: cancelled');
    });
  });

  it('do not take a model that the provider does not offer any more', async () => {
    stand.handOver({ providers: [openAi] });
    assert.match(await stand.open('model:openai/gpt-4'), /^agent_unavailable: The model gpt-4 is not among/);
  });

  it('take any model of a provider that names none', async () => {
    stand.handOver({ providers: [{ ...openAi, models: [] }] });
    assert.match(await stand.open('model:openai/whatever'), /^openai whatever/);
  });

  describe('on this machine', () => {
    it('are started as the settings say, without waiting where they are found', async () => {
      stand.installed.add('opencode');
      assert.equal(await stand.open('acp:opencode'), 'opencode');
      assert.deepEqual(stand.told, []);
    });

    it('are waited for when only the settings can know them', async () => {
      stand.installed.add('mine');
      const opening = stand.open('acp:mine');
      await stand.clock.advance(1000);
      assert.deepEqual(stand.told, ['Waiting for an editor window that hands over the command of mine']);
      stand.handOver({ commands: [command] });
      assert.equal(await opening, '/opt/mine');
    });

    it('end the job with what is missing', async () => {
      stand.handOver({ commands: [command] });
      assert.match(
        await stand.open('acp:mine'),
        /^agent_unavailable: My Agent was not found .* Install it\.$/,
      );
      assert.match(
        await stand.open('acp:nobody'),
        /^agent_unavailable: This service does not know the agent nobody/,
      );
    });
  });

  describe('of the editor', () => {
    it('are those of the windows that are there', async () => {
      stand.offer(editorModel);
      assert.equal(await stand.open('editor:copilot/gpt-5'), 'copilot/gpt-5 100000');
      assert.deepEqual(stand.told, []);
    });

    it('are waited for until a window has the very model', async () => {
      const opening = stand.open('editor:copilot/gpt-5');
      await stand.clock.advance(1000);
      assert.deepEqual(stand.told, ['Waiting for an editor window with the model copilot/gpt-5']);
      stand.offer({ ...editorModel, id: 'other/model' });
      await stand.clock.advance(patience - 2000);
      stand.offer(editorModel);
      assert.equal(await opening, 'copilot/gpt-5 100000');
    });

    it('end the job after two minutes, whatever other windows there are', async () => {
      stand.handOver({});
      const opening = stand.open('editor:copilot/gpt-5');
      await stand.clock.advance(patience / 2);
      stand.offer({ ...editorModel, id: 'other/model' });
      await stand.clock.advance(patience / 2);
      assert.match(
        await opening,
        /^agent_unavailable: No window of the editor offers the model copilot\/gpt-5/,
      );
    });
  });

  it('know nobody else', async () => {
    for (const id of ['', 'rules:', 'shell:rm', 'model', 'acp']) {
      assert.match(await stand.open(id), /^agent_unavailable: /, id);
    }
  });
});
