import assert from 'node:assert/strict';
import {
  editorAgentId,
  editorModelOf,
  freeId,
  isModelName,
  modelAgentId,
  readAgentId,
  readCommands,
  readLimits,
  readProviders,
  withItem,
  withoutItem,
} from '../../src/extension/agent-values.ts';
import { splitCommandLine } from '../../src/extension/command-line.ts';

const provider = {
  id: 'ollama',
  name: 'Ollama',
  kind: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:11434/v1',
  models: ['llama3'],
};
const command = { id: 'mine', name: 'Mine', command: 'my-agent', args: ['--acp'], passVariables: [] };

describe('The setting of the agent', () => {
  it('is the rules where nothing is set', () => {
    assert.equal(readAgentId(undefined), 'rules');
    assert.equal(readAgentId(''), 'rules');
  });

  it('takes every kind of agent', () => {
    for (const id of [
      'rules',
      'model:openai/gpt-5',
      'acp:claude-code',
      'editor:copilot/gpt-5',
      'model:x/a/b:7b',
    ]) {
      assert.equal(readAgentId(id), id);
    }
  });

  for (const value of [
    'gpt-5',
    'model:openai',
    'model:/x',
    'acp:../x',
    'acp:A',
    'editor:',
    'editor:a b',
    7,
    null,
    ['rules'],
    {},
  ]) {
    it(`takes no ${JSON.stringify(value)}`, () => assert.equal(readAgentId(value), undefined));
  }
});

describe('Ids of agents', () => {
  it('name the model', () => {
    assert.equal(modelAgentId('openai', 'gpt-5'), 'model:openai/gpt-5');
    assert.equal(editorModelOf(editorAgentId('copilot/gpt')), 'copilot/gpt');
    for (const other of [undefined, 'rules', 'model:editor/x', 'acp:editor']) {
      assert.equal(editorModelOf(other), undefined);
    }
  });

  it('hold names of models that are one word', () => {
    for (const name of ['gpt-5', 'meta-llama/Llama-3.1-8B:free', 'qwen2.5:7b']) assert.ok(isModelName(name));
    for (const name of ['', ' ', 'two words', 'a\nb', 'ü', 'x'.repeat(201)])
      assert.ok(!isModelName(name), name);
  });

  it('are made of names, and free', () => {
    assert.equal(freeId('Ollama', []), 'ollama');
    assert.equal(freeId('Ollama', ['ollama', 'ollama-2']), 'ollama-3');
    assert.equal(freeId('  Café Modèle! ', []), 'cafe-mode-le');
    for (const name of ['モデル', '---', '']) assert.equal(freeId(name, []), 'other');
    assert.equal(freeId('モデル', ['other']), 'other-2');
    const long = freeId('x'.repeat(29) + ' y'.repeat(50), []);
    assert.match(long, /^[a-z0-9][a-z0-9-]{0,39}$/);
    assert.doesNotMatch(long, /-$/);
  });
});

describe('Hostile and half-written settings of agents', () => {
  it('are no list', () => {
    for (const value of [undefined, null, 'x', 7, {}, { 0: provider, length: 1 }]) {
      assert.deepEqual(readProviders(value), []);
      assert.deepEqual(readCommands(value), []);
    }
  });

  it('lose what is no provider, and keep the rest', () => {
    const found = readProviders([
      null,
      'x',
      { ...provider, id: '../up' },
      { ...provider, id: 'file', baseUrl: 'file:///etc/passwd' },
      { ...provider, id: 'user', baseUrl: 'https://a:b@example.com/v1' },
      { ...provider, id: 'query', baseUrl: 'https://example.com/v1?x=1' },
      { ...provider, id: 'kind', kind: 'shell' },
      { ...provider, id: 'name', name: 'two\nlines' },
      provider,
    ]);
    assert.deepEqual(found, [provider]);
  });

  it('hand on no key that somebody wrote into them', () => {
    const found = readProviders([{ ...provider, apiKey: 'sk-in-settings', headers: { authorization: 'x' } }]);
    assert.deepEqual(found, [provider]);
  });

  it('count the first of two with the same id', () => {
    const second = { ...provider, baseUrl: 'https://evil.example/v1' };
    assert.deepEqual(readProviders([provider, second]), [provider]);
    assert.deepEqual(readCommands([command, { ...command, command: 'evil' }]), [command]);
  });

  it('are read no further than what a service takes', () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ ...provider, id: `p${at}` }));
    assert.equal(readProviders(many).length, 50);
  });

  it('name programs and no shell lines', () => {
    const { passVariables: _, ...short } = command;
    assert.deepEqual(readCommands([short]), [command]);
    assert.deepEqual(
      readCommands([
        { ...command, command: '' },
        { ...command, args: 'x' },
      ]),
      [],
    );
    assert.deepEqual(readCommands([{ ...command, passVariables: ['A=B'] }]), []);
  });

  it('have each limit by itself', () => {
    assert.deepEqual(readLimits({ steps: 10, tokens: 5, cost: 0.5, other: 1 }), { steps: 10, cost: 0.5 });
    assert.deepEqual(readLimits({ steps: '10', cost: -1, tokens: 2000 }), { tokens: 2000 });
    for (const value of [undefined, null, 7, 'x', []]) assert.deepEqual(readLimits(value), {});
  });
});

describe('A list in the settings', () => {
  const byHand = { id: 'half', nmae: 'a slip of the pen' };

  it('keeps what somebody wrote and cannot be read yet', () => {
    const renamed = { ...provider, name: 'New' };
    assert.deepEqual(withItem([byHand, 7, provider], renamed), [byHand, 7, renamed]);
    assert.deepEqual(withItem([byHand], provider), [byHand, provider]);
    assert.deepEqual(withoutItem([byHand, provider, 7], 'ollama'), [byHand, 7]);
  });

  it('begins where there was none, and goes with its last item', () => {
    assert.deepEqual(withItem(undefined, provider), [provider]);
    assert.deepEqual(withItem('x', provider), [provider]);
    assert.equal(withoutItem([provider], 'ollama'), undefined);
    assert.equal(withoutItem(undefined, 'ollama'), undefined);
  });

  it('replaces what has the same id, whatever it was', () => {
    assert.deepEqual(withItem([byHand], { id: 'half' }), [{ id: 'half' }]);
    assert.equal(withoutItem([provider, { ...provider, name: 'twice' }], 'ollama'), undefined);
  });
});

describe('A command line', () => {
  for (const [line, words] of [
    ['my-agent --acp', ['my-agent', '--acp']],
    ['  "C:\\Program Files\\agent.exe"  --stdio ', ['C:\\Program Files\\agent.exe', '--stdio']],
    ['agent --name="two words" x', ['agent', '--name=two words', 'x']],
    ["agent $HOME `id` ; rm 'x y'", ['agent', '$HOME', '`id`', ';', 'rm', "'x", "y'"]],
    ['agent "open', ['agent', 'open']],
    ['', []],
  ] as const) {
    it(`is split: ${JSON.stringify(line)}`, () => assert.deepEqual(splitCommandLine(line), words));
  }
});
