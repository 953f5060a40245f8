import assert from 'node:assert/strict';
import { keepHouse } from '../../src/service/housekeeping.ts';
import { FakeClock } from '../support/fake-clock.ts';

const day = 24 * 60 * 60 * 1000;

describe('the housekeeping of the service', () => {
  let clock: FakeClock;
  let done: string[];
  let failing: boolean;
  beforeEach(() => {
    clock = new FakeClock();
    done = [];
    failing = false;
  });

  const does = async (what: string): Promise<void> => {
    done.push(what);
    if (failing) throw new Error('disk full');
  };
  const begin = (): Disposable =>
    keepHouse({
      store: {
        forget: async () => {
          await does('forget');
          return { jobs: 1, events: 2 };
        },
      },
      workspaces: { cleanUp: () => does('clean') },
      log: {
        info: (message) => done.push(message),
        warn: (message) => done.push(message),
        error: (message) => done.push(message),
      },
      clock,
    });

  it('begins at once and comes back every day', async () => {
    using _house = begin();
    await clock.advance(day - 1);
    assert.deepEqual(done, ['forget', 'Removed old jobs', 'clean']);
    await clock.advance(2 * day);
    assert.equal(done.filter((what) => what === 'clean').length, 3);
  });

  it('is told and tried again the next day when it fails', async () => {
    failing = true;
    using _house = begin();
    await clock.advance(1);
    assert.deepEqual(done, ['forget', 'Old jobs were not removed', 'clean', 'The cache was not cleaned']);
    failing = false;
    await clock.advance(day);
    assert.equal(done.at(-1), 'clean');
  });

  it('ends with the service, also in the middle', async () => {
    begin()[Symbol.dispose]();
    await clock.advance(3 * day);
    assert.equal(done.filter((what) => what === 'clean').length, 1);
    assert.equal(clock.pendingTimers, 0);
    const later = begin();
    await clock.advance(1);
    later[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 0);
  });
});
