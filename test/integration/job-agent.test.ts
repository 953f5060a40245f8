import assert from 'node:assert/strict';
import { ServiceError } from '../../src/service/service-error.ts';
import { JobWorld, obedient } from '../support/job-world.ts';

describe('the agent of a job', () => {
  let world: JobWorld;
  beforeEach(() => {
    world = new JobWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  async function steps(id: string): Promise<string[]> {
    return (await world.events(id)).map(({ type, message }) =>
      type === 'progress' || type === 'agent' ? message : type,
    );
  }

  it('is the one that was chosen, for its follow-ups too', async () => {
    const id = await world.create('a.md=one', { agent: 'acp:codex' });
    await world.attempt();
    await world.followUp(id, 'a.md=two');
    await world.attempt();
    assert.deepEqual(world.opened, ['acp:codex', 'acp:codex']);
  });

  it('is told what the message has cost in attempts before and before a repair, and a follow-up costs anew', async () => {
    const told: (object | undefined)[] = [];
    let late: ((spent: { input: number; output: number }) => void) | undefined;
    world.repairs = true;
    world.agent = (files, task) => {
      told.push(task.spent);
      const { input, output } = task.spent ?? { input: 0, output: 0 };
      task.onSpent?.({ input: input + 40, output: output + 1 });
      task.onSpent?.({ input: input + 100, output: output + 5 });
      if (told.length === 1) throw new ServiceError('network', 'It broke off.', { retryable: true });
      late ??= task.onSpent;
      return obedient(files, task);
    };
    const deps = {
      ...world.deps(),
      check: async () => [{ path: 'a.md', line: 1, kind: 'link' as const, message: 'x' }],
    };
    const id = await world.create('a.md=one');
    await world.attempt(deps);
    assert.deepEqual((await world.job(id)).work.spent, { message: 0, input: 100, output: 5 });
    world.now += 60_000;
    await world.attempt(deps);
    late?.({ input: 9, output: 9 });
    await world.followUp(id, 'a.md=two');
    await world.attempt(world.deps());
    assert.equal((await world.job(id)).status, 'completed');
    assert.deepEqual(
      told.map((spent) => (spent as { input: number } | undefined)?.input),
      [undefined, 100, 200, undefined],
    );
    assert.deepEqual((await world.job(id)).work.spent, { message: 1, input: 100, output: 5 });
  });

  it('is asked for when the host is known to be there, and before there is a workspace', async () => {
    let connected = false;
    const connect = async (): Promise<undefined> => void (connected = true);
    world.openAgent = async (_signal, tell) => {
      assert.equal(connected, true);
      assert.equal(world.repository.directories.size, 0);
      await tell('Waiting for a key');
    };
    const deps = world.deps();
    const job = await world.run('a.md=new', { ...deps, hosts: [{ connect }, ...deps.hosts] });
    assert.equal(job.status, 'completed');
    const told = await steps(job.id);
    assert.ok(told.indexOf('Waiting for a key') < told.indexOf('The agent scripted is at work'));
  });

  it('that is not there ends the job with what to do, and costs nothing', async () => {
    world.openAgent = () => Promise.reject(new ServiceError('agent_unavailable', 'Set the key of Company.'));
    const job = await world.run('a.md=new');
    assert.deepEqual(job.error, {
      code: 'agent_unavailable',
      message: 'Set the key of Company.',
      retryable: false,
    });
    assert.equal(world.agentRuns, 0);
    assert.deepEqual(world.repository.jobBranches, []);
  });

  it('is waited for no longer when the job is cancelled', async () => {
    const id = await world.create('a.md=new');
    const cancel = new AbortController();
    world.openAgent = (signal) => {
      cancel.abort(new Error('cancelled'));
      return Promise.reject(signal.reason as Error);
    };
    await world.attempt(world.deps(), cancel.signal);
    assert.equal(world.agentRuns, 0);
    assert.equal((await world.job(id)).status, 'active', 'whoever broke it off says how it ends');
  });

  it('tells its name when it starts and the truth about its model at the end', async () => {
    let atStart: string | undefined;
    world.agent = async (files, task) => {
      [atStart] = (await world.stores.jobs.list('docs', { limit: 1 })).jobs.map((job) => job.model);
      return { ...(await obedient(files, task)), model: 'gpt-5-2026-01 (Company)' };
    };
    const id = await world.create('a.md=new', { agent: 'model:company/gpt-5', model: 'model:company/gpt-5' });
    await world.attempt();
    assert.equal(atStart, 'scripted');
    assert.equal((await world.job(id)).model, 'gpt-5-2026-01 (Company)');
  });

  it('whose model is a page long, with a secret, is told on one short line', async () => {
    world.agent = () => ({ title: 't', summary: 's', model: `big\nhunter2hunter2 ${'x'.repeat(9000)}` });
    const { model } = await world.run('look');
    assert.match(model, /^big \[redacted\] x+…$/);
    assert.ok(model.length <= 500);
  });

  it('is not needed to deliver an answer that is there, and keeps its name', async () => {
    world.agent = async (files, task) => ({ ...(await obedient(files, task)), model: 'first' });
    const id = await world.create('a.md=new');
    world.host.failures.create = new ServiceError('network', 'Try later.', { retryable: true });
    await world.attempt();
    delete world.host.failures.create;
    world.openAgent = () => Promise.reject(new ServiceError('agent_unavailable', 'The key is gone.'));
    world.now += 60_000;
    await world.attempt();
    const job = await world.job(id);
    assert.deepEqual([job.status, job.model, job.error], ['completed', 'first', undefined]);
    assert.equal(world.agentRuns, 1);
  });

  describe('and its conversation', () => {
    const given: (string | undefined)[] = [];
    let says: string | undefined;
    beforeEach(() => {
      given.length = 0;
      world.agent = async (files, task) => {
        given.push(task.conversation);
        return { ...(await obedient(files, task)), ...(says !== undefined && { conversation: says }) };
      };
    });

    async function runs(prompts: readonly string[], words: readonly (string | undefined)[]): Promise<string> {
      let id: string | undefined;
      for (const [index, prompt] of prompts.entries()) {
        says = words[index];
        if (id === undefined) id = await world.create(prompt);
        else await world.followUp(id, prompt);
        await world.attempt();
      }
      assert.ok(id !== undefined);
      assert.equal((await world.job(id)).status, 'completed');
      return id;
    }

    it('is handed to its next run, whether or not a file was changed', async () => {
      await runs(['a.md=one', 'nothing', 'a.md=two'], ['first', 'second', 'third']);
      assert.deepEqual(given, [undefined, 'first', 'second']);
    });

    it('is not in what the wire tells of the job', async () => {
      const id = await runs(['a.md=one'], ['private words']);
      const { toAgentJob } = await import('../../src/service/agent-job.ts');
      assert.ok(!JSON.stringify(toAgentJob(await world.job(id), 'http://127.0.0.1')).includes('private'));
    });

    it('is dropped when it is too long to keep', async () => {
      await runs(['a.md=one', 'nothing'], ['ü'.repeat(51_201), undefined]);
      assert.deepEqual(given, [undefined, undefined]);
    });

    it('stays what it was when a run fails', async () => {
      const id = await runs(['a.md=one'], ['first']);
      const { agent } = world;
      world.agent = () => Promise.reject(new ServiceError('model_refused', 'No.'));
      await world.followUp(id, 'a.md=two');
      await world.attempt();
      assert.equal((await world.job(id)).status, 'failed');
      world.agent = agent;
      await world.followUp(id, 'a.md=three');
      await world.attempt();
      assert.deepEqual(given, [undefined, 'first']);
    });
  });
});
