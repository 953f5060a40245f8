import assert from 'node:assert/strict';
import type { TokensSpent } from '../../src/service/ports/agent.ts';
import { ModelStand, wires } from '../support/model-stand.ts';
import { PagesInMemory } from '../support/pages-in-memory.ts';
import { failsWith } from '../support/service-errors.ts';
import type { ModelTurn, SeenRequest, TurnUsage } from '../support/scripted-turns.ts';

const finish: ModelTurn = {
  kind: 'call',
  calls: [{ name: 'finish', input: { title: 'Half of it', summary: 'Did one page.' } }],
};
const read = (path: string, usage?: TurnUsage): ModelTurn => ({
  kind: 'call',
  calls: [{ name: 'read_file', input: { path } }],
  ...(usage && { usage }),
});
const write = (n: number, usage?: TurnUsage): ModelTurn => ({
  kind: 'call',
  calls: [{ name: 'write_file', input: { path: `docs/${n}.md`, content: `Page ${n}\n` } }],
  ...(usage && { usage }),
});
/** Finishes when nothing else is left to it. */
const obedient =
  (otherwise: (index: number) => ModelTurn) =>
  (request: SeenRequest, index: number): ModelTurn =>
    request.tools.includes('read_file') ? otherwise(index) : finish;

describe('limits of a model agent', () => {
  for (const kind of wires) {
    it(`${kind}: has one last step to say what it did`, async () => {
      await using stand = await ModelStand.start({
        kind,
        limits: { steps: 4 },
        script: obedient((n) => write(n)),
      });
      const result = await stand.run();
      assert.equal(stand.model.requests.length, 4);
      assert.deepEqual(stand.model.requests[3]?.tools, ['finish']);
      const last = stand.model.requests[3]?.messages.at(-1);
      assert.match(
        last?.results[0]?.text ?? '',
        /You have to stop here\. The agent stopped at its limit of 4 steps/,
      );
      assert.match(
        result.summary,
        /^\*\*Not finished:\*\* The agent stopped at its limit of 4 steps\.[\s\S]*Did one page/,
      );
      assert.equal(stand.pages.pages.size, 4);
      assert.deepEqual(stand.model.refused, []);
    });
  }

  it('fails at its limit of steps when nothing was changed', async () => {
    await using stand = await ModelStand.start({
      limits: { steps: 4 },
      script: (_, n) => read(`docs/${n}.md`),
    });
    await assert.rejects(stand.run(), failsWith('usage_limit', /limit of 4 steps\. Nothing was changed/));
    assert.equal(stand.model.requests.length, 3, 'no request for a summary of nothing');
  });

  it('counts tokens of input and output together', async () => {
    const usage = { input: 8000, output: 2000 };
    await using stand = await ModelStand.start({
      limits: { tokens: 35_000 },
      script: obedient((n) => write(n, usage)),
    });
    const result = await stand.run();
    assert.match(result.summary, /limit of 35000 tokens/);
    assert.ok(stand.model.requests.length <= 4, `${stand.model.requests.length} requests`);
  });

  it('keeps what was changed when one answer is far above the limit, and says so', async () => {
    await using stand = await ModelStand.start({
      limits: { tokens: 50_000 },
      script: [write(1), write(2, { input: 900_000, output: 1 })],
    });
    const result = await stand.run();
    assert.match(result.summary, /^\*\*Not finished:[\s\S]*limit of 50000 tokens[\s\S]*Writing docs\/2\.md/);
    assert.equal(stand.model.requests.length, 2);
  });

  it('begins nothing that its limit is too small for', async () => {
    await using stand = await ModelStand.start({ limits: { tokens: 1000 }, script: [] });
    await assert.rejects(stand.run(), failsWith('usage_limit', /raise the limit/));
    assert.equal(stand.model.requests.length, 0);
  });

  it('stops at a cost, where a price is known', async () => {
    const usage = { input: 100_000, output: 10_000 };
    const price = { input: 3, output: 15 };
    await using stand = await ModelStand.start({
      limits: { cost: 1 },
      price,
      script: (_, n) => read(`docs/${n}.md`, usage),
    });
    await assert.rejects(stand.run(), failsWith('usage_limit', /cost limit of 1\./));
    assert.ok(stand.model.requests.length < 4);
    await using free = await ModelStand.start({
      limits: { cost: 1 },
      script: [read('docs/1.md', usage), finish],
    });
    await free.run();
  });

  it('counts for itself where the endpoint does not', async () => {
    await using stand = await ModelStand.start({
      limits: { tokens: 30_000 },
      script: (_, n) => read(`docs/${n}.md`, { input: 0, output: 0 }),
    });
    await assert.rejects(stand.run(), failsWith('usage_limit', /30000 tokens/));
  });

  for (const input of [0, -1_000_000]) {
    it(`counts for itself what the endpoint tells as ${input}, and believes the rest`, async () => {
      await using stand = await ModelStand.start({
        limits: { tokens: 30_000 },
        script: (_, n) =>
          n > 60 ? { kind: 'say', text: 'Done.' } : read(`docs/${n}.md`, { input, output: 5 }),
      });
      await assert.rejects(stand.run(), failsWith('usage_limit', /30000 tokens/));
    });
  }

  it('counts on from what earlier attempts at the message have cost, and tells what it costs', async () => {
    const told: TokensSpent[] = [];
    const onSpent = (spent: TokensSpent): void => void told.push(spent);
    await using stand = await ModelStand.start({
      limits: { tokens: 30_000 },
      script: (_, n) =>
        n === 0 ? { kind: 'break', after: 'I wi' } : read(`docs/${n}.md`, { input: 2000, output: 10 }),
    });
    await assert.rejects(
      stand.run({ spent: { input: 30_000, output: 0 }, onSpent }),
      failsWith('usage_limit', /30000/),
    );
    assert.equal(stand.model.requests.length, 0);
    await assert.rejects(
      stand.run({ spent: { input: 19_000, output: 1 }, onSpent }),
      failsWith('usage_limit', /30000/),
    );
    const [broken, first] = told;
    assert.ok(broken);
    assert.ok(broken.input > 19_000 && broken.output === 2, JSON.stringify(broken));
    assert.deepEqual(first, { input: broken.input + 2000, output: 12 });
    assert.ok(stand.model.requests.length < 6);
  });

  it('stops a model that makes the same call again and again', async () => {
    await using stand = await ModelStand.start({ script: () => read('docs/index.md') });
    await assert.rejects(stand.run(), failsWith('agent_failed', /repeated itself/));
    assert.ok(stand.model.requests.length < 8);
    assert.match(
      stand.model.requests[3]?.messages.at(-1)?.results[0]?.text ?? '',
      /made this very call 3 times/,
    );
  });

  it('stops a model that does nothing right, and bounds what it may ask at once', async () => {
    const calls = Array.from({ length: 60 }, (_, n) => ({ name: 'nonsense', input: { n } }));
    await using stand = await ModelStand.start({ script: [{ kind: 'call', calls }] });
    await assert.rejects(stand.run(), failsWith('agent_failed', /got nowhere/));
    assert.equal(stand.pages.calls.filter(({ name }) => name === 'nonsense').length, 40);
  });
});

