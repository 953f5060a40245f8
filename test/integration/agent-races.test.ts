import assert from 'node:assert/strict';
import { openProviderAgent } from '../../src/adapters/agents/model/open-agents.ts';
import type { ModelProvider } from '../../src/contract/agents.ts';
import { registryOf, secrets } from '../support/agent-parts.ts';
import { AgentGround, AgentWalk, serviceChildren } from '../support/agent-walk.ts';
import { git } from '../support/repositories.ts';
import { type ModelRequest, startScriptedModel } from '../support/scripted-model.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';

const key = 'sk-of-the-company-0123456789';
const never = new AbortController().signal;

/** Writes a page with the name and the text that the writer's message gives, then ends. */
function obedient({ messages }: ModelRequest): ModelTurn {
  const [, name = '', text = ''] =
    /Write (\S+) with (\S+)\./.exec(messages.map((message) => message.text).join('\n')) ?? [];
  const calls = messages.some((message) => message.results.length > 0)
    ? [{ name: 'finish', input: { title: `Write ${name}`, summary: `Wrote ${name}.` } }]
    : [{ name: 'write_file', input: { path: `docs/${name}.md`, content: `# ${text}\n` } }];
  return { kind: 'call', calls };
}

describe('agents while something else happens', () => {
  let ground: AgentGround;
  let children: ReturnType<typeof serviceChildren>;
  let walk: AgentWalk;

  before(() => {
    ground = new AgentGround();
    children = serviceChildren();
  });
  after(async () => {
    await children[Symbol.asyncDispose]();
    ground[Symbol.dispose]();
  });
  beforeEach(() => {
    walk = new AgentWalk(ground, children);
  });
  afterEach(() => walk[Symbol.asyncDispose]());

  const open = () =>
    registryOf(walk, {
      model: async (provider, model, limits) =>
        openProviderAgent({
          provider,
          model,
          limits,
          tools: walk.tools,
          redactor: walk.service.redactor,
          fetch,
        }),
    });
  const providerAt = (baseUrl: string, apiKey = key): ModelProvider => {
    const models = ['docs-model'];
    return { id: 'scripted', name: 'Scripted', kind: 'openai-compatible', baseUrl, models, apiKey };
  };

  it('finish what they began when the editor hands over other settings', async () => {
    const { registry, settings } = open();
    await using model = await startScriptedModel({
      key,
      script: (request, index) => {
        if (index === 0) settings.replace({ providers: [], commands: [], limits: { steps: 1 } });
        return obedient(request);
      },
    });
    settings.replace({ providers: [providerAt(model.url)], commands: [], limits: {} });
    const id = await walk.create('model:scripted/docs-model', 'Write first with words.');
    await walk.attempt(registry, {}, never);
    const job = await walk.job(id);
    assert.equal(job.status, 'completed', job.error?.message);
    assert.deepEqual(walk.pushed(), ['docs/first.md']);

    const next = await walk.create('model:scripted/docs-model', 'Write second with words.');
    await walk.attempt(registry, {}, never);
    assert.equal(
      (await walk.job(next)).error?.code,
      'agent_unavailable',
      'the next one asks for what there is now',
    );
    await walk.nothingHappenedElsewhere(id, [...secrets, key]);
  });

  it('work on two jobs of one provider at once, each on its own pages', async () => {
    const { registry, settings } = open();
    const both = Promise.withResolvers<void>();
    await using model = await startScriptedModel({
      key,
      script: async (request, index) => {
        if (index === 1) both.resolve();
        await both.promise;
        return obedient(request);
      },
    });
    settings.replace({ providers: [providerAt(model.url)], commands: [], limits: {} });
    const ids = [
      await walk.create('model:scripted/docs-model', 'Write one with apples.'),
      await walk.create('model:scripted/docs-model', 'Write two with pears.'),
    ];
    await Promise.all(ids.map(() => walk.attempt(registry, {}, never)));
    const texts = await Promise.all(
      ids.map(async (id) => {
        const { status, error, work } = await walk.job(id);
        assert.equal(status, 'completed', error?.message);
        const names = git(walk.origin, 'diff', '--name-only', 'main', work.branch ?? '');
        return [names, git(walk.origin, 'show', `${work.branch ?? ''}:${names}`)];
      }),
    );
    assert.deepEqual(texts, [
      ['docs/one.md', '# apples'],
      ['docs/two.md', '# pears'],
    ]);
    for (const id of ids) await walk.nothingHappenedElsewhere(id, [...secrets, key]);
  });

  it('stop between two tools of one answer', async () => {
    const cancel = new AbortController();
    const reason = new Error('The service is stopping.');
    await using model = await startScriptedModel({
      key,
      script: [
        {
          kind: 'call',
          calls: ['one', 'two', 'three'].map((name) => ({
            name: 'write_file',
            input: { path: `docs/${name}.md`, content: '# New\n' },
          })),
        },
      ],
    });
    const used: string[] = [];
    const tools = walk.tools;
    const agent = openProviderAgent({
      provider: providerAt(model.url),
      model: 'docs-model',
      limits: {},
      tools: {
        use: async (call, place, signal) => {
          const answer = await tools.use(call, place, signal);
          used.push(call.name);
          if (call.name === 'write_file') cancel.abort(reason);
          return answer;
        },
      },
      redactor: walk.service.redactor,
      fetch,
    });
    await walk.create('model:scripted/docs-model', 'Write.');
    await walk.attempt({ open: async () => agent }, {}, cancel.signal);
    assert.equal(used.filter((name) => name === 'write_file').length, 1);
    assert.equal(model.requests.length, 1);
    assert.equal(walk.pushed(), undefined);
  });
});
