import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { timeLimit } from '../../src/service/time-limit.ts';

/** Longer than any test. */
const long = 600_000;

describe('a limit of time', () => {
  it('fires when the time is up', async () => {
    using limit = timeLimit(undefined, 1);
    await once(limit.signal, 'abort');
    assert.equal((limit.signal.reason as Error).name, 'TimeoutError');
  });

  it('fires with the signal around it, for its reason', () => {
    const outer = new AbortController();
    using limit = timeLimit(outer.signal, long);
    assert.equal(limit.signal.aborted, false);
    const reason = new Error('cancelled');
    outer.abort(reason);
    assert.equal(limit.signal.reason, reason);
  });

  it('has fired at once when the signal around it has', () => {
    const reason = new Error('cancelled');
    using limit = timeLimit(AbortSignal.abort(reason), long);
    assert.equal(limit.signal.reason, reason);
  });

  it('leaves no timer and no listener behind', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const before = timers();
    const outer = new AbortController();
    const limit = timeLimit(outer.signal, long);
    assert.equal(timers(), before + 1);
    limit[Symbol.dispose]();
    assert.equal(timers(), before);
    assert.equal(getEventListeners(outer.signal, 'abort').length, 0);
    outer.abort();
    assert.equal(limit.signal.aborted, false);
  });
});
