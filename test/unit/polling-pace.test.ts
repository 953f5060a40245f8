import assert from 'node:assert/strict';
import { lookTimes } from '../../src/client/polling-policy.ts';
import { Desk, trouble } from '../support/scripted-jobs.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

describe('the pace of polling', () => {
  it('looks 3 seconds after create, then grows by half up to 30 seconds', async () => {
    const desk = new Desk();
    desk.track('a', ['active']);
    await desk.clock.advance(3 * minute);
    assert.deepEqual(desk.looksAt('a').slice(0, 3), [3_000, 7_500, 14_250]);
    const pauses = desk.pauses('a');
    for (const [index, pause] of pauses.entries()) {
      const before = index === 0 ? 3_000 : (pauses[index - 1] ?? 0);
      assert.ok(Math.abs(pause - Math.min(before * 1.5, 30_000)) <= 5, `${pause} after ${before}`);
    }
    assert.equal(pauses.at(-1), 30_000);
  });

  it('looks every 2 minutes once ten minutes have passed', async () => {
    const desk = new Desk();
    desk.track('a', ['active']);
    await desk.clock.advance(30 * minute);
    const late = desk.looksAt('a').filter((at) => at > 10 * minute);
    assert.equal(late.length, 10);
    assert.ok(desk.pauses('a').every((pause) => pause <= 2 * minute));
    assert.equal(desk.pauses('a').at(-1), 2 * minute);
  });

  it('makes for a job of 30 minutes the requests that the policy foretells: 34 instead of 360', async () => {
    for (const focused of [true, false]) {
      const desk = new Desk({ focused });
      desk.track('a', ['active']);
      await desk.clock.advance(30 * minute);
      desk.answer('a', ['completed']);
      await desk.clock.advance(10 * minute);
      const foretold = lookTimes(30 * minute, { focused });
      assert.equal(desk.looks.length, focused ? 34 : 10);
      // The clock's timers count whole milliseconds, so each pause may be one longer.
      for (const [index, at] of desk.looksAt('a').entries()) {
        assert.ok(Math.abs(at - (foretold[index] ?? 0)) < 50, `look ${index} at ${at}`);
      }
      assert.equal(foretold.length, desk.looks.length);
    }
  });

  it('shakes every pause by up to a fifth either way', async () => {
    const seen = new Set<number>();
    for (const random of [0, 0.25, 0.999_999]) {
      const desk = new Desk({ random: () => random });
      desk.track('a', ['active']);
      await desk.clock.advance(10 * second);
      const [first = 0] = desk.looksAt('a');
      assert.ok(first >= 2_000 && first <= 5_000);
      seen.add(first);
    }
    assert.deepEqual([...seen], [2_400, 2_700, 3_600]);
  });

  it('is four times slower in a window without focus', async () => {
    const desk = new Desk({ focused: false });
    desk.track('a', ['active']);
    await desk.clock.advance(12 * second - 1);
    assert.equal(desk.looks.length, 0);
    await desk.clock.advance(1);
    assert.deepEqual(desk.looksAt('a'), [12_000]);
    await desk.clock.advance(60 * minute);
    assert.equal(desk.pauses('a').at(-1), 8 * minute);
  });

  it('looks at once when a window gets the focus and a job is overdue', async () => {
    const desk = new Desk({ focused: false });
    desk.track('a', ['active']);
    await desk.clock.advance(5 * second);
    desk.poller.setFocused(true);
    await desk.clock.advance(0);
    assert.deepEqual(desk.looksAt('a'), [5_000]);
  });

  it('does not look at once on focus when nothing is overdue', async () => {
    const desk = new Desk();
    desk.track('a', ['active']);
    await desk.clock.advance(3 * second);
    desk.poller.setFocused(false);
    await desk.clock.advance(1 * second);
    desk.poller.setFocused(true);
    await desk.clock.advance(3 * second);
    assert.deepEqual(desk.looksAt('a'), [3_000]);
    await desk.clock.advance(500);
    assert.deepEqual(desk.looksAt('a'), [3_000, 7_500]);
  });

  it('looks at once at an older job, as after a reload, and goes on at the pace of its age', async () => {
    const desk = new Desk();
    desk.track('a', ['active'], { createdAt: desk.start - 5 * minute });
    await desk.clock.advance(40 * second);
    assert.deepEqual(desk.looksAt('a'), [0, 30_000]);
  });

  it('begins anew with a follow-up', async () => {
    const desk = new Desk();
    desk.track('a', ['active'], { createdAt: desk.start - hour, activeSince: desk.start });
    await desk.clock.advance(8 * second);
    assert.deepEqual(desk.looksAt('a'), [3_000, 7_500]);
  });

  it('looks at an unknown status at the slow rate and goes on until it ends', async () => {
    const desk = new Desk();
    desk.track('a', ['queued_for_review', 'queued_for_review', 'completed']);
    await desk.clock.advance(10 * minute);
    assert.deepEqual(desk.looksAt('a'), [3_000, 123_000, 243_000]);
    assert.deepEqual(desk.told, ['a queued_for_review', 'a queued_for_review', 'a completed']);
  });

  it('does not hammer a job whose creation lies in the future by a wrong clock', async () => {
    const desk = new Desk();
    desk.track('a', ['active'], { createdAt: desk.start + 5 * hour });
    await desk.clock.advance(30 * minute);
    assert.equal(desk.looks.length, 33);
  });
});

