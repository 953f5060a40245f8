import assert from 'node:assert/strict';
import { ApiKeys } from '../../src/extension/api-keys.ts';
import { MemorySecrets, MemoryState } from '../support/memory-storage.ts';

const first = 'https://api.example.com';
const second = 'https://docs.example.org';

describe('API keys', () => {
  let state: MemoryState;
  let secrets: MemorySecrets;
  let keys: ApiKeys;

  beforeEach(() => {
    state = new MemoryState();
    secrets = new MemorySecrets();
    keys = new ApiKeys(secrets, state);
  });

  it('are found for the service that they were saved for, and for no other', async () => {
    await keys.save(first, 'mint_one');
    assert.deepEqual(await keys.find(first), { kind: 'found', key: 'mint_one' });
    for (const other of [second, 'http://api.example.com', 'https://api.example.com:8443']) {
      assert.deepEqual(await keys.find(other), { kind: 'missing' }, other);
    }
  });

  it('are kept in the secret storage alone', async () => {
    await keys.save(first, 'mint_one');
    assert.ok(!JSON.stringify([...state.values]).includes('mint_one'));
  });

  it('that were saved and cannot be read back are gone, not missing', async () => {
    await keys.save(first, 'mint_one');
    secrets.values.clear();
    assert.deepEqual(await keys.find(first), { kind: 'gone' });
    await keys.save(first, 'mint_two');
    secrets.isBroken = true;
    assert.deepEqual(await keys.find(first), { kind: 'gone' });
  });

  it('that were removed on purpose are missing, not gone', async () => {
    await keys.save(first, 'mint_one');
    await keys.save(second, 'mint_two');
    assert.deepEqual(keys.origins(), [first, second]);
    await keys.remove(first);
    assert.deepEqual(await keys.find(first), { kind: 'missing' });
    assert.deepEqual(await keys.find(second), { kind: 'found', key: 'mint_two' });
    assert.deepEqual(keys.origins(), [second]);
  });

  it('tell when they change, and other secrets do not', async () => {
    const changed: string[] = [];
    const subscription = keys.onDidChange((origin) => changed.push(origin));
    await keys.save(first, 'mint_one');
    await secrets.store('docsAgent.localServiceKey', 'local_x');
    await keys.remove(first);
    subscription.dispose();
    await keys.save(second, 'mint_two');
    assert.deepEqual(changed, [first, first]);
  });
});
