import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { IdleWatch } from '../../src/service/idle-watch.ts';

describe('The service ends itself', () => {
  const minute = 60_000;
  let now: number;
  let busy: boolean | Error;
  let idle: number;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    now = 0;
    busy = false;
    idle = 0;
  });
  afterEach(() => mock.timers.reset());

  const watch = (): IdleWatch =>
    new IdleWatch({
      idleMs: 10 * minute,
      isBusy: () => (busy instanceof Error ? Promise.reject(busy) : Promise.resolve(busy)),
      onIdle: () => idle++,
      now: () => now,
    });

  /** Lets time pass in small steps, so that each timer's asynchronous look is over before the next. */
  async function pass(minutes: number): Promise<void> {
    for (let step = 0; step < minutes * 4; step++) {
      now += minute / 4;
      mock.timers.tick(minute / 4);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  }

  it('after ten minutes without a request, once', async () => {
    using _ = watch();
    await pass(9.75);
    assert.equal(idle, 0);
    await pass(0.5);
    assert.equal(idle, 1);
    await pass(60);
    assert.equal(idle, 1);
  });

  it('ten minutes after the last request, not after the first', async () => {
    using idling = watch();
    await pass(6);
    idling.hold()[Symbol.dispose]();
    await pass(9);
    assert.equal(idle, 0);
    await pass(2.25);
    assert.equal(idle, 1);
  });

  it('not while a request is being answered, however long', async () => {
    using idling = watch();
    const hold = idling.hold();
    await pass(45);
    assert.equal(idle, 0);
    hold[Symbol.dispose]();
    hold[Symbol.dispose]();
    await pass(11.5);
    assert.equal(idle, 1);
  });

  it('counts a hold that is disposed twice once', async () => {
    using idling = watch();
    const first = idling.hold();
    using _second = idling.hold();
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await pass(30);
    assert.equal(idle, 0);
  });

  it('not while a job is active, and ten minutes after its end at the earliest', async () => {
    using _ = watch();
    busy = true;
    await pass(30);
    busy = false;
    await pass(8);
    assert.equal(idle, 0);
    await pass(4);
    assert.equal(idle, 1);
  });

  it('not when the store cannot tell whether jobs are active', async () => {
    using _ = watch();
    busy = new Error('disk');
    await pass(30);
    assert.equal(idle, 0);
  });

  it('never once the watch is over', async () => {
    const idling = watch();
    await pass(5);
    idling[Symbol.dispose]();
    await pass(30);
    assert.equal(idle, 0);
  });
});
