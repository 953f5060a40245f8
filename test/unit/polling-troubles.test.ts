import assert from 'node:assert/strict';
import { Desk, trouble } from '../support/scripted-jobs.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

describe('a look that fails', () => {
  it('backs off, doubling up to 5 minutes, and keeps the job', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('server_error', { status: 500, retryable: true })]);
    await desk.clock.advance(hour);
    assert.deepEqual(desk.pauses('a').slice(0, 4), [5_000, 10_000, 20_000, 40_000]);
    assert.equal(desk.pauses('a').at(-1), 5 * minute);
    assert.ok(desk.told.every((told) => told === 'a problem server_error'));
    assert.deepEqual(desk.poller.keys, ['a']);
  });

  it('returns to the usual pace with the first success', async () => {
    const desk = new Desk();
    const down = trouble('unreachable', { retryable: true });
    desk.track('a', [down, down, down, 'active', 'active']);
    await desk.clock.advance(3 * minute);
    assert.deepEqual(desk.looksAt('a').slice(0, 4), [3_000, 8_000, 18_000, 38_000]);
    assert.equal(desk.pauses('a')[3], 22_000);
  });

  it('begins the back-off anew after a success', async () => {
    const desk = new Desk();
    const down = trouble('unreachable', { retryable: true });
    desk.track('a', [down, down, down, down, down, 'active', down, 'active']);
    await desk.clock.advance(5 * minute);
    assert.deepEqual(desk.pauses('a').slice(4, 7), [80_000, 30_000, 30_000]);
  });

  it('is never quicker after a failure than without one', async () => {
    const desk = new Desk();
    const down = trouble('unreachable', { retryable: true });
    desk.track('a', [down, 'active'], { createdAt: desk.start - hour });
    await desk.clock.advance(3 * minute);
    assert.deepEqual(desk.looksAt('a'), [0, 2 * minute]);
  });

  it('counts as a problem too when the function throws something else, and never leaks it', async () => {
    const desk = new Desk();
    desk.track('a', [new TypeError('x is not a function'), 'completed']);
    await desk.clock.advance(minute);
    assert.deepEqual(desk.told, ['a problem unreachable', 'a completed']);
  });

  it('survives a listener that throws', async () => {
    let calls = 0;
    const rejected: unknown[] = [];
    const onRejection = (reason: unknown): number => rejected.push(reason);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', onRejection);
    try {
      const desk = new Desk({
        listener: {
          onJob: () => {
            calls += 1;
            if (calls === 1) throw new Error('a reader is broken');
          },
        },
      });
      desk.track('a', ['active', 'active', 'completed']);
      await desk.clock.advance(minute);
      assert.equal(calls, 3);
      assert.equal(rejected.length, 1);
    } finally {
      process.removeListener('unhandledRejection', onRejection);
      for (const each of others) process.on('unhandledRejection', each);
    }
  });
});

describe('Retry-After', () => {
  const limited = (ms: number) => trouble('rate_limited', { status: 429, retryable: true, retryAfterMs: ms });

  it('silences every job of that origin, not those of others', async () => {
    const desk = new Desk();
    desk.track('a', [limited(10 * minute), 'active']);
    desk.track('b', ['active']);
    desk.track('other', ['active'], { origin: 'elsewhere' });
    await desk.clock.advance(10 * minute);
    assert.deepEqual(desk.looksAt('a'), [3_000]);
    assert.deepEqual(desk.looksAt('b'), [3_000]);
    assert.ok(desk.looksAt('other').length > 20);
    await desk.clock.advance(3 * second);
    assert.deepEqual(desk.looksAt('a'), [3_000, 603_000]);
    assert.deepEqual(desk.looksAt('b'), [3_000, 603_000]);
  });

  it('holds against focus and against a person’s wish', async () => {
    const desk = new Desk();
    desk.track('a', [limited(5 * minute), 'completed']);
    await desk.clock.advance(4 * second);
    desk.poller.setFocused(false);
    desk.poller.setFocused(true);
    desk.poller.checkNow('a');
    desk.poller.resume('service');
    await desk.clock.advance(4 * minute);
    assert.equal(desk.looks.length, 1);
    await desk.clock.advance(minute);
    assert.deepEqual(desk.looksAt('a'), [3_000, 303_000]);
  });

  it('is honoured with a 503 too, and for an hour at most', async () => {
    const desk = new Desk();
    desk.track('a', [
      trouble('server_error', { status: 503, retryable: true, retryAfterMs: 365 * 24 * hour }),
      'completed',
    ]);
    await desk.clock.advance(3 * second + hour - 1);
    assert.equal(desk.looks.length, 1);
    await desk.clock.advance(1);
    assert.deepEqual(desk.told, ['a problem server_error', 'a completed']);
  });

  it('does not shorten the back-off when it is short', async () => {
    const desk = new Desk();
    desk.track('a', [limited(0), limited(0), limited(0), 'completed']);
    await desk.clock.advance(minute);
    assert.deepEqual(desk.pauses('a'), [5_000, 10_000, 20_000]);
  });
});

