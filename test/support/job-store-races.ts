import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { claimed, complete, lease, storedJob, type GetPlace } from './job-store-place.ts';
import { newJob } from './new-job.ts';

const failure = { code: 'cancelled', message: 'Cancelled.', retryable: false } as const;

/** The part of the suite in which several clients want the same thing, or one of them dies. */
export function describeJobStoreRaces(get: GetPlace): void {
  it('gives each job to one of several clients', async () => {
    const { place, store } = get();
    const ids = new Set<string>();
    for (let i = 0; i < 60; i++) ids.add(storedJob(await store.create(newJob())).id);
    const clients = await Promise.all(Array.from({ length: 4 }, () => place.client()));
    const taken: string[] = [];
    await Promise.all(
      clients.map(async (client, index) => {
        for (;;) {
          const claim = await client.claim(`worker ${index}`, lease);
          if (claim === undefined) return;
          taken.push(claim.job.id);
          assert.equal(await complete(client, claim), true);
        }
      }),
    );
    assert.equal(taken.length, ids.size);
    assert.deepEqual(new Set(taken), ids);
  });

  it('stores one job for one key sent by several clients at once', async () => {
    const { place, store } = get();
    const clients = await Promise.all(Array.from({ length: 4 }, () => place.client()));
    const key = { key: 'k', fingerprint: 'f' };
    const answers = await Promise.all(clients.map((client) => client.create(newJob(), key)));
    assert.equal(new Set(answers.map((answer) => storedJob(answer).id)).size, 1);
    assert.equal(answers.filter((answer) => answer.kind === 'stored').length, 1);
    assert.equal(await store.activeCount(), 1);
  });

  it('keeps the quota when requests come at once', async () => {
    const { store } = get();
    const quota = { most: 3, withinMs: 1000 };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => store.create(newJob(), undefined, quota)),
    );
    assert.equal(answers.filter((answer) => answer.kind === 'stored').length, 3);
  });

  it('lets either a cancel or a finish win, never both', async () => {
    const { place, store } = get();
    const other = await place.client();
    for (let i = 0; i < 10; i++) {
      const { id } = storedJob(await store.create(newJob()));
      const claim = await claimed(store);
      const finish = (): Promise<boolean> => complete(store, claim);
      const cancel = (): Promise<boolean> => other.cancel('docs', id, failure);
      const both = i % 2 === 0 ? [finish(), cancel()] : [cancel(), finish()];
      assert.equal((await Promise.all(both)).filter(Boolean).length, 1);
      const ends = (await store.events(id, 0, 100)).filter(({ type }) => /completed|cancelled/.test(type));
      assert.equal(ends.length, 1);
    }
  });

  it('does not lose a message that races with the end', async () => {
    const { place, store } = get();
    const other = await place.client();
    for (let i = 0; i < 10; i++) {
      const { id } = storedJob(await store.create(newJob()));
      const claim = await claimed(store);
      const finish = (): Promise<unknown> => complete(store, claim);
      const message = (): Promise<unknown> => other.addMessage('docs', id, 'more');
      await Promise.all(i % 2 === 0 ? [finish(), message()] : [message(), finish()]);
      const next = await claimed(store);
      assert.deepEqual([next.job.id, next.message.prompt], [id, 'more']);
      await complete(store, next);
    }
  });

  it('calls back when another client has work, and no more after the end of it', async () => {
    const { place, store } = get();
    const other = await place.client();
    const heard = Promise.withResolvers<void>();
    const ear = store.onWork(heard.resolve);
    await other.create(newJob());
    await heard.promise;
    ear[Symbol.dispose]();
    let calls = 0;
    const own = store.onWork(() => calls++);
    own[Symbol.dispose]();
    await store.create(newJob());
    assert.equal(calls, 0);
  });

  it('calls back at once for its own work', async () => {
    const { store } = get();
    let calls = 0;
    using _ear = store.onWork(() => calls++);
    const { id } = storedJob(await store.create(newJob()));
    assert.equal(calls, 1);
    await store.addMessage('docs', id, 'more');
    assert.equal(calls, 2);
    await store.release(await claimed(store));
    assert.equal(calls, 3);
  });

  it('loses no acknowledged job when a process is killed while it creates them', async () => {
    const { place, store } = get();
    let acknowledged = 0;
    for (let round = 0; round < 3; round++) {
      const child = place.spawnCreator();
      const lines = createInterface(child.stdout);
      const ended = once(child, 'close');
      let count = 0;
      for await (const line of lines) {
        assert.equal(Number(line), count++);
        if (count === 20 + round) child.kill('SIGKILL');
      }
      await ended;
      assert.equal(child.signalCode, 'SIGKILL');
      acknowledged += count;
      const stored = await store.activeCount();
      // One more may have been stored whose acknowledgement was not read any more, in each round.
      assert.ok(stored >= acknowledged, `${acknowledged} were acknowledged, ${stored} are there`);
      assert.ok(stored <= acknowledged + round + 1);
    }
  });

  it('claims each job once while several processes create more', async () => {
    const { place, store } = get();
    const children = [place.spawnCreator(), place.spawnCreator()];
    const ended = children.map((child) => once(child, 'close'));
    let wake = Promise.withResolvers<void>();
    for (const child of children) child.stdout.on('data', () => wake.resolve());
    const taken: string[] = [];
    try {
      while (taken.length < 60) {
        wake = Promise.withResolvers<void>();
        const claim = await store.claim('one', lease);
        if (claim === undefined) await wake.promise;
        else {
          taken.push(claim.job.id);
          assert.equal(await complete(store, claim), true);
        }
      }
    } finally {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ended);
    }
    assert.equal(new Set(taken).size, taken.length);
  });
}
