import assert from 'node:assert/strict';
import { knownAgents } from '../../src/adapters/agents/acp/known-agents.ts';
import { agentName, agentTitle } from '../../src/extension/agent-name.ts';
import { english } from '../support/job-entries.ts';

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

  it('names programs as the settings do', () => {
    assert.equal(agentName('acp:scribe', known), 'Scribe');
    assert.equal(agentName('acp:gone', known), 'gone');
  });

  it('names programs that the service finds as the service does', () => {
    assert.ok(knownAgents.size > 0);
    for (const { id, name } of knownAgents.values()) assert.equal(agentName(`acp:${id}`, known), name);
  });

  it('names the rules where a name has to be, and leaves what is a name already', () => {
    assert.equal(agentTitle('rules', known, english), 'Built-in rules');
    assert.equal(agentTitle('model:gateway/large', known, english), 'large (Our gateway)');
    assert.equal(agentTitle('large (Our gateway)', known, english), 'large (Our gateway)');
    assert.equal(agentTitle('model:gateway/large', undefined, english), 'model:gateway/large');
  });

  it('names a model of the editor as the editor does', () => {
    assert.equal(agentName('editor:gpt-4.1', known), 'gpt-4.1');
  });
});
