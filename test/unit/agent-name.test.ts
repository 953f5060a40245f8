import assert from 'node:assert/strict';
import { agentName } from '../../src/extension/agent-name.ts';

const known = {
  providers: [
    {
      id: 'gateway',
      name: 'Our gateway',
      kind: 'openai-compatible' as const,
      baseUrl: 'https://models.example.com/v1',
      models: [],
    },
  ],
  commands: [{ id: 'scribe', name: 'Scribe', command: 'scribe', args: [], passVariables: [] }],
};

describe('The name of an agent in the prompt’s box', () => {
  it('is none for the rules, which nobody has to choose', () => {
    assert.equal(agentName('rules', known), undefined);
  });

  it('names a model with its provider, slashes in its name included', () => {
    assert.equal(agentName('model:gateway/large', known), 'large (Our gateway)');
    assert.equal(agentName('model:gateway/meta/llama:8b', known), 'meta/llama:8b (Our gateway)');
  });

  it('names a model whose provider was removed by itself', () => {
    assert.equal(agentName('model:gone/large', known), 'large');
  });

  it('names programs as the settings do, and the known ones by their ids', () => {
    assert.equal(agentName('acp:scribe', known), 'Scribe');
    assert.equal(agentName('acp:opencode', known), 'opencode');
  });

  it('names a model of the editor as the editor does', () => {
    assert.equal(agentName('editor:gpt-4.1', known), 'gpt-4.1');
  });
});
