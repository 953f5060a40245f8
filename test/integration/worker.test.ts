import assert from 'node:assert/strict';
import { attemptJob } from '../../src/service/attempt-job.ts';
import { ServiceStopping } from '../../src/service/job-errors.ts';
import type { Claim, JobStore } from '../../src/service/ports/job-store.ts';
import { Worker, type WorkerOptions } from '../../src/service/worker.ts';
import { JobWorld } from '../support/job-world.ts';

/** One run under the hand of a test. */
interface Run {
  readonly claim: Claim;
  readonly signal: AbortSignal;
  end(): void;
}

describe('the worker', () => {
  let world: JobWorld;
  const workers: Worker[] = [];
  const runs: Run[] = [];
  const calls = new Map<string | symbol, number>();
  let expected: { count: number; reached: () => void } | undefined;

  beforeEach(() => {
    world = new JobWorld();
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) run.end();
    for (const worker of workers.splice(0)) await worker.stop('abort', 100);
    await world[Symbol.asyncDispose]();
  });

  /** Completes a job when the test ends its run; gives it back when it is aborted. */
  async function underHand(claim: Claim, signal: AbortSignal): Promise<void> {
    const told = Promise.withResolvers<void>();
    runs.push({ claim, signal, end: told.resolve });
    if (expected !== undefined && runs.length >= expected.count) expected.reached();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([told.promise, aborted]);
    if (!signal.aborted) {
      await world.stores.jobs.finish(claim, { status: 'completed', summary: '', model: '' });
    } else if (signal.reason instanceof ServiceStopping) {
      await world.stores.jobs.release(claim, { uncounted: true });
    }
    world.signals.changed(claim.job.id);
  }

  function makeWorker(options: Partial<WorkerOptions> = {}, run = underHand): Worker {
    const made = new Worker(
      { store: counted(world.stores.jobs), signals: world.signals, run, log: world.deps().log },
      {
        name: 'w',
        concurrency: 2,
        leaseMs: 60_000,
        heartbeatMs: 60_000,
        pollMs: 60_000,
        alone: true,
        ...options,
      },
    );
    workers.push(made);
    return made;
  }

  /** Counts the calls of each method. */
  function counted(store: JobStore): JobStore {
    return new Proxy(store, {
      get: (target, property) => {
        calls.set(property, (calls.get(property) ?? 0) + 1);
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Resolves when workers have called a method so many times more. */
  async function calledAgain(method: keyof JobStore, times: number): Promise<void> {
    const until = (calls.get(method) ?? 0) + times;
    while ((calls.get(method) ?? 0) < until) await settled();
  }

  /** Resolves when so many runs have begun in all. */
  async function begun(count: number): Promise<void> {
    if (runs.length >= count) return;
    await new Promise<void>((reached) => {
      expected = { count, reached };
    });
  }

  /** Resolves when the job is no longer active. */
  async function ended(id: string): Promise<void> {
    using watch = world.signals.watch(id);
    while ((await world.job(id)).status === 'active') await watch.next(1000, new AbortController().signal);
  }

  /** Lets everything that is due happen. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('begins a job as soon as it is stored', async () => {
    await makeWorker().start();
    const id = await world.create('a');
    await begun(1);
    assert.equal(runs[0]?.claim.job.id, id);
    runs[0].end();
    await ended(id);
  });

  it('runs no more jobs at a time than it may, and the next when one ends', async () => {
    const ids = [await world.create('1'), await world.create('2'), await world.create('3')];
    const one = makeWorker();
    await one.start();
    await begun(2);
    await settled();
    assert.equal(runs.length, 2);
    assert.equal(one.running, 2);
    runs[1]?.end();
    await begun(3);
    assert.deepEqual(
      runs.map((run) => run.claim.job.id),
      ids,
    );
  });

  it('takes over at once what a killed process held, when it is alone', async () => {
    await world.create('a');
    await world.claim();
    await makeWorker().start();
    await begun(1);
    assert.equal(runs[0]?.claim.attempt, 2);
  });

  it('tries jobs of a killed process one by one, and then as many at a time as it may', async () => {
    const ids: string[] = [];
    for (const prompt of ['1', '2', '3', '4', '5']) ids.push(await world.create(prompt));
    // The process before had three, and one of them was cancelled since.
    for (let job = 0; job < 3; job++) await world.claim();
    const [cancelled = ''] = ids;
    await world.stores.jobs.cancel('docs', cancelled, { code: 'cancelled', message: 'c', retryable: false });
    await makeWorker().start();
    await begun(1);
    for (let suspect = 0; suspect < 2; suspect++) {
      for (let look = 0; look < 5; look++) await settled();
      assert.equal(runs.length, suspect + 1, 'two at a time');
      assert.deepEqual([runs[suspect]?.claim.job.id, runs[suspect]?.claim.attempt], [ids[suspect + 1], 2]);
      runs[suspect]?.end();
      await begun(suspect + 2);
    }
    await begun(4);
    assert.deepEqual(
      runs.slice(2).map(({ claim }) => [claim.job.id, claim.attempt]),
      [
        [ids[3], 1],
        [ids[4], 1],
      ],
    );
  });

  it('goes back to as many as it may when the jobs of a killed process were cancelled before their turn', async () => {
    const ids = [await world.create('1'), await world.create('2')];
    await world.claim();
    await world.claim();
    await makeWorker().start();
    await begun(1);
    const reason = { code: 'cancelled', message: 'c', retryable: false };
    for (const id of ids.toReversed()) {
      await world.stores.jobs.cancel('docs', id, reason);
      world.signals.cancelled(id);
    }
    runs[0]?.end();
    await calledAgain('claim', 1);
    for (let look = 0; look < 5; look++) await settled();
    for (const prompt of ['3', '4']) await world.create(prompt);
    await begun(3);
  });

  it('leaves alone what another living process holds, until its lease runs out', async () => {
    await world.create('a');
    await world.claim();
    await makeWorker({ alone: false, pollMs: 5 }).start();
    await calledAgain('claim', 3);
    assert.equal(runs.length, 0);
    world.now += 60_000;
    await begun(1);
    assert.equal(runs[0]?.claim.attempt, 2);
  });

  it('keeps its lease while it runs', async () => {
    const id = await world.create('a');
    await makeWorker({ leaseMs: 1000, heartbeatMs: 5 }).start();
    await begun(1);
    world.now += 900;
    await calledAgain('heartbeat', 2);
    world.now += 900;
    assert.equal(await world.stores.jobs.claim('other', 1000), undefined);
    runs[0]?.end();
    await ended(id);
  });

  it('aborts a run at the heartbeat that finds its claim lost', async () => {
    await world.create('a');
    await makeWorker({ heartbeatMs: 5 }).start();
    await begun(1);
    const { signal } = runs[0] ?? assert.fail();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await world.stores.jobs.endLeases();
    await world.stores.jobs.claim('other', 60_000);
    await aborted;
    assert.equal((signal.reason as Error).name, 'ClaimLost');
  });

  it('aborts a run at once when its job is cancelled in this process', async () => {
    const id = await world.create('a');
    const other = await world.create('b');
    await makeWorker().start();
    await begun(2);
    const { signal } = runs[0] ?? assert.fail();
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await world.stores.jobs.cancel('docs', id, { code: 'cancelled', message: 'c', retryable: false });
    world.signals.cancelled(id);
    await aborted;
    assert.equal(runs[1]?.signal.aborted, false, `${other} was aborted too`);
  });

  it('survives a missed heartbeat and a claim that cannot be made', async () => {
    const id = await world.create('a');
    const { jobs } = world.stores;
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
    const one = new Worker(
      { store, signals: world.signals, run: underHand, log: world.deps().log },
      { name: 'w', concurrency: 1, leaseMs: 60_000, heartbeatMs: 5, pollMs: 5, alone: true },
    );
    workers.push(one);
    await one.start();
    await begun(1);
    while (broken.heartbeat < 2) await settled();
    assert.equal(runs[0]?.signal.aborted, false);
    runs[0].end();
    await ended(id);
    const messages = new Set(world.logged.map((line) => line.message));
    assert.ok(messages.has('No job could be claimed') && messages.has('A heartbeat could not be written'));
  });

  it('goes on with other jobs after an attempt that was not settled', async () => {
    await world.create('bad');
    const good = await world.create('good');
    await makeWorker({ concurrency: 1 }, (claim, signal) =>
      claim.job.title === 'bad' ? Promise.reject(new Error('disk full')) : underHand(claim, signal),
    ).start();
    await begun(1);
    assert.equal(runs[0]?.claim.job.id, good);
    assert.ok(world.logged.some((line) => /without being settled/.test(line.message)));
  });

  describe('stops', () => {
    it('slowly: it claims nothing more and waits for what runs', async () => {
      const id = await world.create('a');
      const one = makeWorker();
      await one.start();
      await begun(1);
      let stopped = false;
      const stop = one.stop('finish').then(() => (stopped = true));
      await world.create('b');
      await settled();
      assert.deepEqual([stopped, runs.length], [false, 1]);
      runs[0]?.end();
      await stop;
      assert.equal((await world.job(id)).status, 'completed');
      assert.deepEqual([runs.length, one.running], [1, 0]);
    });

    it('fast: it gives back what runs, uncounted', async () => {
      const id = await world.create('a');
      const one = makeWorker();
      await one.start();
      await begun(1);
      await one.stop('abort');
      assert.equal(one.running, 0);
      const claim = await world.claim();
      assert.deepEqual([claim.job.id, claim.attempt], [id, 1]);
    });

    it('slowly and then fast when it is told again', async () => {
      await world.create('a');
      const one = makeWorker();
      await one.start();
      await begun(1);
      const slow = one.stop('finish', 60_000);
      await one.stop('abort');
      await slow;
      assert.equal(runs[0]?.signal.aborted, true);
    });

    it('within its time although a run does not listen, and gives its job back', async () => {
      const id = await world.create('a');
      const gate = Promise.withResolvers<void>();
      const one = makeWorker({}, () => gate.promise);
      await one.start();
      while (one.running === 0) await settled();
      await one.stop('finish', 20);
      const claim = await world.claim();
      assert.deepEqual([claim.job.id, claim.attempt], [id, 1]);
      gate.resolve();
    });

    it('and starts again, and both twice', async () => {
      const one = makeWorker();
      await one.stop('finish');
      await one.start();
      await one.start();
      await one.stop('finish');
      await one.stop('abort');
      await world.create('a');
      await settled();
      assert.equal(runs.length, 0);
      await one.start();
      await begun(1);
    });

    it('and does not take a job that still runs here for an orphan when it starts again', async () => {
      await world.create('a');
      const gate = Promise.withResolvers<void>();
      const claims: Claim[] = [];
      const one = makeWorker({}, (claim) => {
        claims.push(claim);
        return gate.promise;
      });
      await one.start();
      while (one.running === 0) await settled();
      const stopping = one.stop('finish', 60_000);
      await one.start();
      await settled();
      assert.equal(claims.length, 1);
      assert.equal(await world.stores.jobs.heartbeat(claims[0] ?? assert.fail(), 1000), true);
      gate.resolve();
      await stopping;
    });
  });

  it('brings real attempts to their end', async () => {
    const deps = world.deps();
    const ids = [
      await world.create('a.md=1'),
      await world.create('nothing'),
      await world.create('.github/x=1'),
    ];
    await makeWorker({}, (claim, signal) => attemptJob(claim, deps, signal)).start();
    for (const id of ids) await ended(id);
    const statuses = await Promise.all(ids.map(async (id) => (await world.job(id)).status));
    assert.deepEqual(statuses, ['completed', 'completed', 'failed']);
  });

  it('cancels a real attempt while its agent works', async () => {
    const deps = world.deps();
    const started = Promise.withResolvers<void>();
    world.agent = (_files, { signal }) => {
      started.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    const id = await world.create('a');
    const one = makeWorker({}, (claim, signal) => attemptJob(claim, deps, signal));
    await one.start();
    await started.promise;
    await world.stores.jobs.cancel('docs', id, {
      code: 'cancelled',
      message: 'Cancelled.',
      retryable: false,
    });
    world.signals.cancelled(id);
    while (one.running > 0) await settled();
    assert.equal((await world.job(id)).error?.code, 'cancelled');
    assert.deepEqual(world.repository.jobBranches, []);
  });
});
