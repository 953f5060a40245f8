import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../src/client/api-error.ts';
import type { AgentSettings } from '../../src/contract/agents.ts';
import { AgentHandOver } from '../../src/extension/agent-hand-over.ts';

/** A service that takes what it is given when the test says so. */
class SlowService {
  readonly taken: string[] = [];
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  isSlow = false;

  readonly putAgents = async (settings: AgentSettings): Promise<void> => {
    if (this.isSlow) {
      const waiting = Promise.withResolvers<void>();
      this.#waiting.push(waiting);
      await waiting.promise;
    }
    this.taken.push(settings.providers[0]?.id ?? 'none');
  };

  get asked(): number {
    return this.#waiting.length;
  }

  answer(error?: Error): void {
    const waiting = this.#waiting.shift() ?? assert.fail('nothing was handed over');
    if (error === undefined) waiting.resolve();
    else waiting.reject(error);
  }
}

describe('Handing agents over to the local service', () => {
  let provider: string;
  let reads: number;
  let end: AbortController;
  let troubles: unknown[];
  let service: SlowService;
  let handOver: AgentHandOver;

  beforeEach(() => {
    provider = 'one';
    reads = 0;
    end = new AbortController();
    troubles = [];
    service = new SlowService();
    handOver = new AgentHandOver({
      settings: async () => {
        reads++;
        const shared = { kind: 'anthropic', name: 'P', baseUrl: 'https://p.example/v1', models: [] } as const;
        return { providers: [{ ...shared, id: provider, models: [] }], commands: [], limits: {} };
      },
      signal: end.signal,
      onTrouble: (_, error) => troubles.push(error),
    });
  });

  const change = (to: string): void => {
    provider = to;
    handOver.outdate();
  };

  it('happens once for each start of the service, and reads nothing in between', async () => {
    await handOver.ensure(service, 'first start');
    await handOver.ensure(service, 'first start');
    assert.deepEqual([service.taken, reads], [['one'], 1]);
    await handOver.ensure(service, 'second start');
    assert.deepEqual([service.taken, reads], [['one', 'one'], 2]);
  });

  it('happens again after a change', async () => {
    await handOver.ensure(service, 'a');
    change('two');
    await handOver.ensure(service, 'a');
    await handOver.ensure(service, 'a');
    assert.deepEqual(service.taken, ['one', 'two']);
  });

  it('is one for all who ask at the same time, and they wait for it', async () => {
    service.isSlow = true;
    let settled = 0;
    const all = [1, 2, 3].map(async () => handOver.ensure(service, 'a').then(() => settled++));
    await setImmediate();
    assert.deepEqual([service.asked, settled], [1, 0]);
    service.answer();
    await Promise.all(all);
    assert.deepEqual(service.taken, ['one']);
  });

  it('is done again for who asks after a change that came while it was under way', async () => {
    service.isSlow = true;
    const before = handOver.ensure(service, 'a');
    await setImmediate();
    change('two');
    const after = [handOver.ensure(service, 'a'), handOver.ensure(service, 'a')];
    service.answer();
    await before;
    await setImmediate();
    assert.equal(service.asked, 1, 'one more for both');
    service.answer();
    await Promise.all(after);
    assert.deepEqual(service.taken, ['one', 'two']);
    await handOver.ensure(service, 'a');
    assert.deepEqual(service.taken, ['one', 'two']);
  });

  it('is done again for a service that was started while it was under way', async () => {
    service.isSlow = true;
    const old = handOver.ensure(service, 'old');
    await setImmediate();
    const fresh = handOver.ensure(service, 'new');
    service.answer(new Error('The old one ended'));
    await old;
    await setImmediate();
    service.answer();
    await fresh;
    assert.deepEqual(service.taken, ['one']);
    assert.equal(troubles.length, 1);
  });

  it('that failed is told, stops nobody, and is tried again', async () => {
    service.isSlow = true;
    const both = [handOver.ensure(service, 'a'), handOver.ensure(service, 'a')];
    await setImmediate();
    service.answer(new Error('Not now'));
    await Promise.all(both);
    assert.deepEqual([troubles.length, service.taken.length], [1, 0]);
    service.isSlow = false;
    await handOver.ensure(service, 'a');
    assert.deepEqual(service.taken, ['one']);
  });

  it('is not tried again at a service of before there were agents, until that is another one', async () => {
    service.isSlow = true;
    const asking = handOver.ensure(service, 'old');
    await setImmediate();
    service.answer(new ApiError('not_supported', 'This service does not offer this.'));
    await asking;
    await handOver.ensure(service, 'old');
    assert.deepEqual([service.asked, troubles.length], [0, 1]);
    service.isSlow = false;
    await handOver.ensure(service, 'new');
    assert.deepEqual(service.taken, ['one']);
  });

  it('ends with the window without a word', async () => {
    service.isSlow = true;
    const asking = handOver.ensure(service, 'a');
    await setImmediate();
    end.abort();
    service.answer(new ApiError('cancelled', 'The request was cancelled.'));
    await asking;
    assert.deepEqual(troubles, []);
  });

  it('tells of no key when the settings cannot be read', async () => {
    const failing = new AgentHandOver({
      settings: async () => Promise.reject(new Error('The keyring is locked')),
      signal: end.signal,
      onTrouble: (message) => troubles.push(message),
    });
    await failing.ensure(service, 'a');
    assert.equal(troubles.length, 1);
    assert.deepEqual(service.taken, []);
  });
});
