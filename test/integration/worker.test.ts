import assert from 'node:assert/strict';
import { attemptJob } from '../../src/service/attempt-job.ts';
import { settled, WorkerStand } from '../support/worker-stand.ts';

describe('the worker', () => {
  let stand: WorkerStand;

  beforeEach(() => {
    stand = new WorkerStand();
  });
  afterEach(() => stand[Symbol.asyncDispose]());

  it('begins a job as soon as it is stored', async () => {
    await stand.worker().start();
    const id = await stand.world.create('a');
    await stand.begun(1);
    assert.equal(stand.runs[0]?.claim.job.id, id);
    stand.runs[0].end();
    await stand.ended(id);
  });

  it('runs no more jobs at a time than it may, and the next when one ends', async () => {
    const ids = [await stand.world.create('1'), await stand.world.create('2'), await stand.world.create('3')];
    const one = stand.worker();
    await one.start();
    await stand.begun(2);
    await settled();
    assert.equal(stand.runs.length, 2);
    assert.equal(one.running, 2);
    stand.runs[1]?.end();
    await stand.begun(3);
    assert.deepEqual(
      stand.runs.map((run) => run.claim.job.id),
      ids,
    );
  });

  it('takes over at once what a killed process held, when it is alone', async () => {
    await stand.world.create('a');
    await stand.world.claim();
    await stand.worker().start();
    await stand.begun(1);
    assert.equal(stand.runs[0]?.claim.attempt, 2);
  });

  it('tries jobs of a killed process one by one, and then as many at a time as it may', async () => {
    const ids: string[] = [];
    for (const prompt of ['1', '2', '3', '4', '5']) ids.push(await stand.world.create(prompt));
    // The process before had three, and one of them was cancelled since.
    for (let job = 0; job < 3; job++) await stand.world.claim();
    const [cancelled = ''] = ids;
    await stand.world.stores.jobs.cancel('docs', cancelled, {
      code: 'cancelled',
      message: 'c',
      retryable: false,
    });
    await stand.worker().start();
    await stand.begun(1);
    for (let suspect = 0; suspect < 2; suspect++) {
      for (let look = 0; look < 5; look++) await settled();
      assert.equal(stand.runs.length, suspect + 1, 'two at a time');
      assert.deepEqual(
        [stand.runs[suspect]?.claim.job.id, stand.runs[suspect]?.claim.attempt],
        [ids[suspect + 1], 2],
      );
      stand.runs[suspect]?.end();
      await stand.begun(suspect + 2);
    }
    await stand.begun(4);
    assert.deepEqual(
      stand.runs.slice(2).map(({ claim }) => [claim.job.id, claim.attempt]),
      [
        [ids[3], 1],
        [ids[4], 1],
      ],
    );
  });

  it('goes back to as many as it may when the jobs of a killed process were cancelled before their turn', async () => {
    const ids = [await stand.world.create('1'), await stand.world.create('2')];
    await stand.world.claim();
    await stand.world.claim();
    await stand.worker().start();
    await stand.begun(1);
    const reason = { code: 'cancelled', message: 'c', retryable: false };
    for (const id of ids.toReversed()) {
      await stand.world.stores.jobs.cancel('docs', id, reason);
      stand.world.signals.cancelled(id);
    }
    stand.runs[0]?.end();
    await stand.calledAgain('claim', 1);
    for (let look = 0; look < 5; look++) await settled();
    for (const prompt of ['3', '4']) await stand.world.create(prompt);
    await stand.begun(3);
  });

  it('leaves alone what another living process holds, until its lease runs out', async () => {
    await stand.world.create('a');
    await stand.world.claim();
    await stand.worker({ alone: false, pollMs: 5 }).start();
    await stand.calledAgain('claim', 3);
    assert.equal(stand.runs.length, 0);
    stand.world.now += 60_000;
    await stand.begun(1);
    assert.equal(stand.runs[0]?.claim.attempt, 2);
  });

  it('keeps its lease while it runs', async () => {
    const id = await stand.world.create('a');
    await stand.worker({ leaseMs: 1000, heartbeatMs: 5 }).start();
    await stand.begun(1);
    stand.world.now += 900;
    await stand.calledAgain('heartbeat', 2);
    stand.world.now += 900;
    assert.equal(await stand.world.stores.jobs.claim('other', 1000), undefined);
    stand.runs[0]?.end();
    await stand.ended(id);
  });

  it('aborts a run at the heartbeat that finds its claim lost', async () => {
    await stand.world.create('a');
    await stand.worker({ heartbeatMs: 5 }).start();
    await stand.begun(1);
    const { signal } = stand.runs[0] ?? assert.fail();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await stand.world.stores.jobs.endLeases();
    await stand.world.stores.jobs.claim('other', 60_000);
    await aborted;
    assert.equal((signal.reason as Error).name, 'ClaimLost');
  });

  it('aborts a run at once when its job is cancelled in this process', async () => {
    const id = await stand.world.create('a');
    const other = await stand.world.create('b');
    await stand.worker().start();
    await stand.begun(2);
    const { signal } = stand.runs[0] ?? assert.fail();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await stand.world.stores.jobs.cancel('docs', id, { code: 'cancelled', message: 'c', retryable: false });
    stand.world.signals.cancelled(id);
    await aborted;
    assert.equal(stand.runs[1]?.signal.aborted, false, `${other} was aborted too`);
  });

  it('survives a missed heartbeat and a claim that cannot be made', async () => {
    const id = await stand.world.create('a');
    const { jobs } = stand.world.stores;
    const broken = { heartbeat: 0, claim: 0 };
    const store = new Proxy(jobs, {
      get: (target, property) => {
        if ((property === 'heartbeat' || property === 'claim') && broken[property]++ === 0) {
          return () => Promise.reject(new Error('disk full'));
        }
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const one = stand.worker({ concurrency: 1, heartbeatMs: 5, pollMs: 5 }, stand.underHand, store);
    await one.start();
    await stand.begun(1);
    while (broken.heartbeat < 2) await settled();
    assert.equal(stand.runs[0]?.signal.aborted, false);
    stand.runs[0].end();
    await stand.ended(id);
    const messages = new Set(stand.world.logged.map((line) => line.message));
    assert.ok(messages.has('No job could be claimed') && messages.has('A heartbeat could not be written'));
  });

  it('goes on with other jobs after an attempt that was not settled', async () => {
    await stand.world.create('bad');
    const good = await stand.world.create('good');
    await stand
      .worker({ concurrency: 1 }, (claim, signal, seat) =>
        claim.job.title === 'bad'
          ? Promise.reject(new Error('disk full'))
          : stand.underHand(claim, signal, seat),
      )
      .start();
    await stand.begun(1);
    assert.equal(stand.runs[0]?.claim.job.id, good);
    assert.ok(stand.world.logged.some((line) => /without being settled/.test(line.message)));
  });

  it('brings real attempts to their end', async () => {
    const deps = stand.world.deps();
    const ids = [
      await stand.world.create('a.md=1'),
      await stand.world.create('nothing'),
      await stand.world.create('.github/x=1'),
    ];
    await stand.worker({}, (claim, signal) => attemptJob(claim, deps, signal)).start();
    for (const id of ids) await stand.ended(id);
    const statuses = await Promise.all(ids.map(async (id) => (await stand.world.job(id)).status));
    assert.deepEqual(statuses, ['completed', 'completed', 'failed']);
  });

  it('cancels a real attempt while its agent works', async () => {
    const deps = stand.world.deps();
    const started = Promise.withResolvers<void>();
    stand.world.agent = (_files, { signal }) => {
      started.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    const id = await stand.world.create('a');
    const one = stand.worker({}, (claim, signal) => attemptJob(claim, deps, signal));
    await one.start();
    await started.promise;
    await stand.world.stores.jobs.cancel('docs', id, {
      code: 'cancelled',
      message: 'Cancelled.',
      retryable: false,
    });
    stand.world.signals.cancelled(id);
    while (one.running > 0) await settled();
    assert.equal((await stand.world.job(id)).error?.code, 'cancelled');
    assert.deepEqual(stand.world.repository.jobBranches, []);
  });
});
