import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { NewerSchemaError } from '../../src/adapters/sqlite/migrations.ts';
import { openStores, type SqliteStores } from '../../src/adapters/sqlite/stores.ts';
import { SqliteJobStore } from '../../src/adapters/sqlite/sqlite-job-store.ts';
import type { Project } from '../../src/contract/project.ts';
import { newJob } from '../support/new-job.ts';
import { failsWith } from '../support/service-errors.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

describe('the database of the service', () => {
  let folder: TemporaryFolder;
  let file: string;
  const opened: AsyncDisposable[] = [];

  beforeEach(async () => {
    folder = await temporaryFolder();
    file = path.join(folder.path, 'jobs.db');
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  function open(now?: () => number): SqliteStores {
    const stores = openStores(file, now);
    opened.push(stores);
    return stores;
  }

  it('keeps what it answered durably and lets readers read while somebody writes', () => {
    const database = openDatabase(file);
    try {
      assert.equal(database.prepare('PRAGMA journal_mode').get()?.['journal_mode'], 'wal');
      assert.equal(database.prepare('PRAGMA synchronous').get()?.['synchronous'], 2);
      assert.equal(database.prepare('PRAGMA foreign_keys').get()?.['foreign_keys'], 1);
      assert.equal(database.prepare('PRAGMA busy_timeout').get()?.['timeout'], 10_000);
    } finally {
      database.close();
    }
  });

  it('is for its user only, with everything that SQLite keeps beside it', async function () {
    if (process.platform === 'win32') this.skip();
    await open().jobs.create(newJob());
    for (const name of await readdir(folder.path)) {
      assert.equal((await stat(path.join(folder.path, name))).mode & 0o777, 0o600, name);
    }
  });

  it('is there again with all jobs when it is opened a second time', async () => {
    const first = openStores(file);
    const job = newJob();
    await first.jobs.create(job);
    await first[Symbol.asyncDispose]();
    assert.equal((await open().jobs.get('docs', job.id))?.prompt, job.prompt);
  });

  it('is refused, with what to do, and left as it is when a newer version wrote it', async () => {
    openDatabase(file).close();
    const database = openDatabase(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    const before = await readFile(file);
    assert.throws(
      () => openDatabase(file),
      (error) => error instanceof NewerSchemaError && /format 99.*Update Docs Agent/.test(error.message),
    );
    assert.deepEqual(await readFile(file), before);
  });

  it('takes over the jobs of the version that knew no agents', async () => {
    const job = newJob();
    const first = openStores(file);
    await first.jobs.create(job);
    await first[Symbol.asyncDispose]();
    const database = openDatabase(file);
    database.exec('ALTER TABLE jobs DROP COLUMN agent; PRAGMA user_version = 1');
    database.close();
    const { jobs } = open();
    assert.equal((await jobs.get('docs', job.id))?.agent, 'rules');
    assert.equal((await jobs.claim('one', 1000))?.job.agent, 'rules');
  });

  it('says that the disk is full or cannot be written, and goes on when that is over', async () => {
    const database = openDatabase(file);
    opened.push({ [Symbol.asyncDispose]: async () => database.close() });
    const store = new SqliteJobStore(database);
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const long = newJob({ prompt: 'x'.repeat(100_000) });
    await assert.rejects(store.create(long), failsWith('internal', /disk is full/));
    database.exec('PRAGMA max_page_count = 1000000');
    database.exec('PRAGMA query_only = ON');
    await assert.rejects(store.create(newJob()), failsWith('internal', /cannot be written/));
    database.exec('PRAGMA query_only = OFF');
    assert.equal((await store.create(long)).kind, 'stored');
  });

  it('says that a file is no database', async () => {
    await writeFile(file, 'This is a text.'.repeat(100));
    assert.throws(() => openDatabase(file), /not a database/);
  });

  it('does not announce that its module is experimental, and lets other warnings through', () => {
    const database = path.join(import.meta.dirname, '..', '..', 'src', 'adapters', 'sqlite', 'database.ts');
    const script = `
      const { sqliteModule } = await import(${JSON.stringify(pathToFileURL(database).href)});
      sqliteModule();
      process.emitWarning('another one');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      // Whoever runs the tests may have silenced all warnings.
      env: { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '' },
    });
    assert.equal(child.status, 0, child.stderr);
    assert.match(child.stderr, /another one/);
    assert.doesNotMatch(child.stderr, /SQLite/);
  });

  it('forgets idempotency keys after a week, not before', async () => {
    const day = 24 * 60 * 60 * 1000;
    const start = Date.now();
    const key = { key: 'k', fingerprint: 'f' };
    await open(() => start).jobs.create(newJob(), key);
    assert.equal((await open(() => start + 6 * day).jobs.create(newJob(), key)).kind, 'replayed');
    assert.equal((await open(() => start + 8 * day).jobs.create(newJob(), key)).kind, 'stored');
  });

  it('forgets them with what else is old, for a service that never starts again', async () => {
    let now = Date.now();
    const { jobs } = open(() => now);
    const key = { key: 'k', fingerprint: 'f' };
    const retention = { keptMs: 0, jobsPerProject: 1000 };
    await jobs.create(newJob(), key);
    now += 6 * 24 * 60 * 60 * 1000;
    await jobs.forget(retention);
    assert.equal((await jobs.create(newJob(), key)).kind, 'replayed');
    now += 2 * 24 * 60 * 60 * 1000;
    await jobs.forget(retention);
    assert.equal((await jobs.create(newJob(), key)).kind, 'stored');
  });

  describe('keeps projects', () => {
    const project: Project = { id: 'docs', repository: '/r', baseBranch: 'main', docsRoot: 'docs' };

    it('and replaces one that is put again', async () => {
      const { projects } = open();
      assert.equal(await projects.get('docs'), undefined);
      await projects.put(project);
      assert.deepEqual(await projects.get('docs'), project);
      await projects.put({ id: 'docs', repository: '/other' });
      assert.deepEqual(await open().projects.get('docs'), { id: 'docs', repository: '/other' });
    });

    it('with the extras of its pull requests and the check that was allowed, until it is put without', async () => {
      const { projects } = open();
      const whole: Project = {
        ...project,
        pullRequest: { draft: true, labels: ['docs'], reviewers: ['ann'] },
        allowedCheck: 'npm run check',
      };
      await projects.put(whole);
      assert.deepEqual(await open().projects.get('docs'), whole);
      await projects.put(project);
      assert.deepEqual(await projects.get('docs'), project);
    });

    it('without anything that is none of its fields, such as a token', async () => {
      await open().projects.put({ ...project, hostToken: 'ghp_secretsecret' } as Project);
      assert.deepEqual(await open().projects.get('docs'), project);
      for (const name of [file, `${file}-wal`]) {
        assert.ok(!(await readFile(name)).includes('ghp_secretsecret'), name);
      }
    });
  });

  describe('keeps reviews', () => {
    const review = {
      token: 't1',
      jobId: 'j1',
      projectId: 'docs',
      title: 'Title',
      body: 'Body',
      branch: 'docs-agent/x',
      baseBranch: 'main',
      baseCommit: 'c0',
      headCommit: 'c1',
    };

    it('numbered within their project', async () => {
      const { reviews } = open(() => 5);
      const first = await reviews.createReview(review);
      assert.deepEqual(first, {
        ...review,
        number: 1,
        state: 'open',
        mergeCommit: undefined,
        createdAt: 5,
        updatedAt: 5,
      });
      const second = await reviews.createReview({ ...review, token: 't2', branch: 'docs-agent/y' });
      const other = await reviews.createReview({ ...review, token: 't3', projectId: 'other' });
      assert.deepEqual([second.number, other.number], [2, 1]);
      assert.deepEqual(await reviews.reviewByNumber('docs', 2), second);
      assert.deepEqual(await reviews.reviewByToken('t3'), other);
      assert.equal(await reviews.reviewByNumber('docs', 3), undefined);
      assert.equal(await reviews.reviewByToken('t4'), undefined);
    });

    it('as long as their jobs, and jobs as long as a review is open', async () => {
      let now = 0;
      const { jobs, reviews } = open(() => now);
      const job = newJob({ id: 'j1' });
      await jobs.create(job);
      await jobs.cancel('docs', 'j1', { code: 'cancelled', message: 'Cancelled.', retryable: false });
      await reviews.createReview(review);
      now = 1_000_000;
      const everything = { keptMs: 0, jobsPerProject: 0 };
      assert.deepEqual(await jobs.forget(everything), { jobs: 0, events: 0 });
      assert.equal((await jobs.events('j1', 0, 10)).length, 2);
      await reviews.updateReview('t1', { state: 'closed' });
      assert.deepEqual(await jobs.forget(everything), { jobs: 1, events: 2 });
      assert.equal(await reviews.reviewByToken('t1'), undefined);
    });

    it('and finds the open one of a branch instead of making a second', async () => {
      const { reviews } = open();
      const first = await reviews.createReview(review);
      const again = await open().reviews.createReview({ ...review, token: 't2', title: 'Else' });
      assert.deepEqual(again, first);
    });

    it('and makes a new one beside a closed one', async () => {
      const { reviews } = open();
      await reviews.createReview(review);
      await reviews.updateReview('t1', { state: 'closed' });
      assert.equal(await reviews.openReview('docs', review.branch), undefined);
      const next = await reviews.createReview({ ...review, token: 't2' });
      assert.equal(next.number, 2);
      assert.equal((await reviews.openReview('docs', review.branch))?.token, 't2');
    });

    it('and changes what is said, nothing else', async () => {
      let now = 1;
      const { reviews } = open(() => now);
      const first = await reviews.createReview(review);
      now = 2;
      await reviews.updateReview('t1', { headCommit: 'c2', title: 'New' });
      const changed = { ...first, headCommit: 'c2', title: 'New', updatedAt: 2 };
      assert.deepEqual(await reviews.reviewByToken('t1'), changed);
      await reviews.updateReview('t1', { state: 'merged', mergeCommit: 'm' });
      assert.deepEqual(await reviews.reviewByToken('t1'), { ...changed, state: 'merged', mergeCommit: 'm' });
    });
  });
});