describe('the end of polling', () => {
  for (const status of ['completed', 'archived', 'failed']) {
    it(`stops at ${status} and leaves no timer`, async () => {
      const desk = new Desk();
      desk.track('a', ['active', status]);
      await desk.clock.advance(hour);
      assert.deepEqual(desk.told, ['a active', `a ${status}`]);
      assert.equal(desk.clock.pendingTimers, 0);
      assert.deepEqual(desk.poller.keys, []);
    });
  }

  it('has no timer before there is a job, and none after the last was untracked', async () => {
    const desk = new Desk();
    desk.poller.setFocused(false);
    desk.poller.setFocused(true);
    desk.poller.checkNow();
    desk.poller.resume('service');
    assert.equal(desk.clock.pendingTimers, 0);
    desk.track('a', ['active']);
    assert.equal(desk.clock.pendingTimers, 1);
    desk.poller.untrack('a');
    assert.equal(desk.clock.pendingTimers, 0);
    await desk.clock.advance(hour);
    assert.equal(desk.looks.length, 0);
  });

  it('has one timer for any number of jobs', () => {
    const desk = new Desk();
    for (let index = 0; index < 20; index++) desk.track(`job ${index}`, ['active']);
    assert.equal(desk.clock.pendingTimers, 1);
  });

  it('tells nothing of a look that was under way when it was disposed of, and aborts it', async () => {
    const desk = new Desk();
    desk.track('a', ['hang']);
    await desk.clock.advance(3 * second);
    desk.poller.dispose();
    assert.equal(desk.signals.get('a')?.aborted, true);
    await desk.release('a', 'completed');
    await desk.clock.advance(hour);
    assert.deepEqual(desk.told, []);
    assert.equal(desk.clock.pendingTimers, 0);
    desk.track('b', ['active']);
    desk.poller.checkNow();
    await desk.clock.advance(hour);
    assert.equal(desk.looks.length, 1);
  });

  it('tells nothing of a look that was under way when its job was untracked or replaced', async () => {
    const desk = new Desk();
    desk.track('a', ['hang']);
    await desk.clock.advance(3 * second);
    desk.track('a', ['active']);
    await desk.release('a', 'failed');
    assert.deepEqual(desk.told, []);
    await desk.clock.advance(3 * second);
    assert.deepEqual(desk.told, ['a active']);
    desk.poller.dispose();
  });

  it('may be disposed of by its own listener', async () => {
    const told: string[] = [];
    const desk: Desk = new Desk({
      listener: {
        onProblem: (key) => {
          told.push(key);
          desk.poller.dispose();
        },
      },
    });
    desk.track('a', [trouble('unauthorized')]);
    await desk.clock.advance(hour);
    assert.deepEqual(told, ['a']);
    assert.deepEqual(desk.told, []);
    assert.equal(desk.clock.pendingTimers, 0);
  });
});

describe('requests at the same time', () => {
  it('has three in flight at most, and the others follow as soon as one ends', async () => {
    const desk = new Desk();
    for (const key of ['a', 'b', 'c', 'd', 'e']) desk.track(key, ['hang', 'active']);
    await desk.clock.advance(10 * second);
    assert.deepEqual(
      desk.looks.map((look) => look.key),
      ['a', 'b', 'c'],
    );
    await desk.release('b', 'active');
    assert.equal(desk.looks.at(-1)?.key, 'd');
    await desk.release('a', trouble('timeout'));
    assert.equal(desk.looks.at(-1)?.key, 'e');
    assert.equal(desk.mostAtOnce, 3);
    desk.poller.dispose();
  });

  it('has one in flight for a job; wishes meanwhile become one look afterwards', async () => {
    const desk = new Desk();
    desk.track('a', ['hang', 'hang', 'active']);
    await desk.clock.advance(3 * second);
    desk.poller.checkNow('a');
    desk.poller.checkNow();
    desk.poller.setFocused(true);
    await desk.clock.advance(1 * second);
    assert.deepEqual(desk.looksAt('a'), [3_000]);
    await desk.release('a', 'active');
    assert.deepEqual(desk.looksAt('a'), [3_000, 4_000]);
    await desk.release('a', 'active');
    await desk.clock.advance(1 * second);
    assert.deepEqual(desk.looksAt('a'), [3_000, 4_000]);
    desk.poller.dispose();
  });

  it('gives the place of an untracked job to the next at once, though its request hangs', async () => {
    const desk = new Desk();
    for (const key of ['a', 'b', 'c', 'd']) desk.track(key, ['hang']);
    await desk.clock.advance(3 * second);
    desk.poller.untrack('a');
    await desk.clock.advance(0);
    assert.equal(desk.looks.at(-1)?.key, 'd');
    desk.poller.dispose();
  });

  it('ends a look that nobody answers after two minutes', async () => {
    const desk = new Desk();
    desk.track('a', ['hang', 'completed']);
    await desk.clock.advance(4 * minute);
    assert.deepEqual(desk.told, ['a problem timeout', 'a completed']);
    assert.equal(desk.clock.pendingTimers, 0);
  });
});
