import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSameEntry, withJob, withSeen } from '../../src/extension/entry-changes.ts';
import { entryFileStem } from '../../src/extension/entry-file.ts';
import { entryKey, type JobEntry } from '../../src/extension/job-entry.ts';
import { JobModel, type StoredChange } from '../../src/extension/job-model.ts';
import { Ledger, maxEntries, surplusEntries } from '../../src/extension/ledger.ts';
import { aJob, anEnded, anEntry, link, noon } from '../support/job-entries.ts';
import { until } from '../support/service-process.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

describe('The ledger', function () {
  // Each write waits for the disk.
  this.timeout(60_000);
  let folder: TemporaryFolder;
  let jobs: string;
  let troubles: string[];
  const open: Ledger[] = [];

  const ledger = (): Ledger => {
    const one = new Ledger({ folder: jobs, now: Date.now, onTrouble: (message) => troubles.push(message) });
    open.push(one);
    return one;
  };
  const fileOf = (entry: JobEntry): string => path.join(jobs, `${entryFileStem(entryKey(entry))}.json`);
  const stored = async (): Promise<JobEntry[]> => ledger().load();

  beforeEach(async () => {
    folder = await temporaryFolder();
    jobs = path.join(folder.path, 'global storage', 'jobs');
    troubles = [];
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.dispose();
    await folder[Symbol.asyncDispose]();
  });

  it('gives back every field after a reload', async () => {
    const full = anEnded(
      {
        status: 'completed',
        repository: '/srv/docs',
        ref: 'main',
        prLink: link,
        step: 'Pushed',
        filesChanged: 2,
        error: { code: 'x', message: 'y', retryable: true },
      },
      {
        seenAt: noon + 1,
        openedAt: noon + 2,
        problem: { code: 'timeout', message: 'Late.', at: noon + 999_999 },
      },
    );
    const empty = anEntry({ id: 'key', job: undefined, folder: undefined });
    const one = ledger();
    await one.create(full);
    await one.create(empty);
    const loaded = await stored();
    for (const entry of [full, empty]) assert.ok(loaded.some((other) => isSameEntry(entry, other)));
    assert.equal(loaded.length, 2);
  });

  it('keeps an id that looks like a path inside its folder', async () => {
    const entry = anEntry({ id: '../../../../evil\u0000/..' });
    await ledger().create(entry);
    assert.equal((await readdir(jobs)).length, 1);
    assert.deepEqual(await readdir(folder.path), ['global storage']);
    assert.equal((await stored())[0]?.id, entry.id);
  });

  const damages: [string, string][] = [
    ['cut off', '{"version": 1, "entry": {"service": "lo'],
    ['empty', ''],
    ['of another kind', '[1, 2]'],
    ['without an id', JSON.stringify({ version: 1, entry: { ...anEntry(), id: undefined } })],
    [
      'with a job without a status',
      JSON.stringify({ version: 1, entry: { ...anEntry(), job: { id: 'x' } } }),
    ],
    ['too large', `"${'x'.repeat(1024 * 1024)}"`],
  ];
  for (const [what, text] of damages) {
    it(`sets a file aside that is ${what}`, async () => {
      const good = anEntry({ id: 'good' });
      await ledger().create(good);
      await ledger().create(anEntry());
      await writeFile(fileOf(anEntry()), text);
      assert.deepEqual(
        (await stored()).map(({ id }) => id),
        ['good'],
      );
      assert.equal(await readFile(`${fileOf(anEntry())}.damaged`, 'utf8'), text);
      assert.equal(troubles.length, 1);
      await ledger().create(anEntry());
      assert.equal((await stored()).length, 2, 'the place is free again');
    });
  }

  it('leaves alone what a newer version wrote', async () => {
    await ledger().create(anEntry());
    const newer = JSON.stringify({ version: 2, entry: { shape: 'of tomorrow' } });
    await writeFile(fileOf(anEntry()), newer);
    assert.deepEqual(await stored(), []);
    await ledger().update(anEntry());
    assert.equal(await readFile(fileOf(anEntry()), 'utf8'), newer);
  });

  it('does not bring back a job that another window forgot', async () => {
    const [a, b] = [ledger(), ledger()];
    await a.create(anEntry());
    await b.load();
    await b.remove(entryKey(anEntry()));
    await a.update(withSeen(anEntry(), noon));
    assert.deepEqual(await readdir(jobs), []);
  });

  it('joins what two windows write at the same time', async () => {
    const [a, b] = [ledger(), ledger()];
    await a.create(anEntry());
    await a.update(withJob(anEntry(), aJob({ status: 'completed', prLink: link }), noon + 5));
    // This window has not heard of the end yet.
    await b.update({ ...anEntry(), seenAt: noon + 9 });
    const [entry] = await stored();
    assert.deepEqual([entry?.job?.status, entry?.endedAt, entry?.seenAt], ['completed', noon + 5, noon + 9]);
  });

  it('leaves a whole file whatever the order of many writes', async () => {
    const windows = Array.from({ length: 5 }, ledger);
    await windows[0]?.create(anEntry());
    const [reader] = windows;
    const writes = windows.flatMap((one, number) =>
      Array.from({ length: 10 }, async (_, turn) =>
        one.update(withSeen(anEntry(), noon + number * 10 + turn)),
      ),
    );
    while ((await Promise.race([Promise.all(writes).then(() => 'done'), reader?.load()])) !== 'done');
    assert.deepEqual(troubles, []);
    assert.equal((await readdir(jobs)).length, 1, 'no unfinished file stays');
  });

  it('gives a mark to one window only, once, and forgets it with the job', async () => {
    const windows = Array.from({ length: 8 }, ledger);
    await windows[0]?.create(anEntry());
    const key = entryKey(anEntry());
    const claims = await Promise.all(windows.map(async (one) => one.claim(key, 'opened')));
    assert.equal(claims.filter(Boolean).length, 1);
    assert.equal(await ledger().claim(key, 'opened'), false, 'also after a reload');
    assert.equal(await ledger().claim(key, 'announced-5'), true);
    await ledger().remove(key);
    assert.deepEqual(await readdir(jobs), []);
  });

  it('removes what a window that died left half written, not what is being written', async () => {
    await mkdir(jobs, { recursive: true });
    const old = path.join(jobs, 'a.json.1.unfinished');
    await writeFile(old, '{');
    await utimes(old, new Date(Date.now() - 120_000), new Date(Date.now() - 120_000));
    await writeFile(path.join(jobs, 'b.json.2.unfinished'), '{');
    await stored();
    assert.deepEqual(await readdir(jobs), ['b.json.2.unfinished']);
  });

  it('keeps a bounded number: the oldest seen ends go first, a running job never', async () => {
    const old = (id: string, at: number) => ({
      ...anEnded({ status: 'completed' }, { id }),
      createdAt: at,
      endedAt: at,
    });
    const seen = { ...old('seen', 50), seenAt: 60 };
    const entries = [anEntry({ id: 'running', createdAt: 1 }), old('a', 10), old('b', 20), seen];
    assert.deepEqual(surplusEntries(entries, 4), []);
    assert.deepEqual(
      surplusEntries(entries, 2).map(({ id }) => id),
      ['seen', 'a'],
    );
    assert.equal(surplusEntries(entries, 0).length, 3);

    const one = ledger();
    const many = Array.from({ length: maxEntries + 3 }, (_, n) => old(`job-${n}`, 1000 + n));
    await Promise.all(many.map(async (entry) => one.create(entry)));
    const ids = (await stored()).map(({ id }) => id);
    assert.equal(ids.length, maxEntries);
    assert.ok(!ids.includes('job-2') && ids.includes('job-3'));
    assert.equal((await readdir(jobs)).length, maxEntries);
  });

  it('is readable for this user only', async function () {
    if (process.platform === 'win32') this.skip();
    await ledger().create(anEntry());
    assert.equal((await stat(fileOf(anEntry()))).mode & 0o777, 0o600);
    assert.equal((await stat(jobs)).mode & 0o777, 0o700);
  });

  it('tells that it cannot write instead of losing the job in silence', async () => {
    await mkdir(path.dirname(jobs), { recursive: true });
    await writeFile(jobs, 'a file in the way');
    await assert.rejects(ledger().create(anEntry()), { code: 'EEXIST' });
  });

  describe('watched by another window', () => {
    /** The next changes that a predicate wants. */
    const heard = async (one: Ledger, wanted: (change: StoredChange) => boolean): Promise<StoredChange> =>
      new Promise((resolve) => {
        one.watch((changes) => {
          const found = changes.find(wanted);
          if (found !== undefined) resolve(found);
        });
      });

    it('tells a new job, its end and that it was forgotten', async () => {
      const [a, b] = [ledger(), ledger()];
      await b.load();
      const created = heard(b, (change) => change.kind === 'stored');
      await a.create(anEntry());
      await created;
      b.dispose();

      const c = ledger();
      await c.load();
      const ended = heard(c, (change) => change.kind === 'stored' && change.entry.job?.status === 'failed');
      await a.update(withJob(anEntry(), aJob({ status: 'failed' }), noon + 5));
      await ended;
      c.dispose();

      const d = ledger();
      await d.load();
      const removed = heard(d, (change) => change.kind === 'removed');
      await a.remove(entryKey(anEntry()));
      assert.deepEqual(await removed, { kind: 'removed', key: entryKey(anEntry()) });
    });

    it('tells the window that removed an entry when its file has gone', async () => {
      const one = ledger();
      await one.create(anEntry());
      const changes: StoredChange[] = [];
      one.watch((more) => changes.push(...more));
      await one.rescan();
      await one.remove(entryKey(anEntry()));
      await one.rescan();
      assert.deepEqual(changes.at(-1), { kind: 'removed', key: entryKey(anEntry()) });
    });

    it('does not take a damaged file for a forgotten job', async () => {
      const [a, b] = [ledger(), ledger()];
      await a.create(anEntry());
      await b.load();
      const changes: StoredChange[] = [];
      b.watch((more) => changes.push(...more));
      await b.rescan();
      changes.length = 0;
      await writeFile(fileOf(anEntry()), 'x');
      await b.rescan();
      await b.rescan();
      assert.deepEqual(changes, []);
    });

    it('hears of changes by a rescan where the file system tells none', async () => {
      const [a, b] = [ledger(), ledger()];
      // Watching a folder that is not there fails.
      const changes: StoredChange[] = [];
      b.watch((more) => changes.push(...more));
      assert.deepEqual(troubles, [
        'Changes of the ledger are not told by the file system; it is read now and then.',
      ]);
      await a.create(anEntry());
      await b.rescan();
      assert.equal(changes.at(-1)?.kind, 'stored');
      await rm(jobs, { recursive: true });
      await b.rescan();
      assert.equal(changes.at(-1)?.kind, 'removed');
    });

    it('brings two models to the same state when both write', async () => {
      const models = [ledger(), ledger()].map((one) => ({ one, model: new JobModel(one, () => noon + 100) }));
      for (const { one, model } of models) {
        model.load(await one.load());
        one.watch((changes) => void model.accept(changes));
      }
      const [first, second] = models;
      assert.ok(first && second);
      const key = entryKey(anEntry());
      await first.model.add(anEntry());
      await second.one.rescan();
      await Promise.all([
        first.model.update(key, (entry) => withJob(entry, aJob({ status: 'completed' }), noon + 5)),
        second.model.update(key, (entry) => ({ ...entry, openedAt: noon + 7 })),
      ]);
      const agreed = (entry: JobEntry | undefined): boolean =>
        entry?.job?.status === 'completed' && entry.openedAt === noon + 7;
      // What a model writes back is on its way while the next scans go on, for as long as the disk takes.
      await until(async () => {
        await Promise.all([first.one.rescan(), second.one.rescan()]);
        const [a, b] = [first.model.get(key), second.model.get(key)];
        return a !== undefined && b !== undefined && agreed(a) && isSameEntry(a, b);
      });
    });
  });
});
