import assert from 'node:assert/strict';
import type { SavedProvider } from '../../src/extension/agent-values.ts';
import { ProviderKeys } from '../../src/extension/provider-keys.ts';
import { MemorySecrets, MemoryState } from '../support/memory-storage.ts';

const openai: SavedProvider = {
  id: 'openai',
  name: 'OpenAI',
  kind: 'openai-compatible',
  baseUrl: 'https://api.openai.com/v1',
  models: ['gpt-5'],
};
const elsewhere = { ...openai, baseUrl: 'https://evil.example/v1' };

describe('Keys of model providers', () => {
  let secrets: MemorySecrets;
  let state: MemoryState;
  let keys: ProviderKeys;

  beforeEach(() => {
    secrets = new MemorySecrets();
    state = new MemoryState();
    keys = new ProviderKeys(secrets, state);
  });

  it('are found for their provider at its server, whatever the path', async () => {
    await keys.save(openai, 'sk-1');
    assert.deepEqual(await keys.find(openai), { kind: 'found', key: 'sk-1' });
    const moved = { ...openai, baseUrl: 'https://api.openai.com/v2', name: 'Other' };
    assert.deepEqual(await keys.find(moved), { kind: 'found', key: 'sk-1' });
  });

  it('go to no other server and to no other provider, whatever the settings say', async () => {
    await keys.save(openai, 'sk-1');
    for (const other of [
      elsewhere,
      { ...openai, id: 'other' },
      { ...openai, baseUrl: 'https://api.openai.com:8443/v1' },
      { ...openai, baseUrl: 'http://api.openai.com/v1' },
    ]) {
      assert.deepEqual(await keys.find(other), { kind: 'missing' }, other.baseUrl);
      assert.deepEqual(await keys.withKeys([other]), [other]);
    }
  });

  it('are read only where one was saved', async () => {
    await keys.find(openai);
    await keys.withKeys([openai, elsewhere]);
    assert.deepEqual(secrets.read, []);
    await keys.save(openai, 'sk-1');
    await keys.withKeys([openai, elsewhere]);
    assert.equal(secrets.read.length, 1);
  });

  it('are handed over with their providers', async () => {
    await keys.save(openai, 'sk-1');
    const ollama = { ...openai, id: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' };
    assert.deepEqual(await keys.withKeys([openai, ollama]), [{ ...openai, apiKey: 'sk-1' }, ollama]);
  });

  it('that were saved and are no longer there are gone, and nothing is handed over in their place', async () => {
    await keys.save(openai, 'sk-1');
    secrets.values.clear();
    assert.deepEqual(await keys.find(openai), { kind: 'gone' });
    assert.deepEqual(await keys.withKeys([openai]), [openai]);
    secrets.isBroken = true;
    assert.deepEqual(await keys.find(openai), { kind: 'gone' });
  });

  it('are never saved for an address that is not encrypted', async () => {
    const lan = { ...openai, baseUrl: 'http://gpu.lan/v1' };
    await assert.rejects(keys.save(lan, 'sk-1'), (error) => !String(error).includes('sk-1'));
    assert.equal(secrets.values.size, 0);
  });

  it('go with their provider, those of earlier addresses too, and leave its neighbours theirs', async () => {
    const neighbour = { ...openai, id: 'openai-2' };
    await keys.save(openai, 'sk-1');
    await keys.save(elsewhere, 'sk-2');
    await keys.save(neighbour, 'sk-3');
    await keys.remove('openai');
    assert.deepEqual([...secrets.values.values()], ['sk-3']);
    assert.deepEqual(await keys.find(openai), { kind: 'missing' }, 'removed on purpose is not gone');
    assert.deepEqual(await keys.find(neighbour), { kind: 'found', key: 'sk-3' });
  });

  it('lie in the secret storage alone', async () => {
    await keys.save(openai, 'sk-very-secret');
    assert.doesNotMatch(JSON.stringify([...state.values]), /sk-very-secret/);
  });

  it('tell of their changes only', async () => {
    let told = 0;
    const subscription = keys.onDidChange(() => told++);
    await keys.save(openai, 'sk-1');
    await secrets.store('docsAgent.apiKey:https://api.example.com', 'mint_x');
    await keys.remove('openai');
    subscription.dispose();
    await keys.save(openai, 'sk-1');
    assert.equal(told, 2);
  });
});
