import assert from 'node:assert/strict';
import { attemptJob } from '../../src/service/attempt-job.ts';
import type { CodeHost } from '../../src/service/ports/code-host.ts';
import type { JobStore } from '../../src/service/ports/job-store.ts';
import type { Workspace } from '../../src/service/ports/workspaces.ts';
import type { Agent } from '../../src/service/ports/agent.ts';
import type { RunJobDeps } from '../../src/service/run-job.ts';
import { JobWorld } from '../support/job-world.ts';

/** What a killed process does from its death on: nothing. */
class Killed extends Error {}

/** Kills the process before or after the n-th call of a port. */
class Death {
  readonly #at: number;
  #calls = 0;
  /** The call at which it came, for the reader of a failure. */
  where: string | undefined;

  constructor(at: number) {
    this.#at = at;
  }

  pass(where: string): void {
    if (this.where === undefined && this.#calls++ === this.#at) this.where = where;
    if (this.where !== undefined) throw new Killed(this.where);
  }

  /** The port, mortal. `then` changes what a call answers. */
  over<T extends object>(
    port: T,
    name: string,
    then: (method: string, answer: unknown) => unknown = (_, a) => a,
  ): T {
    return new Proxy(port, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        // The one that only puts words together, and answers at once.
        if (property === 'compareUrl') return value.bind(target) as unknown;
        const where = `${name}.${String(property)}`;
        return async (...args: unknown[]): Promise<unknown> => {
          // The operating system's part of a death: the files stay, and are removed at the next start.
          if (property === Symbol.asyncDispose) return Reflect.apply(value, target, args) as unknown;
          this.pass(`before ${where}`);
          const answer: unknown = await Reflect.apply(value, target, args);
          this.pass(`after ${where}`);
          return then(String(property), answer);
        };
      },
    });
  }
}

function mortal(deps: RunJobDeps, death: Death): RunJobDeps {
  const mortalWorkspace = (method: string, answer: unknown): unknown =>
    method === 'open' ? death.over(answer as Workspace, 'workspace') : answer;
  const mortalHost = (_method: string, answer: unknown): unknown =>
    answer === undefined ? undefined : death.over(answer as object, 'host');
  return {
    ...deps,
    store: death.over(deps.store, 'store'),
    projects: death.over(deps.projects, 'projects'),
    workspaces: death.over(deps.workspaces, 'workspaces', mortalWorkspace),
    agents: death.over(deps.agents, 'agents', (_, agent) => death.over(agent as Agent, 'agent')),
    hosts: deps.hosts.map((host) => death.over<CodeHost>(host, 'hosts', mortalHost)),
  };
}

async function dies(world: JobWorld, death: Death): Promise<boolean> {
  try {
    await world.attempt(mortal(world.deps(), death));
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  return death.where !== undefined;
}

/** What the next process does first. */
async function restart(world: JobWorld): Promise<void> {
  world.repository.directories.clear();
  await world.stores.jobs.endLeases();
}

describe('a job whose process is killed at any step', () => {
  it('ends after a take-over, with one branch and one pull request', async () => {
    const places: string[] = [];
    for (let at = 0; ; at++) {
      await using world = new JobWorld();
      const id = await world.create('a.md=new');
      const death = new Death(at);
      if (!(await dies(world, death))) break;
      places.push(death.where ?? '');
      await restart(world);
      // It may have died after its last write.
      if ((await world.job(id)).status === 'active') await world.attempt();
      const job = await world.job(id);
      assert.equal(job.status, 'completed', `${death.where}: ${job.error?.message}`);
      assert.equal(world.repository.jobBranches.length, 1, death.where);
      assert.equal(world.host.pullRequests.length, 1, death.where);
      assert.equal(world.repository.file(job.work.branch ?? '', 'a.md'), 'new', death.where);
      assert.equal(job.work.pullRequest?.number, 1, death.where);
      assert.ok(world.agentRuns <= 2);
    }
    for (const step of [
      'workspaces.open',
      'agent.run',
      'workspace.commit',
      'workspaces.push',
      'host.create',
      'store.finish',
    ]) {
      assert.ok(places.includes(`after ${step}`), `it was never killed after ${step}: ${places.join(', ')}`);
    }
  });

  it('ends after a take-over of a follow-up, in the same branch and pull request', async () => {
    let deaths = 0;
    for (let at = 0; ; at++) {
      await using world = new JobWorld();
      const first = await world.run('a.md=one');
      await world.followUp(first.id, 'b.md=two');
      const death = new Death(at);
      if (!(await dies(world, death))) break;
      deaths++;
      await restart(world);
      if ((await world.job(first.id)).status === 'active') await world.attempt();
      const job = await world.job(first.id);
      assert.equal(job.status, 'completed', `${death.where}: ${job.error?.message}`);
      assert.deepEqual(world.repository.jobBranches, [first.work.branch], death.where);
      assert.equal(world.host.pullRequests.length, 1, death.where);
      const branch = job.work.branch ?? '';
      assert.deepEqual(
        [world.repository.file(branch, 'a.md'), world.repository.file(branch, 'b.md')],
        ['one', 'two'],
        death.where,
      );
      assert.ok(world.host.pullRequests[0]?.body.includes('Wrote two.'), death.where);
    }
    assert.ok(deaths > 30, `${deaths}`);
  });

  it('makes no second pull request when the first was merged before the take-over', async () => {
    await using world = new JobWorld();
    const id = await world.create('a.md=new');
    const claim = await world.claim();
    const deps = world.deps();
    const unfinished = { ...deps, store: new Proxy<JobStore>(deps.store, { get: getWithoutFinish }) };
    await assert.rejects(attemptJob(claim, unfinished, new AbortController().signal), Killed);
    for (const pullRequest of world.host.pullRequests) pullRequest.state = 'merged';
    await world.stores.jobs.endLeases();
    await world.attempt();
    assert.equal((await world.job(id)).status, 'completed');
    assert.equal(world.host.pullRequests.length, 1);
    assert.equal(world.agentRuns, 1);
  });
});

function getWithoutFinish(target: object, property: string | symbol): unknown {
  if (property === 'finish') return () => Promise.reject(new Killed());
  const value: unknown = Reflect.get(target, property, target);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}