describe('room of a model', () => {
  const long = (n: number): string => `Page ${n}. ${'Text of this page. '.repeat(1500)}`;
  const pages = (): PagesInMemory =>
    new PagesInMemory(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`docs/${n}.md`, long(n)])));

  for (const kind of wires) {
    it(`${kind}: older answers of tools get shorter when there are many`, async () => {
      await using stand = await ModelStand.start({
        kind,
        pages: pages(),
        roomTokens: 40_000,
        script: (_, n) => (n < 12 ? read(`docs/${n}.md`) : finish),
      });
      await stand.run();
      const sizes = stand.model.requests.map(({ body }) => JSON.stringify(body).length);
      assert.ok(Math.max(...sizes) < 150_000, `${Math.max(...sizes)} characters`);
      const results = stand.model.requests.at(-1)?.messages.flatMap((message) => message.results) ?? [];
      assert.equal(results.length, 12, 'every call keeps its answer');
      assert.match(results[0]?.text ?? '', /Shortened to save room/);
      assert.ok((results.at(-1)?.text.length ?? 0) > 25_000, 'the last one is whole');
      assert.deepEqual(stand.model.refused, []);
    });

    it(`${kind}: a request that is too large is made once more with less`, async () => {
      await using stand = await ModelStand.start({
        kind,
        pages: pages(),
        contextTokens: 16_000,
        script: (_, n) => (n < 6 ? read(`docs/${n}.md`) : finish),
      });
      const result = await stand.run();
      assert.equal(result.title, 'Half of it');
      assert.ok(stand.model.refused.length > 0);
      assert.ok(
        stand.model.refused.every((why) => /context length|too long/.test(why)),
        stand.model.refused.join('\n'),
      );
      assert.ok(stand.progress.includes('The task was too large for the model; asking again with less'));
    });

    it(`${kind}: a task that cannot be made smaller is context_too_large`, async () => {
      await using stand = await ModelStand.start({ kind, contextTokens: 500, script: [] });
      await assert.rejects(stand.run(), failsWith('context_too_large', /larger context/));
      assert.ok(stand.model.refused.length <= 2);
    });
  }
});
