import assert from 'node:assert/strict';
import type { Claim } from '../../src/service/ports/job-store.ts';
import { settled, WorkerStand } from '../support/worker-stand.ts';

describe('the worker stops', () => {
  let stand: WorkerStand;

  beforeEach(() => {
    stand = new WorkerStand();
  });
  afterEach(() => stand[Symbol.asyncDispose]());

  it('slowly: it claims nothing more and waits for what runs', async () => {
    const id = await stand.world.create('a');
    const one = stand.worker();
    await one.start();
    await stand.begun(1);
    let stopped = false;
    const stop = one.stop('finish').then(() => (stopped = true));
    await stand.world.create('b');
    await settled();
    assert.deepEqual([stopped, stand.runs.length], [false, 1]);
    stand.runs[0]?.end();
    await stop;
    assert.equal((await stand.world.job(id)).status, 'completed');
    assert.deepEqual([stand.runs.length, one.running], [1, 0]);
  });

  it('slowly: it gives back at once what only waits for the editor, uncounted', async () => {
    const waiting = await stand.world.create('a');
    const working = await stand.world.create('b');
    const one = stand.worker();
    await one.start();
    await stand.begun(2);
    stand.runs[0]?.seat.lend();
    const stop = one.stop('finish', 60_000);
    while (one.running > 1) await settled();
    const claim = await stand.world.claim();
    assert.deepEqual([claim.job.id, claim.attempt], [waiting, 1]);
    assert.equal(stand.runs[1]?.signal.aborted, false);
    stand.runs[1].end();
    await stop;
    assert.equal((await stand.world.job(working)).status, 'completed');
  });

  it('fast: it gives back what runs, uncounted', async () => {
    const id = await stand.world.create('a');
    const one = stand.worker();
    await one.start();
    await stand.begun(1);
    await one.stop('abort');
    assert.equal(one.running, 0);
    const claim = await stand.world.claim();
    assert.deepEqual([claim.job.id, claim.attempt], [id, 1]);
  });

  it('slowly and then fast when it is told again', async () => {
    await stand.world.create('a');
    const one = stand.worker();
    await one.start();
    await stand.begun(1);
    const slow = one.stop('finish', 60_000);
    await one.stop('abort');
    await slow;
    assert.equal(stand.runs[0]?.signal.aborted, true);
  });

  it('within its time although a run does not listen, and gives its job back', async () => {
    const id = await stand.world.create('a');
    const gate = Promise.withResolvers<void>();
    const one = stand.worker({}, () => gate.promise);
    await one.start();
    while (one.running === 0) await settled();
    await one.stop('finish', 20);
    const claim = await stand.world.claim();
    assert.deepEqual([claim.job.id, claim.attempt], [id, 1]);
    gate.resolve();
  });

  it('and starts again, and both twice', async () => {
    const one = stand.worker();
    await one.stop('finish');
    await one.start();
    await one.start();
    await one.stop('finish');
    await one.stop('abort');
    await stand.world.create('a');
    await settled();
    assert.equal(stand.runs.length, 0);
    await one.start();
    await stand.begun(1);
  });

  it('and does not take a job that still runs here for an orphan when it starts again', async () => {
    await stand.world.create('a');
    const gate = Promise.withResolvers<void>();
    const claims: Claim[] = [];
    const one = stand.worker({}, (claim) => {
      claims.push(claim);
      return gate.promise;
    });
    await one.start();
    while (one.running === 0) await settled();
    const stopping = one.stop('finish', 60_000);
    await one.start();
    await settled();
    assert.equal(claims.length, 1);
    assert.equal(await stand.world.stores.jobs.heartbeat(claims[0] ?? assert.fail(), 1000), true);
    gate.resolve();
    await stopping;
  });
});
