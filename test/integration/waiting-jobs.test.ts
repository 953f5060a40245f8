import assert from 'node:assert/strict';
import { attemptJob } from '../../src/service/attempt-job.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { settled, WorkerStand } from '../support/worker-stand.ts';

describe('jobs that wait for the editor', () => {
  let stand: WorkerStand;
  beforeEach(() => {
    stand = new WorkerStand();
  });
  afterEach(() => stand[Symbol.asyncDispose]());

  const seatOf = (run: number) => (stand.runs[run] ?? assert.fail('it has not begun')).seat;
  const titles = (): string[] => stand.runs.map(({ claim }) => claim.job.title);
  const quiet = async (): Promise<void> => {
    for (let look = 0; look < 5; look++) await settled();
  };
  const create = async (...prompts: string[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const prompt of prompts) ids.push(await stand.world.create(prompt));
    return ids;
  };

  it('let others begin, as many as may run', async () => {
    await create('1', '2', '3', '4', '5');
    await stand.worker().start();
    await stand.begun(2);
    seatOf(0).lend();
    seatOf(0).lend();
    await stand.begun(3);
    seatOf(1).lend();
    await stand.begun(4);
    await quiet();
    assert.deepEqual(titles(), ['1', '2', '3', '4']);
  });

  it('go on at once while there is room, and then count again', async () => {
    await create('1');
    await stand.worker().start();
    await stand.begun(1);
    seatOf(0).lend();
    await create('2');
    await stand.begun(2);
    assert.equal(seatOf(0).takeBack(), true);
    await create('3');
    await quiet();
    assert.deepEqual(titles(), ['1', '2']);
    stand.runs[0]?.end();
    await stand.begun(3);
  });

  it('are told when others have begun in their place', async () => {
    const [, , third = ''] = await create('1', '2', '3');
    await stand.worker().start();
    await stand.begun(2);
    seatOf(0).lend();
    await stand.begun(3);
    assert.equal(seatOf(0).takeBack(), false);
    assert.equal(seatOf(1).takeBack(), true, 'it has lent nothing');
    stand.runs[2]?.end();
    await stand.ended(third);
    while (!seatOf(0).takeBack()) await settled();
  });

  it('do not take the seat of a job that is just being claimed', async () => {
    await create('1');
    const { jobs } = stand.world.stores;
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    let claims = 0;
    const store = new Proxy(jobs, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        if (property !== 'claim') return value.bind(target) as unknown;
        return async (...args: Parameters<typeof jobs.claim>) => {
          claims += 1;
          const claim = await target.claim(...args);
          if (claims === 2) {
            asked.resolve();
            await answer.promise;
          }
          return claim;
        };
      },
    });
    await stand.worker({ concurrency: 1 }, stand.underHand, store).start();
    await stand.begun(1);
    await create('2');
    seatOf(0).lend();
    await asked.promise;
    assert.equal(seatOf(0).takeBack(), false);
    answer.resolve();
    await stand.begun(2);
  });

  it('let nobody begin beside them after a crash', async () => {
    await create('1', '2');
    await stand.world.claim();
    await stand.worker().start();
    await stand.begun(1);
    seatOf(0).lend();
    await quiet();
    assert.deepEqual(titles(), ['1']);
    assert.equal(seatOf(0).takeBack(), true);
    stand.runs[0]?.end();
    await stand.begun(2);
  });

  it('let one other begin after a crash when no editor comes', async () => {
    await create('1', '2', '3');
    await stand.world.claim();
    await stand.worker({ suspectWaitMs: 1 }).start();
    await stand.begun(1);
    seatOf(0).lend();
    await stand.begun(2);
    await quiet();
    assert.deepEqual(titles(), ['1', '2']);
    assert.equal(seatOf(0).takeBack(), false);
  });

  it('take their seat back after a crash before another one begins', async () => {
    await create('1', '2');
    await stand.world.claim();
    await stand.worker({ suspectWaitMs: 1, heartbeatMs: 2 }).start();
    await stand.begun(1);
    seatOf(0).lend();
    assert.equal(seatOf(0).takeBack(), true);
    await stand.calledAgain('heartbeat', 3);
    await quiet();
    assert.deepEqual(titles(), ['1']);
  });

  it('go on before all that are younger, without a counted attempt, when the editor is there again', async () => {
    const { world } = stand;
    const handOver = Promise.withResolvers<void>();
    const here = Promise.withResolvers<void>();
    const busy = Promise.withResolvers<void>();
    let waits = true;
    world.openAgent = async (_signal, tell) => {
      if (!waits) return;
      waits = false;
      await tell('Waiting for an editor window');
      here.resolve();
      await handOver.promise;
    };
    const order: string[] = [];
    const running = Promise.withResolvers<void>();
    world.agent = async (_files, { prompt }) => {
      order.push(prompt);
      running.resolve();
      if (prompt === 'busy') await busy.promise;
      return { title: prompt, summary: prompt };
    };
    const deps = world.deps();
    const [waiting = ''] = await create('waiting');
    const one = stand.worker({ concurrency: 1 }, (claim, signal, seat) =>
      attemptJob(claim, { ...deps, seat }, signal),
    );
    await one.start();
    await here.promise;
    const others = await create('busy', 'young');
    await running.promise;
    handOver.resolve();
    using watch = world.signals.watch(waiting);
    const given = async (): Promise<boolean> => (await world.job(waiting)).attempt === 0;
    while (!(await given())) await watch.next(1000, new AbortController().signal);
    assert.match((await world.job(waiting)).step ?? '', /^Waiting for its turn/);
    busy.resolve();
    for (const id of [waiting, ...others]) await stand.ended(id);
    assert.deepEqual(order, ['busy', 'waiting', 'young']);
    const claimed = (await world.events(waiting)).filter(({ type }) => type === 'claimed');
    assert.deepEqual(
      claimed.map(({ message }) => message),
      ['The work begins.', 'The work begins.'],
    );
    assert.equal((await world.job(waiting)).status, 'completed');
  });

  it('end with what to do when nobody came, whatever runs meanwhile', async () => {
    const { world } = stand;
    const up = Promise.withResolvers<void>();
    const here = Promise.withResolvers<void>();
    const busy = Promise.withResolvers<void>();
    world.openAgent = async (_signal, tell) => {
      if (world.opened.length > 1) return;
      await tell('Waiting for an editor window');
      here.resolve();
      await up.promise;
      throw new ServiceError('agent_unavailable', 'Open VS Code.');
    };
    const running = Promise.withResolvers<void>();
    world.agent = async () => {
      running.resolve();
      await busy.promise;
      return { title: '', summary: '' };
    };
    const deps = world.deps();
    const [waiting = '', other = ''] = await create('waiting', 'other');
    const one = stand.worker({ concurrency: 1 }, (claim, signal, seat) =>
      attemptJob(claim, { ...deps, seat }, signal),
    );
    await one.start();
    await here.promise;
    await running.promise;
    up.resolve();
    await stand.ended(waiting);
    assert.equal((await world.job(waiting)).error?.message, 'Open VS Code.');
    assert.equal((await world.job(other)).status, 'active');
    busy.resolve();
    await stand.ended(other);
  });
});