describe('a refused key', () => {
  for (const code of ['unauthorized', 'forbidden', 'key_missing', 'key_gone', 'invalid_key'] as const) {
    it(`stops everything at that origin at ${code}, told once, with no timer left`, async () => {
      const desk = new Desk();
      for (const key of ['a', 'b', 'c']) desk.track(key, [trouble(code)]);
      await desk.clock.advance(24 * hour);
      assert.equal(desk.looks.length, 3, 'those in flight when the first answer came');
      assert.deepEqual(
        desk.told.filter((told) => told.includes('stopped')),
        [`service stopped ${code}`],
      );
      assert.equal(desk.clock.pendingTimers, 0);
    });
  }

  it('goes on with the jobs of other origins, and stops new jobs of its own', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('unauthorized')]);
    desk.track('other', ['active'], { origin: 'elsewhere' });
    await desk.clock.advance(minute);
    desk.track('late', ['active']);
    await desk.clock.advance(minute);
    assert.equal(desk.looksAt('a').length, 1);
    assert.equal(desk.looksAt('late').length, 0);
    assert.ok(desk.looksAt('other').length > 5);
  });

  it('looks again at once when told that the key changed', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('unauthorized'), 'completed']);
    await desk.clock.advance(hour);
    desk.poller.resume('elsewhere');
    await desk.clock.advance(minute);
    assert.equal(desk.looks.length, 1);
    desk.poller.resume('service');
    await desk.clock.advance(0);
    assert.deepEqual(desk.told.at(-1), 'a completed');
  });

  it('looks again on a person’s wish, and says again when it is still refused', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('unauthorized')]);
    await desk.clock.advance(minute);
    desk.poller.checkNow('a');
    await desk.clock.advance(hour);
    assert.equal(desk.looks.length, 2);
    assert.equal(desk.told.filter((told) => told.includes('stopped')).length, 2);
  });

  it('is not stopped by a refusal of the key before the change', async () => {
    const desk = new Desk();
    desk.track('a', ['hang', 'completed']);
    await desk.clock.advance(3 * second);
    desk.poller.resume('service');
    await desk.release('a', trouble('unauthorized'));
    await desk.clock.advance(0);
    assert.deepEqual(desk.told, ['a problem unauthorized', 'a completed']);
  });
});

describe('404', () => {
  it('means "not yet" in the first minute after create', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('not_found'), trouble('not_found'), 'active', 'completed']);
    await desk.clock.advance(minute);
    assert.deepEqual(desk.told, ['a active', 'a completed']);
    assert.deepEqual(desk.looksAt('a'), [3_000, 7_500, 14_250, 24_375]);
  });

  it('means gone afterwards, and ends the polling', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('not_found')]);
    await desk.clock.advance(hour);
    assert.deepEqual(desk.told, ['a gone']);
    assert.ok((desk.looksAt('a').at(-1) ?? 0) >= minute);
    assert.equal(desk.clock.pendingTimers, 0);
  });

  it('means gone at once for an older job, also when a follow-up was just sent', async () => {
    const desk = new Desk();
    desk.track('a', [trouble('not_found')], { createdAt: desk.start - hour, activeSince: desk.start });
    await desk.clock.advance(3 * second);
    assert.deepEqual(desk.told, ['a gone']);
  });
});

describe('a machine that slept', () => {
  it('looks once at each job when it wakes, three at a time', async () => {
    const desk = new Desk();
    for (const key of ['a', 'b', 'c', 'd']) desk.track(key, ['active']);
    await desk.clock.advance(20 * second);
    const before = desk.looks.length;
    desk.clock.jump(8 * hour);
    await desk.clock.advance(1 * second);
    assert.equal(desk.looks.length, before + 4);
    assert.ok(desk.mostAtOnce <= 3);
    desk.poller.dispose();
  });
});

describe('a clock that was set back', () => {
  it('does not keep a job unseen until it has caught up', async () => {
    const desk = new Desk();
    desk.track('a', ['active']);
    await desk.clock.advance(5 * minute);
    const before = desk.looks.length;
    desk.clock.jump(-2 * hour);
    desk.poller.setFocused(true);
    await desk.clock.advance(5 * minute);
    assert.ok(desk.looks.length > before + 5, `${desk.looks.length - before} looks`);
    desk.poller.dispose();
  });
});
