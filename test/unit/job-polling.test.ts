import assert from 'node:assert/strict';
import { ApiError } from '../../src/client/api-error.ts';
import type { ReceivedJob } from '../../src/contract/job.ts';
import { withJob } from '../../src/extension/entry-changes.ts';
import { entryKey, type JobEntry } from '../../src/extension/job-entry.ts';
import { JobModel } from '../../src/extension/job-model.ts';
import { JobPolling } from '../../src/extension/job-polling.ts';
import { isWatched, stateOf } from '../../src/extension/job-state.ts';
import { UserError } from '../../src/extension/user-error.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aJob, anEntry } from '../support/job-entries.ts';

/** One lease and one service for as many windows as a test wants. */
class World {
  readonly clock = new FakeClock();
  readonly looks: string[] = [];
  readonly refused: string[] = [];
  readonly troubles: string[] = [];
  answer: (entry: JobEntry) => ReceivedJob = ({ id }) => aJob({ id });
  holder: string | undefined;
  /** Windows that may not look at `entry` by themselves. */
  restricted = new Set<string>();
  readonly #models: JobModel[] = [];

  window(name: string, entries: readonly JobEntry[] = []): { model: JobModel; polling: JobPolling } {
    const tell = async (entry: JobEntry): Promise<void> => {
      for (const other of this.#models) if (other !== model) await other.accept([{ kind: 'stored', entry }]);
    };
    const model = new JobModel({ create: tell, update: tell, remove: async () => {} }, () =>
      this.clock.now(),
    );
    this.#models.push(model);
    model.load(entries);
    const polling = new JobPolling({
      model,
      clock: this.clock,
      random: () => 0.5,
      focused: true,
      lease: {
        hold: async () => {
          this.holder ??= name;
          return this.holder === name;
        },
        release: async () => {
          if (this.holder === name) this.holder = undefined;
        },
      },
      look: async (entry) => {
        this.looks.push(`${name} ${entry.id}`);
        return this.answer(entry);
      },
      mayLook: () => !this.restricted.has(name),
      onKeyRefused: (service) => this.refused.push(service),
      onTrouble: (message) => this.troubles.push(message),
    });
    return { model, polling };
  }

  entry(id = 'job-1'): JobEntry {
    return anEntry({ id, createdAt: this.clock.now() });
  }
}

const second = 1000;
const minute = 60 * second;

describe('Polling of jobs', () => {
  it('leaves jobs and lease to others in a window that may not look, until it may', async () => {
    const world = new World();
    const entry = world.entry();
    world.restricted.add('a');
    const { polling } = world.window('a', [entry]);
    await world.clock.advance(minute);
    assert.deepEqual([world.looks, world.holder, world.clock.pendingTimers], [[], undefined, 0]);
    polling.checkNow(entryKey(entry));
    await world.clock.advance(second);
    assert.deepEqual([world.looks, world.holder], [['a job-1'], undefined]);
    world.restricted.clear();
    polling.replan();
    await world.clock.advance(minute);
    assert.equal(world.holder, 'a');
    assert.ok(world.looks.length > 1);
    await polling.dispose();
  });

  it('has no timer, no lease and no request without a job that can change', async () => {
    const world = new World();
    const { model } = world.window('a', [
      anEntry({ job: { status: 'completed' } }),
      anEntry({ id: 'x', job: undefined }),
    ]);
    await world.clock.advance(10 * minute);
    assert.deepEqual([world.looks, world.holder, world.clock.pendingTimers], [[], undefined, 0]);
    assert.equal(model.counts.running, 0);
  });

  it('brings a job to its end, then gives everything back', async () => {
    const world = new World();
    const { model } = world.window('a');
    await model.add(world.entry());
    await world.clock.advance(minute);
    assert.equal(world.holder, 'a');
    world.answer = ({ id }) => aJob({ id, status: 'completed' });
    await world.clock.advance(minute);
    assert.equal(model.entries[0]?.job?.status, 'completed');
    const looks = world.looks.length;
    await world.clock.advance(10 * minute);
    assert.deepEqual([world.looks.length, world.holder, world.clock.pendingTimers], [looks, undefined, 0]);
  });

  it('asks from one window only, and the other sees the same', async () => {
    const world = new World();
    const a = world.window('a');
    const b = world.window('b');
    await b.model.add(world.entry());
    await world.clock.advance(minute);
    const [first] = world.looks;
    assert.ok(first);
    assert.deepEqual(new Set(world.looks), new Set([first]));
    world.answer = ({ id }) => aJob({ id, status: 'failed' });
    await world.clock.advance(minute);
    for (const { model } of [a, b]) assert.equal(model.entries[0]?.job?.status, 'failed');
  });

  it('goes on in another window when the first one closes', async () => {
    const world = new World();
    const a = world.window('a');
    const b = world.window('b');
    await a.model.add(world.entry());
    await world.clock.advance(minute);
    assert.equal(world.holder, 'a');
    await a.polling.dispose();
    world.looks.length = 0;
    await world.clock.advance(minute);
    assert.equal(world.holder, 'b');
    assert.ok(world.looks.length > 0 && world.looks.every((look) => look === 'b job-1'));
    await b.polling.dispose();
    assert.equal(world.clock.pendingTimers, 0);
  });

  it('stops when another window has taken the lease', async () => {
    const world = new World();
    const { model } = world.window('a');
    await model.add(world.entry());
    await world.clock.advance(minute);
    world.holder = 'thief';
    await world.clock.advance(minute);
    world.looks.length = 0;
    await world.clock.advance(10 * minute);
    assert.deepEqual(world.looks, []);
  });

  it('looks at once, without the lease, when a person asks', async () => {
    const world = new World();
    world.holder = 'another';
    const { model, polling } = world.window('a');
    await model.add(world.entry());
    await world.clock.advance(10 * minute);
    assert.deepEqual(world.looks, []);
    polling.checkNow();
    await world.clock.advance(0);
    assert.deepEqual(world.looks, ['a job-1']);
    await world.clock.advance(10 * minute);
    assert.deepEqual(world.looks, ['a job-1'], 'one look, then the holder does it again');
  });

  it('keeps the state and says the problem when the service is away', async () => {
    const world = new World();
    const { model } = world.window('a');
    await model.add(world.entry());
    world.answer = () => {
      throw new ApiError('unreachable', 'The service could not be reached.', { retryable: true });
    };
    await world.clock.advance(minute);
    const [entry] = model.entries;
    assert.ok(entry);
    assert.equal(stateOf(entry, world.clock.now()).kind, 'running');
    assert.equal(model.problemAt('local')?.code, 'unreachable');
    world.answer = ({ id }) => aJob({ id });
    await world.clock.advance(10 * minute);
    assert.equal(model.problemAt('local'), undefined);
  });

  it('tells a lost job as gone, and looks at it again when a person asks', async () => {
    const world = new World();
    const { model, polling } = world.window('a');
    await model.add(world.entry());
    world.answer = () => {
      throw new ApiError('not_found', 'There is no such job.');
    };
    await world.clock.advance(30 * second);
    assert.ok(model.entries.every(isWatched), 'within the first minute it is not yet there');
    await world.clock.advance(5 * minute);
    const gone = (): string => model.entries.map((entry) => stateOf(entry, world.clock.now()).kind).join();
    assert.equal(gone(), 'gone');
    assert.equal(world.clock.pendingTimers, 0);
    world.answer = ({ id }) => aJob({ id });
    polling.checkNow(entryKey(anEntry()));
    await world.clock.advance(0);
    assert.equal(gone(), 'running');
  });

  it('rests a refused key, says so once, and goes on when it was replaced', async () => {
    const world = new World();
    const { model, polling } = world.window('a');
    await model.add(world.entry('one'));
    await model.add(world.entry('two'));
    world.answer = () => {
      throw new UserError('key_gone', 'The saved key is gone.');
    };
    await world.clock.advance(10 * minute);
    assert.deepEqual(world.refused, ['local']);
    assert.ok(world.looks.length <= 2, `${world.looks.length} looks`);
    assert.equal(model.problemAt('local')?.message, 'The saved key is gone.');
    world.answer = ({ id }) => aJob({ id });
    polling.resume('local');
    await world.clock.advance(0);
    assert.equal(model.problemAt('local'), undefined);
  });

  it('says the sentence of what was in the way before the request', async () => {
    const world = new World();
    const { model } = world.window('a');
    await model.add(world.entry());
    world.answer = () => {
      throw new UserError('untrusted', 'Trust this workspace to start the local service.');
    };
    await world.clock.advance(minute);
    assert.equal(model.problemAt('local')?.message, 'Trust this workspace to start the local service.');
    assert.deepEqual(world.refused, []);
  });

  it('looks at the quick pace again after a follow-up to an old job', async () => {
    const world = new World();
    const { model } = world.window('a');
    await model.add(world.entry());
    world.answer = ({ id }) => aJob({ id, status: 'completed' });
    await world.clock.advance(60 * minute);
    world.looks.length = 0;
    world.answer = ({ id }) => aJob({ id });
    await model.update(entryKey(anEntry()), (entry) => withJob(entry, aJob(), world.clock.now()));
    await world.clock.advance(minute);
    assert.ok(
      world.looks.length >= 4,
      `${world.looks.length} looks; a job of an hour gets one in two minutes`,
    );
  });

  it('asks nothing more about a job that was forgotten', async () => {
    const world = new World();
    const { model } = world.window('a');
    await model.add(world.entry());
    await world.clock.advance(minute);
    await model.remove(entryKey(anEntry()));
    world.looks.length = 0;
    await world.clock.advance(10 * minute);
    assert.deepEqual([world.looks, world.clock.pendingTimers], [[], 0]);
  });
});
