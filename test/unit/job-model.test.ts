import assert from 'node:assert/strict';
import { withJob, withOpened, withProblem } from '../../src/extension/entry-changes.ts';
import { entryKey, type JobEntry } from '../../src/extension/job-entry.ts';
import { JobModel, type EntryChange, type EntryStore } from '../../src/extension/job-model.ts';
import { aJob, anEnded, anEntry, link, noon } from '../support/job-entries.ts';

class Store implements EntryStore {
  readonly calls: string[] = [];
  failing = false;

  create(entry: JobEntry): Promise<void> {
    return this.#note(`create ${entry.id} ${entry.job?.status ?? 'none'}`);
  }
  update(entry: JobEntry): Promise<void> {
    return this.#note(`update ${entry.id} ${entry.job?.status ?? 'none'}`);
  }
  remove(key: string): Promise<void> {
    return this.#note(`remove ${(JSON.parse(key) as string[])[2] ?? ''}`);
  }
  async #note(call: string): Promise<void> {
    this.calls.push(call);
    if (this.failing) throw new Error('The disk is full.');
  }
}

describe('The model of jobs', () => {
  let store: Store;
  let now: number;
  let model: JobModel;
  let heard: EntryChange[];
  const key = entryKey(anEntry());
  const completed = (at: number) => (entry: JobEntry) =>
    withJob(entry, aJob({ status: 'completed', prLink: link }), at);

  beforeEach(() => {
    store = new Store();
    now = noon;
    model = new JobModel(store, () => now);
    heard = [];
    model.onDidChange((changes) => heard.push(...changes));
  });

  it('keeps a new job before the store has it, and tells when the store could not', async () => {
    store.failing = true;
    const adding = model.add(anEntry());
    assert.equal(model.get(key)?.id, 'job-1');
    await assert.rejects(adding, /disk is full/);
  });

  it('keeps the prompt of a job that is taken up again by its id', async () => {
    await model.add(anEntry({ seenAt: 5 }));
    const told = { prompt: '', createdAt: noon + 5, projectName: 'other', folder: undefined };
    await model.add(anEntry({ ...told, checkedAt: noon + 10, job: { status: 'completed', prLink: link } }));
    const kept = model.get(key);
    assert.equal(kept?.prompt, anEntry().prompt);
    assert.equal(kept.createdAt, noon);
    assert.equal(kept.projectName, anEntry().projectName);
    assert.equal(kept.seenAt, 5);
    assert.equal(kept.job?.status, 'completed');
  });

  it('lists the newest first', async () => {
    await model.add(anEntry({ id: 'old', createdAt: 1 }));
    await model.add(anEntry({ id: 'new', createdAt: 2 }));
    assert.deepEqual(
      model.entries.map(({ id }) => id),
      ['new', 'old'],
    );
  });

  it('says that a job ended which it saw active', async () => {
    await model.add(anEntry());
    await model.update(key, completed(noon + 1));
    assert.deepEqual(
      heard.map(({ ended }) => ended),
      [false, true],
    );
    await model.update(key, (entry) => withOpened(entry, noon + 2));
    assert.equal(heard.at(-1)?.ended, false, 'an end is told once');
  });

  it('says no end at start-up, nor at the first look afterwards', async () => {
    model.load([anEntry({ checkedAt: noon - 1 }), anEnded({ status: 'failed' }, { id: 'job-2' })]);
    await model.update(key, completed(noon + 1));
    assert.deepEqual(
      heard.map(({ ended }) => ended),
      [false, false, false],
    );
    assert.equal(model.counts.unseen, 2, 'the badge tells of it all the same');
  });

  it('does not take a failed look for having seen the job active', async () => {
    model.load([anEntry({ checkedAt: noon - 1 })]);
    await model.update(key, (entry) =>
      withProblem(entry, { code: 'timeout', message: 'Late.', at: noon + 1 }),
    );
    await model.update(key, completed(noon + 2));
    assert.equal(heard.at(-1)?.ended, false);
  });

  it('says the end of a job of an earlier session that was seen active in this one', async () => {
    model.load([anEntry({ checkedAt: noon - 1 })]);
    await model.update(key, (entry) => withJob(entry, aJob(), noon + 1));
    await model.update(key, completed(noon + 2));
    assert.equal(heard.at(-1)?.ended, true);
  });

  it('says the end that another window found', async () => {
    await model.accept([{ kind: 'stored', entry: anEntry() }]);
    await model.accept([{ kind: 'stored', entry: completed(noon + 1)(anEntry()) }]);
    assert.equal(heard.at(-1)?.ended, true);
  });

  it('says the second end after a follow-up, and counts it as unseen again', async () => {
    await model.add(anEntry());
    await model.update(key, completed(noon + 1));
    await model.markSeen([key]);
    assert.equal(model.counts.unseen, 0);
    await model.update(key, (entry) => withJob(entry, aJob(), noon + 2));
    await model.update(key, completed(noon + 3));
    assert.equal(heard.at(-1)?.ended, true);
    assert.equal(model.counts.unseen, 1);
  });

  it('puts the answered job in the place of the kept prompt at once', async () => {
    const kept = anEntry({ id: 'idempotency-key', job: undefined });
    await model.add(kept);
    heard.length = 0;
    await model.replace(entryKey(kept), anEntry());
    assert.equal(heard.length, 2);
    assert.deepEqual(
      model.entries.map(({ id }) => id),
      ['job-1'],
    );
    // The new file is there before the old one goes.
    assert.deepEqual(store.calls.slice(1), ['create job-1 active', 'remove idempotency-key']);
  });

  it('is not brought back what it removed by a file that was read just before', async () => {
    const kept = anEntry({ id: 'idempotency-key', job: undefined });
    await model.add(kept);
    await model.replace(entryKey(kept), anEntry());
    await model.accept([{ kind: 'stored', entry: kept }]);
    assert.deepEqual(
      model.entries.map(({ id }) => id),
      ['job-1'],
    );
    // Once the file has gone, another window may well have such a job again.
    await model.accept([{ kind: 'removed', key: entryKey(kept) }]);
    await model.accept([{ kind: 'stored', entry: kept }]);
    assert.equal(model.entries.length, 2);
  });

  it('writes back what a window with an older state undid', async () => {
    await model.add(anEntry());
    await model.update(key, completed(noon + 1));
    store.calls.length = 0;
    await model.accept([{ kind: 'stored', entry: anEntry() }]);
    assert.equal(model.get(key)?.job?.status, 'completed');
    assert.deepEqual(store.calls, ['update job-1 completed']);
  });

  it('is silent about what it wrote itself', async () => {
    await model.add(anEntry());
    heard.length = 0;
    store.calls.length = 0;
    await model.accept([{ kind: 'stored', entry: structuredClone(anEntry()) }]);
    assert.deepEqual([heard, store.calls], [[], []]);
  });

  it('marks as seen what ended and nothing else', async () => {
    await model.add(anEntry());
    await model.markSeen([key, 'unknown']);
    assert.equal(model.get(key)?.seenAt, undefined);
    assert.deepEqual(store.calls, ['create job-1 active']);
  });

  it('marks as seen although the clock was set back', async () => {
    await model.add(anEntry());
    await model.update(key, completed(noon + 1000));
    now = noon - 1000;
    await model.markSeen([key]);
    assert.equal(model.counts.unseen, 0);
  });

  it('ignores changes of a job that was forgotten', async () => {
    await model.add(anEntry());
    await model.remove(key);
    await model.update(key, completed(noon));
    assert.equal(model.get(key), undefined);
    assert.deepEqual(store.calls, ['create job-1 active', 'remove job-1']);
  });

  it('tells the last trouble at a service while its jobs are watched', async () => {
    const at = (time: number) => ({ problem: { code: 'timeout', message: `Late ${time}.`, at: time } });
    await model.add(anEntry({ id: 'a', ...at(1) }));
    await model.add(anEntry({ id: 'b', ...at(2) }));
    await model.add(anEntry({ id: 'c', service: 'https://api.example.com', ...at(3) }));
    assert.equal(model.problemAt('local')?.message, 'Late 2.');
    assert.equal(model.problemAt('https://other.example.com'), undefined);
  });
});
