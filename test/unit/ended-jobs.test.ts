import assert from 'node:assert/strict';
import { EndedJobs } from '../../src/extension/ended-jobs.ts';
import { withJob, withSeen } from '../../src/extension/entry-changes.ts';
import { entryKey, type JobEntry } from '../../src/extension/job-entry.ts';
import { JobModel } from '../../src/extension/job-model.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aJob, anEntry, link } from '../support/job-entries.ts';

const noStore = { create: async () => {}, update: async () => {}, remove: async () => {} };

/** Two windows with a model each and the marks of one ledger. */
class Windows {
  readonly clock = new FakeClock();
  readonly said: string[] = [];
  readonly #claims = new Set<string>();
  readonly models: JobModel[] = [];
  readonly all: EndedJobs[] = [];

  open(name: string, standBackMs: number): JobModel {
    const model = new JobModel(noStore, () => this.clock.now());
    this.models.push(model);
    this.all.push(
      new EndedJobs({
        model,
        clock: this.clock,
        standBackMs: () => standBackMs,
        claim: async (key, purpose) => {
          const mark = `${key} ${purpose}`;
          return !this.#claims.has(mark) && this.#claims.add(mark) !== undefined;
        },
        announce: (ended) => this.said.push(`${name}: ${ended.map(({ id }) => id).join(' ')}`),
      }),
    );
    return model;
  }

  async start(...ids: string[]): Promise<void> {
    for (const id of ids) await this.#everywhere(anEntry({ id, createdAt: this.clock.now() }));
  }

  async end(id: string): Promise<void> {
    const before = anEntry({ id, createdAt: this.clock.now() });
    await this.#everywhere(
      withJob(before, aJob({ id, status: 'completed', prLink: link }), this.clock.now()),
    );
  }

  async #everywhere(entry: JobEntry): Promise<void> {
    for (const model of this.models) await model.accept([{ kind: 'stored', entry }]);
  }
}

describe('Jobs that ended', () => {
  it('are told at once when no other runs', async () => {
    const windows = new Windows();
    windows.open('a', 0);
    await windows.start('one');
    await windows.end('one');
    await windows.clock.advance(0);
    assert.deepEqual(windows.said, ['a: one']);
    assert.equal(windows.clock.pendingTimers, 0);
  });

  it('are told as one when they end within five seconds', async () => {
    const windows = new Windows();
    windows.open('a', 0);
    await windows.start('one', 'two', 'three', 'four');
    await windows.end('one');
    await windows.clock.advance(4000);
    await windows.end('two');
    assert.deepEqual(windows.said, []);
    await windows.clock.advance(1000);
    assert.deepEqual(windows.said, ['a: one two']);
    await windows.end('three');
    await windows.end('four');
    await windows.clock.advance(0);
    assert.deepEqual(windows.said, ['a: one two', 'a: three four'], 'the last one ends the waiting');
  });

  it('are told by one window only, the one that they concern most', async () => {
    const windows = new Windows();
    windows.open('other', 1000);
    windows.open('own', 0);
    await windows.start('one');
    await windows.end('one');
    await windows.clock.advance(60_000);
    assert.deepEqual(windows.said, ['own: one']);
  });

  it('are told by the other window when the first has closed', async () => {
    const windows = new Windows();
    windows.open('other', 1000);
    windows.open('own', 0);
    windows.all[1]?.dispose();
    await windows.start('one');
    await windows.end('one');
    await windows.clock.advance(1000);
    assert.deepEqual(windows.said, ['other: one']);
  });

  it('are not told when they were looked at or forgotten meanwhile', async () => {
    const windows = new Windows();
    const model = windows.open('a', 0);
    await windows.start('seen', 'gone', 'running');
    await windows.end('seen');
    await windows.end('gone');
    await model.update(entryKey(anEntry({ id: 'seen' })), (entry) => withSeen(entry, entry.endedAt ?? 0));
    await model.remove(entryKey(anEntry({ id: 'gone' })));
    await windows.clock.advance(60_000);
    assert.deepEqual(windows.said, []);
  });

  it('leave no timer when the window closes', async () => {
    const windows = new Windows();
    windows.open('a', 3000);
    await windows.start('one', 'two', 'three');
    await windows.end('one');
    await windows.clock.advance(5000);
    await windows.end('two');
    assert.equal(windows.clock.pendingTimers, 2);
    windows.all[0]?.dispose();
    assert.equal(windows.clock.pendingTimers, 0);
  });
});
