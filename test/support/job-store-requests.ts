import assert from 'node:assert/strict';
import type { Job } from '../../src/service/job.ts';
import type { JobStore, NewJob } from '../../src/service/ports/job-store.ts';
import { failure, storedJob, type GetPlace, type JobStorePlace } from './job-store-place.ts';
import { newJob } from './new-job.ts';

/** The part of the suite about what a client asks for. */
export function describeJobStoreRequests(get: GetPlace): void {
  let place: JobStorePlace;
  let store: JobStore;
  beforeEach(() => {
    ({ place, store } = get());
  });
  const create = async (fields: Partial<NewJob> = {}): Promise<Job> =>
    storedJob(await store.create(newJob(fields)));

  describe('idempotency', () => {
    const key = { key: 'k', fingerprint: 'one' };

    it('answers the first job again', async () => {
      const first = storedJob(await store.create(newJob(), key));
      const again = await (await place.client()).create(newJob(), key);
      assert.equal(again.kind, 'replayed');
      assert.equal(storedJob(again).id, first.id);
      assert.equal((await store.list('docs', { limit: 10 })).jobs.length, 1);
      assert.equal(await store.activeCount(), 1);
    });

    it('refuses the same key with another body', async () => {
      await store.create(newJob(), key);
      assert.deepEqual(await store.create(newJob(), { ...key, fingerprint: 'two' }), { kind: 'conflict' });
      assert.equal(await store.activeCount(), 1);
    });

    it('keeps the keys of two projects apart', async () => {
      await store.create(newJob(), key);
      assert.equal((await store.create(newJob({ projectId: 'other' }), key)).kind, 'stored');
    });

    it('keeps the keys of creates and of each job’s messages apart', async () => {
      const a = storedJob(await store.create(newJob(), key));
      const b = await create();
      assert.equal((await store.addMessage('docs', a.id, 'more', key))?.kind, 'stored');
      assert.equal((await store.addMessage('docs', b.id, 'more', key))?.kind, 'stored');
      assert.equal((await store.addMessage('docs', b.id, 'more', key))?.kind, 'replayed');
      const other = { ...key, fingerprint: 'two' };
      assert.equal((await store.addMessage('docs', b.id, 'else', other))?.kind, 'conflict');
    });

    it('replays a message also when the job has been archived since', async () => {
      const { id } = await create();
      await store.addMessage('docs', id, 'more', key);
      await store.cancel('docs', id, failure);
      await store.archive('docs', id);
      assert.equal((await store.addMessage('docs', id, 'more', key))?.kind, 'replayed');
      assert.equal((await store.addMessage('docs', id, 'new'))?.kind, 'archived');
    });
  });

  describe('quota', () => {
    const quota = { most: 2, withinMs: 1000 };

    it('is for one project and says when one more fits', async () => {
      await store.create(newJob(), undefined, quota);
      place.pass(400);
      await store.create(newJob(), undefined, quota);
      assert.deepEqual(await store.create(newJob(), undefined, quota), {
        kind: 'over_quota',
        retryAfterMs: 600,
      });
      assert.equal((await store.create(newJob({ projectId: 'other' }), undefined, quota)).kind, 'stored');
      assert.equal((await store.list('docs', { limit: 10 })).jobs.length, 2);
      place.pass(600);
      assert.equal((await store.create(newJob(), undefined, quota)).kind, 'stored');
      assert.equal((await store.create(newJob(), undefined, quota)).kind, 'over_quota');
    });

    it('counts creates and messages apart', async () => {
      const { id } = await create();
      await create();
      assert.equal((await store.addMessage('docs', id, 'a', undefined, quota))?.kind, 'stored');
      assert.equal((await store.addMessage('docs', id, 'b', undefined, quota))?.kind, 'stored');
      assert.equal((await store.addMessage('docs', id, 'c', undefined, quota))?.kind, 'over_quota');
    });

    it('never refuses a replay', async () => {
      const key = { key: 'k', fingerprint: 'f' };
      const none = { most: 1, withinMs: 1000 };
      await store.create(newJob(), key, none);
      assert.equal((await store.create(newJob(), undefined, none)).kind, 'over_quota');
      assert.equal((await store.create(newJob(), key, none)).kind, 'replayed');
    });
  });

  describe('list', () => {
    it('is newest first and pages without gap or repetition while jobs are added', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) ids.unshift((await create()).id);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list('docs', { limit: 3, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.jobs.map((job) => job.id));
        cursor = page.cursor;
        await create();
      } while (cursor !== undefined);
      assert.deepEqual(seen, ids);
    });

    it('ends exactly at the last job', async () => {
      for (let i = 0; i < 4; i++) await create();
      const first = await store.list('docs', { limit: 2 });
      const second = await store.list('docs', { limit: 2, cursor: first.cursor ?? '' });
      assert.equal(second.jobs.length, 2);
      assert.equal(second.cursor, undefined);
    });

    it('filters by status', async () => {
      const gone = await create();
      const kept = await create();
      await store.cancel('docs', gone.id, failure);
      const active = await store.list('docs', { limit: 10, status: 'active' });
      assert.deepEqual(
        active.jobs.map((job) => job.id),
        [kept.id],
      );
      const failed = await store.list('docs', { limit: 10, status: 'failed' });
      assert.deepEqual(
        failed.jobs.map((job) => job.id),
        [gone.id],
      );
    });

    it('answers nothing to an unknown cursor or one of another project', async () => {
      await create();
      const { id } = await create({ projectId: 'other' });
      assert.deepEqual((await store.list('docs', { limit: 10, cursor: 'nonsense' })).jobs, []);
      assert.deepEqual((await store.list('docs', { limit: 10, cursor: id })).jobs, []);
    });
  });
}
