import assert from 'node:assert/strict';
import { agentIdSchema, modelProviderSchema } from '../../src/contract/agents.ts';
import { readProviderAddress } from '../../src/extension/provider-address.ts';
import { presetsInOrder, providerPresets, writingModels } from '../../src/extension/provider-presets.ts';

const named = providerPresets.filter(({ id }) => id !== '');

describe('The providers that a writer need not look up', () => {
  it('are providers as the service takes them, each with an id of its own', () => {
    assert.equal(new Set(providerPresets.map(({ id }) => id)).size, providerPresets.length);
    for (const { id, name, kind, baseUrl } of named) {
      const provider = modelProviderSchema.safeParse({ id, name, kind, baseUrl, models: [] });
      assert.equal(provider.success, true, id);
      assert.equal(agentIdSchema.safeParse(`model:${id}/some-model`).success, true, id);
    }
  });

  it('get a key over an encrypted address only, or on this machine', () => {
    for (const { id, baseUrl, place } of named) {
      const address = readProviderAddress(baseUrl);
      assert.equal(address.kind === 'usable' && address.takesKey, true, id);
      assert.equal(new URL(baseUrl).protocol, place === 'fixed' ? 'https:' : 'http:', id);
      if (place === 'local') assert.equal(new URL(baseUrl).hostname, '127.0.0.1', id);
    }
  });

  it('end with any other address', () => {
    assert.deepEqual(providerPresets.at(-1)?.baseUrl, '');
    assert.equal(providerPresets.at(-1)?.place, 'own');
  });

  it('begin with what runs on this machine, and name nothing twice', () => {
    const running = named.find(({ id }) => id === 'lm-studio');
    assert.ok(running);
    const all = presetsInOrder([{ preset: running, models: ['m'] }]);
    assert.equal(all[0], running);
    assert.equal(all.length, providerPresets.length);
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(presetsInOrder([]), providerPresets);
  });
});

describe('The models that may write', () => {
  it('are those that do not make vectors, pictures, speech or verdicts, each once and in order', () => {
    const told = [
      'text-embedding-3-small',
      'gpt-10',
      'gpt-4.1',
      'gpt-4.1',
      'whisper-1',
      'nomic-embed-text:latest',
      'dall-e-3',
      'tts-1-hd',
      'omni-moderation-latest',
      'gpt-image-1',
      'Claude-opus',
      'imagine-writer',
    ];
    assert.deepEqual(writingModels(told), ['Claude-opus', 'gpt-4.1', 'gpt-10', 'imagine-writer']);
  });
});
