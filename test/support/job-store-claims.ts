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

/** The part of the suite about who may work on a job. */
export function describeJobStoreClaims(get: GetPlace): void {
  let place: JobStorePlace;
  let store: JobStore;
  beforeEach(() => {
    ({ place, store } = get());
  });
  const create = async (fields: Partial<NewJob> = {}): Promise<Job> =>
    storedJob(await store.create(newJob(fields)));
  const eventTypes = async (id: string): Promise<string[]> =>
    (await store.events(id, 0, 100)).map((event) => event.type);

  describe('claim', () => {
    it('takes the oldest first, of whatever project, and each once', async () => {
      const a = await create();
      const b = await create({ projectId: 'other' });
      const claims = [await claimed(store), await claimed(await place.client(), 'two')];
      assert.deepEqual(
        claims.map((claim) => claim.job.id),
        [a.id, b.id],
      );
      assert.equal(await store.claim('three', lease), undefined);
    });

    it('hands over the message to be done and what was before', async () => {
      const { id } = await create({ prompt: 'first' });
      assert.deepEqual((await claimed(store)).message, { number: 0, prompt: 'first', summary: undefined });
      await store.addMessage('docs', id, 'second');
      place.pass(lease);
      const again = await claimed(store);
      assert.equal(again.attempt, 2);
      assert.equal(again.message.prompt, 'first');
      assert.deepEqual(again.earlier, []);
      await complete(store, again, 'did first');
      const next = await claimed(store);
      assert.equal(next.attempt, 1);
      assert.deepEqual(next.message, { number: 1, prompt: 'second', summary: undefined });
      assert.deepEqual(next.earlier, [{ number: 0, prompt: 'first', summary: 'did first' }]);
    });

    it('leaves a job alone until its lease runs out', async () => {
      await create();
      const first = await claimed(store);
      place.pass(lease - 1);
      assert.equal(await store.claim('two', lease), undefined);
      place.pass(1);
      const second = await claimed(store, 'two');
      assert.equal(second.attempt, 2);
      assert.ok(second.number > first.number);
    });

    it('is kept by heartbeats', async () => {
      await create();
      const claim = await claimed(store);
      for (let i = 0; i < 5; i++) {
        place.pass(lease - 1);
        assert.equal(await store.heartbeat(claim, lease), true);
      }
      place.pass(lease - 1);
      assert.equal(await store.claim('two', lease), undefined);
    });

    it('survives its own lease while nobody took the job over', async () => {
      await create();
      const claim = await claimed(store);
      place.pass(10 * lease);
      assert.equal(await store.heartbeat(claim, lease), true);
      assert.equal(await store.claim('two', lease), undefined);
      assert.equal(await complete(store, claim), true);
    });

    it('waits for a delayed release, and only for that job', async () => {
      const { id } = await create();
      await store.release(await claimed(store), { delayMs: 5000 });
      assert.equal(await store.claim('one', lease), undefined);
      const other = await create();
      assert.equal((await claimed(store)).job.id, other.id);
      place.pass(4999);
      assert.equal(await store.claim('one', lease), undefined);
      place.pass(1);
      const claim = await claimed(store);
      assert.equal(claim.job.id, id);
      assert.equal(claim.attempt, 2);
    });

    it('does not count an attempt that was no fault of the job', async () => {
      await create();
      for (let i = 0; i < 5; i++) await store.release(await claimed(store), { uncounted: true });
      assert.equal((await claimed(store)).attempt, 1);
    });

    it('takes a job that was given back before all that are younger', async () => {
      const { id } = await create();
      const claim = await claimed(store);
      await create();
      await create();
      await claimed(store);
      await store.release(claim, { uncounted: true });
      assert.equal((await claimed(await place.client())).job.id, id);
    });

    it('takes over at once when the leases are ended', async () => {
      await create();
      await create();
      const claim = await claimed(store);
      const other = await place.client();
      assert.equal(await other.endLeases(), 1);
      assert.equal(await other.endLeases(), 0);
      assert.equal(await store.heartbeat(claim, lease), false);
      assert.equal((await claimed(other)).job.id, claim.job.id);
    });
  });

  it('refuses every write of a late worker', async () => {
    const { id } = await create();
    const late = await claimed(store);
    await store.record(late, { step: 'early', work: { branch: 'mine' } });
    place.pass(lease);
    const present = await claimed(store, 'two');
    await store.record(present, { step: 'present', work: { branch: 'yours' } });
    const before = [await store.get('docs', id), await store.events(id, 0, 100)];
    assert.equal(await store.heartbeat(late, lease), false);
    assert.equal(await store.record(late, { step: 'late', work: {} }), false);
    assert.equal(await store.addEvent(late, 'progress', 'late'), false);
    assert.equal(await store.release(late), false);
    assert.equal(await complete(store, late), false);
    assert.equal(await store.finish(late, { status: 'failed', error: failure }), false);
    assert.deepEqual([await store.get('docs', id), await store.events(id, 0, 100)], before);
    assert.equal(await complete(store, present), true);
    assert.equal(await complete(store, present), false);
  });

  it('records what is said and leaves the rest', async () => {
    const { id } = await create();
    const claim = await claimed(store);
    const work = { baseCommit: 'c0', branch: 'b', pullRequest: { number: 3, link: '/r' } };
    await store.record(claim, { work, model: 'big', repository: 'https://host/r' });
    await store.record(claim, { step: 'Pushing' });
    const job = await store.get('docs', id);
    assert.deepEqual(job?.work, work);
    assert.deepEqual([job.model, job.repository, job.step], ['big', 'https://host/r', 'Pushing']);
    await store.record(claim, { work: { branch: 'b' } });
    assert.deepEqual((await store.get('docs', id))?.work, { branch: 'b' });
  });

  describe('finish', () => {
    it('completes', async () => {
      const { id } = await create();
      const claim = await claimed(store);
      await store.record(claim, { step: 'Pushing' });
      assert.equal(await store.activeCount(), 1);
      await store.finish(claim, { status: 'completed', summary: 'Did it.', model: 'm' });
      const job = await store.get('docs', id);
      assert.deepEqual(
        [job?.status, job?.summary, job?.model, job?.step],
        ['completed', 'Did it.', 'm', undefined],
      );
      assert.equal(await store.activeCount(), 0);
      assert.equal(await store.claim('one', lease), undefined);
    });

    it('fails with its error, which a follow-up takes away', async () => {
      const { id } = await create();
      await store.finish(await claimed(store), { status: 'failed', error: failure });
      const job = await store.get('docs', id);
      assert.deepEqual([job?.status, job?.error], ['failed', failure]);
      const followed = storedJob(await store.addMessage('docs', id, 'again'));
      assert.deepEqual([followed.status, followed.error], ['active', undefined]);
      const claim = await claimed(store);
      assert.equal(claim.attempt, 1);
      assert.deepEqual(claim.earlier, [{ number: 0, prompt: newJob().prompt, summary: undefined }]);
    });

    for (const status of ['completed', 'failed'] as const) {
      it(`goes on with a message that came meanwhile when ${status}`, async () => {
        const { id } = await create();
        const claim = await claimed(store);
        assert.equal(storedJob(await store.addMessage('docs', id, 'more')).status, 'active');
        const outcome =
          status === 'completed' ? { status, summary: 's', model: 'm' } : { status, error: failure };
        assert.equal(await store.finish(claim, outcome), true);
        assert.equal((await store.get('docs', id))?.status, 'active');
        assert.ok(!(await eventTypes(id)).includes(status), 'an end was told that was none');
        const next = await claimed(store);
        assert.deepEqual([next.message.prompt, next.attempt], ['more', 1]);
        await complete(store, next);
        assert.equal((await store.get('docs', id))?.status, 'completed');
      });
    }
  });

  describe('cancel', () => {
    it('ends a waiting job', async () => {
      const { id } = await create();
      assert.equal(await store.cancel('docs', id, failure), true);
      assert.deepEqual((await store.get('docs', id))?.error, failure);
      assert.equal(await store.claim('one', lease), undefined);
      assert.equal(await store.cancel('docs', id, failure), false);
    });

    it('takes the claim away, also when a follow-up makes the job active again', async () => {
      const { id } = await create();
      const claim = await claimed(store);
      await store.cancel('docs', id, failure);
      assert.equal(await store.heartbeat(claim, lease), false);
      await store.addMessage('docs', id, 'once more');
      assert.equal(await store.heartbeat(claim, lease), false);
      assert.equal(await complete(store, claim), false);
      const next = await claimed(store);
      assert.equal(next.message.prompt, 'once more');
    });

    it('settles the messages that waited', async () => {
      const { id } = await create();
      await store.addMessage('docs', id, 'second');
      await store.cancel('docs', id, failure);
      await store.addMessage('docs', id, 'third');
      assert.equal((await claimed(store)).message.prompt, 'third');
    });

    it('does not undo an end', async () => {
      const { id } = await create();
      await complete(store, await claimed(store));
      assert.equal(await store.cancel('docs', id, failure), false);
      assert.equal((await store.get('docs', id))?.status, 'completed');
    });
  });
}
