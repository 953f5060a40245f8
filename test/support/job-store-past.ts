import assert from 'node:assert/strict';
import type { Job } from '../../src/service/job.ts';
import type { JobStore, NewJob } from '../../src/service/ports/job-store.ts';
import {
  claimed,
  complete,
  failure,
  lease,
  storedJob,
  type GetPlace,
  type JobStorePlace,
} from './job-store-place.ts';
import { newJob } from './new-job.ts';

const day = 24 * 60 * 60 * 1000;
const retention = { keptMs: 90 * day, jobsPerProject: 2 };

/** The part of the suite about the past: what is kept of it, and a clock that goes back. */
export function describeJobStorePast(get: GetPlace): void {
  let place: JobStorePlace;
  let store: JobStore;
  beforeEach(() => {
    ({ place, store } = get());
  });
  const create = async (fields: Partial<NewJob> = {}): Promise<Job> =>
    storedJob(await store.create(newJob(fields)));
  const ended = async (fields: Partial<NewJob> = {}): Promise<string> => {
    const { id } = await create(fields);
    await complete(store, await claimed(store));
    return id;
  };
  const kept = async (projectId = 'docs'): Promise<string[]> =>
    (await store.list(projectId, { limit: 50 })).jobs.map((job) => job.id);

  describe('forget', () => {
    it('removes nothing that is young', async () => {
      const ids = [await ended(), await ended(), await ended()];
      place.pass(90 * day);
      assert.deepEqual(await store.forget(retention), { jobs: 0, events: 0 });
      assert.deepEqual(await kept(), ids.toReversed());
    });

    it('leaves the newest jobs of each project, with their last event', async () => {
      const old = [await ended(), await ended(), await ended(), await ended()];
      const other = [await ended({ projectId: 'other' }), await ended({ projectId: 'other' })];
      place.pass(90 * day + 1);
      const young = await ended();
      assert.deepEqual(await store.forget(retention), { jobs: 3, events: 15 });
      assert.deepEqual(await kept(), [young, old[3]]);
      assert.deepEqual(await kept('other'), other.toReversed());
      assert.equal(await store.get('docs', old[0] ?? ''), undefined);
      assert.deepEqual(await store.events(old[0] ?? '', 0, 10), []);
      assert.deepEqual(
        (await store.events(old[3] ?? '', 0, 10)).map(({ id, type }) => [id, type]),
        [[3, 'completed']],
      );
      assert.equal((await store.events(young, 0, 10)).length, 3);
      assert.deepEqual(await store.forget(retention), { jobs: 0, events: 0 });
    });

    it('never touches an active job, however old', async () => {
      const waiting = await create();
      const held = await create();
      const claim = await claimed(store);
      assert.equal(claim.job.id, waiting.id);
      place.pass(1000 * day);
      for (let i = 0; i < 3; i++) await create();
      await store.forget({ keptMs: 0, jobsPerProject: 0 });
      assert.equal((await kept()).length, 5);
      assert.equal((await store.events(held.id, 0, 10)).length, 1);
      assert.equal((await store.events(waiting.id, 0, 10)).length, 2);
      assert.equal(await complete(store, claim), true);
    });

    it('lets a follow-up go on with the numbers of the events', async () => {
      const id = await ended();
      place.pass(91 * day);
      assert.deepEqual(await store.forget(retention), { jobs: 0, events: 2 });
      await store.addMessage('docs', id, 'more');
      const claim = await claimed(store);
      assert.deepEqual(
        claim.earlier.map(({ summary }) => summary),
        ['Done.'],
      );
      assert.deepEqual(
        (await store.events(id, 3, 10)).map((event) => event.id),
        [4, 5],
      );
    });

    it('removes many at once, with what was repeated and cancelled', async () => {
      for (let i = 0; i < 250; i++) {
        const { id } = storedJob(await store.create(newJob(), { key: `k${i}`, fingerprint: 'f' }));
        await store.cancel('docs', id, failure);
      }
      place.pass(91 * day);
      assert.equal((await store.forget(retention)).jobs, 248);
      assert.equal((await kept()).length, 2);
    });
  });

  it('does not wait for a clock that was set back', async () => {
    await create();
    await store.release(await claimed(store), { delayMs: lease });
    assert.equal(await store.claim('one', lease), undefined);
    place.pass(-10 * day);
    assert.ok(await store.claim('one', lease));
  });
}
