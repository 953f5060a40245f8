import assert from 'node:assert/strict';
import type { Job } from '../../src/service/job.ts';
import type { JobStore, NewJob } from '../../src/service/ports/job-store.ts';
import { describeJobStoreClaims } from './job-store-claims.ts';
import { describeJobStorePast } from './job-store-past.ts';
import { claimed, complete, failure, storedJob, type JobStorePlace } from './job-store-place.ts';
import { describeJobStoreRaces } from './job-store-races.ts';
import { describeJobStoreRequests } from './job-store-requests.ts';
import { newJob } from './new-job.ts';

/** What every job store must do. `open` makes an empty place. */
export function describeJobStore(name: string, open: () => Promise<JobStorePlace>): void {
  describe(name, () => {
    let place: JobStorePlace;
    let store: JobStore;

    beforeEach(async () => {
      place = await open();
      store = await place.client();
    });
    afterEach(() => place[Symbol.asyncDispose]());

    const create = async (fields: Partial<NewJob> = {}): Promise<Job> =>
      storedJob(await store.create(newJob(fields)));
    const eventTypes = async (id: string): Promise<string[]> =>
      (await store.events(id, 0, 100)).map((event) => event.type);

    it('keeps a new job for every client', async () => {
      const job = await create({ prompt: 'Say hello' });
      const other = await place.client();
      assert.deepEqual(await other.get('docs', job.id), job);
      assert.equal(job.status, 'active');
      assert.equal(job.prompt, 'Say hello');
      assert.equal(job.attempt, 0);
      assert.deepEqual(job.work, {});
      assert.equal(job.error, undefined);
      assert.equal(job.archivedAt, undefined);
    });

    it('keeps which agent a job has, whatever is told of its model and asked later', async () => {
      const agent = 'model:company-gateway/a/b@c:d';
      const { id } = await create({ agent, model: 'starting' });
      const claim = await claimed(store);
      assert.equal(claim.job.agent, agent);
      await store.record(claim, { model: 'b (Company)' });
      await complete(store, claim);
      storedJob(await store.addMessage('docs', id, 'more'));
      const job = await (await place.client()).get('docs', id);
      assert.equal(job?.agent, agent);
      assert.equal((await claimed(store)).job.agent, agent);
      assert.deepEqual(
        (await store.list('docs', { limit: 1 })).jobs.map((one) => one.agent),
        [agent],
      );
    });

    it('does not show a job to another project', async () => {
      const { id } = await create();
      assert.equal(await store.get('other', id), undefined);
      assert.equal(await store.addMessage('other', id, 'more'), undefined);
      assert.equal(await store.cancel('other', id, failure), false);
      assert.equal(await store.archive('other', id), false);
      assert.deepEqual((await store.list('other', { limit: 10 })).jobs, []);
      assert.equal((await store.get('docs', id))?.status, 'active');
    });

    const texts: readonly [string, string, string][] = [
      ['beyond the basic plane', 'Grüße, 日本語, 👩‍💻, \u202Ertl', 'Grüße, 日本語, 👩‍💻, \u202Ertl'],
      [
        'with quotes',
        `it's "so"; DROP TABLE jobs; -- \\ $1 :a ?`,
        `it's "so"; DROP TABLE jobs; -- \\ $1 :a ?`,
      ],
      ['with line ends', 'a\r\nb\nc\td', 'a\r\nb\nc\td'],
      ['with NUL', 'a\0b', 'a\uFFFDb'],
      ['with half a character', 'a\uD83Db', 'a\uFFFDb'],
      ['that is very long', 'x'.repeat(1_000_000), 'x'.repeat(1_000_000)],
    ];
    for (const [what, written, read] of texts) {
      it(`keeps text ${what}`, async () => {
        const { id } = await create({ prompt: written, title: written });
        const claim = await claimed(store);
        await store.addEvent(claim, 'progress', written);
        await store.record(claim, { step: written });
        assert.equal((await store.get('docs', id))?.step, read);
        await complete(store, claim, written);
        const job = await store.get('docs', id);
        assert.equal(job?.prompt, read);
        assert.equal(job.title, read);
        assert.equal(job.summary, read);
        assert.equal(
          (await store.events(id, 0, 100)).find((event) => event.type === 'progress')?.message,
          read,
        );
      });
    }

    it('archives an ended job once, and keeps the first time', async () => {
      const { id } = await create();
      assert.equal(await store.archive('docs', id), false);
      await complete(store, await claimed(store));
      assert.equal(await store.archive('docs', id), true);
      const first = await store.get('docs', id);
      assert.equal(first?.status, 'archived');
      assert.notEqual(first.archivedAt, undefined);
      place.pass(1000);
      assert.equal(await store.archive('docs', id), true);
      assert.equal((await store.get('docs', id))?.archivedAt, first.archivedAt);
      assert.equal((await eventTypes(id)).filter((type) => type === 'archived').length, 1);
    });

    it('tells the events in order, each with a growing number, also from the middle', async () => {
      const { id } = await create();
      await create();
      const claim = await claimed(store);
      for (let i = 0; i < 5; i++) await store.addEvent(claim, 'progress', `p${i}`);
      await store.addMessage('docs', id, 'more');
      await complete(store, claim);
      await complete(store, await claimed(store));
      await store.archive('docs', id);
      const events = await store.events(id, 0, 100);
      assert.deepEqual(
        events.map((event) => event.type),
        [
          'created',
          'claimed',
          ...Array<string>(5).fill('progress'),
          'message',
          'progress',
          'claimed',
          'completed',
          'archived',
        ],
      );
      assert.deepEqual(
        events.map((event) => event.id),
        events.map((_, index) => index + 1),
      );
      assert.deepEqual(await store.events(id, 4, 2), events.slice(4, 6));
      assert.deepEqual(await store.events(id, 100, 2), []);
      assert.deepEqual(await store.events('no such job', 0, 2), []);
    });

    it('tells that a waiting job was cancelled', async () => {
      const { id } = await create();
      await store.cancel('docs', id, failure);
      assert.deepEqual(await eventTypes(id), ['created', 'cancelled']);
    });

    const get = (): { place: JobStorePlace; store: JobStore } => ({ place, store });
    describeJobStoreRequests(get);
    describeJobStoreClaims(get);
    describeJobStoreRaces(get);
    describeJobStorePast(get);
  });
}
