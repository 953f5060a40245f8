import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import { ClaimLost, ServiceStopping } from '../../src/service/job-errors.ts';
import type { Job } from '../../src/service/job.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { JobWorld, obedient, type AgentScript } from '../support/job-world.ts';

const never: AgentScript = () => new Promise(() => undefined);

describe('a job that fails', () => {
  let world: JobWorld;
  beforeEach(() => {
    world = new JobWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  function assertFailed(job: Job, code: JobErrorCode, message: RegExp): void {
    assert.deepEqual([job.status, job.error?.code], ['failed', code], job.error?.message);
    assert.match(job.error?.message ?? '', message);
    assert.deepEqual(world.repository.jobBranches, []);
    assert.deepEqual(world.host.pullRequests, []);
  }

  it('says what the agent says by name', async () => {
    world.agent = () => {
      throw new ServiceError('prompt_not_understood', 'Say it otherwise.');
    };
    assertFailed(await world.run('hm'), 'prompt_not_understood', /^Say it otherwise\.$/);
  });

  it('says in plain words that the agent broke down, and tells the cause to the log only', async () => {
    world.agent = () => {
      throw new TypeError('x is undefined at /secret/place');
    };
    const job = await world.run('hm');
    assertFailed(job, 'agent_failed', /^The agent broke down/);
    assert.doesNotMatch(JSON.stringify([job, await world.events(job.id)]), /secret/);
    assert.match(inspect(world.logged[0]?.fields), /secret/);
  });

  it('says in plain words that something unknown happened', async () => {
    const deps = { ...world.deps(), hosts: [{ connect: () => Promise.reject(new Error('odd')) }] };
    assertFailed(await world.run('a.md=new', deps), 'internal', /^Something went wrong inside the service/);
    assert.equal(world.agentRuns, 0, 'the agent was started before the host was known to be there');
  });

  it('hides secrets in the sentence', async () => {
    world.host.failures.connect = new ServiceError('authentication_failed', 'Not hunter2hunter2.');
    assertFailed(await world.run('a.md=new'), 'authentication_failed', /Not \[redacted\]/);
  });

  it('says that its project is gone', async () => {
    const deps = { ...world.deps(), projects: { get: async () => undefined, put: async () => undefined } };
    assertFailed(await world.run('a.md=new', deps), 'repository_unavailable', /does not know this project/);
  });

  it('says that no host takes the repository', async () => {
    assertFailed(
      await world.run('a.md=new', { ...world.deps(), hosts: [] }),
      'repository_unavailable',
      /No code host/,
    );
  });

  describe('at a limit', () => {
    it('of time as a whole', async () => {
      world.agent = never;
      assertFailed(await world.run('a', world.deps({ wallClockMs: 20 })), 'time_limit', /took longer than/);
    });

    it('of time without a sign of life', async () => {
      world.agent = never;
      assertFailed(await world.run('a', world.deps({ idleMs: 20 })), 'time_limit', /no sign of life/);
    });

    it('of time without a sign of life, which progress puts off', async () => {
      world.agent = async (files, task) => {
        // Of two timers that are over Node always runs the one first that was due first, so that no pause
        // of the machine makes this one late.
        for (let i = 0; i < 5; i++) {
          task.onProgress(`${i}`);
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        return obedient(files, task);
      };
      assert.equal((await world.run('a.md=new', world.deps({ idleMs: 200 }))).status, 'completed');
    });

    it('of files, and keeps the diff for reading', async () => {
      world.agent = (files) => {
        for (let i = 0; i < 3; i++) files.set(`new${i}.md`, '');
        return { title: 't', summary: 's' };
      };
      const job = await world.run('a', world.deps({ filesChanged: 2 }));
      assertFailed(job, 'change_too_large', /3 files, and the limit is 2/);
      const { baseCommit = '', refusedCommit = '' } = job.work;
      const diff = await world.repository.diff({ id: 'docs', repository: '' }, baseCommit, refusedCommit);
      assert.match(diff, /new2\.md/);
    });

    it('of bytes', async () => {
      world.repository.patchBytes = 3 * 1024 * 1024;
      const job = await world.run('a.md=new', world.deps({ patchBytes: 1024 * 1024 }));
      assertFailed(job, 'change_too_large', /3\.0 MB, and the limit is 1\.0 MB/);
      assert.ok(job.work.refusedCommit);
    });

    it('of bytes, far above which not even the diff is kept', async () => {
      world.repository.patchBytes = 300;
      const job = await world.run('a.md=new', world.deps({ patchBytes: 100, keptPatchBytes: 200 }));
      assertFailed(job, 'change_too_large', /limit/);
      assert.equal(job.work.refusedCommit, undefined);
    });
  });

  it('keeps a key that the agent wrote into a page on this machine, and a follow-up begins anew', async () => {
    for (const path of ['a.md', '.github/workflows/x.yml']) {
      const job = await world.run(`${path}=the key is hunter2hunter2`);
      assertFailed(job, 'push_rejected', /wrote a key or password of this machine into .*Nothing was pushed/);
      assert.equal(job.error?.retryable, false);
      assert.equal(job.work.refusedCommit, undefined, 'not even for reading');
      assert.deepEqual([...world.repository.branches.keys()], ['main']);
    }
    const { id } = await world.run('b.md=the key is hunter2hunter2');
    await world.followUp(id, 'a.md=new');
    await world.attempt();
    const next = await world.job(id);
    assert.equal(next.status, 'completed', next.error?.message);
    assert.equal(world.repository.file(next.work.branch ?? '', 'b.md'), 'b');
  });

  it('names the protected path, and a follow-up begins from what stood before', async () => {
    const job = await world.run('.github/workflows/x.yml=run');
    assertFailed(job, 'protected_path', /\.github\/workflows\/x\.yml belongs to the configuration/);
    assert.ok(job.work.refusedCommit);
    await world.followUp(job.id, 'a.md=new');
    await world.attempt();
    const next = await world.job(job.id);
    assert.equal(next.status, 'completed');
    assert.equal(next.work.refusedCommit, undefined);
    assert.equal(world.repository.file(next.work.branch ?? '', '.github/workflows/x.yml'), undefined);
  });

  it('may change only the docs folder, unless configured', async () => {
    world.repository.docsRoot = 'docs';
    assertFailed(await world.run('src/x.md=x'), 'protected_path', /src\/x\.md lies outside the docs folder/);
    const deps = { ...world.deps(), outsideDocsRoot: true };
    assert.equal((await world.run('src/x.md=x', deps)).status, 'completed');
  });

  describe('after the push', () => {
    const refused = new ServiceError('permission_denied', 'You may not open pull requests.');

    it('says where the work is and how to open the pull request by hand', async () => {
      world.host.failures.create = refused;
      const job = await world.run('a.md=new');
      assert.deepEqual([job.status, job.error?.code], ['failed', 'permission_denied']);
      const [branch = ''] = world.repository.jobBranches;
      assert.match(job.error?.message ?? '', /You may not open pull requests\./);
      assert.ok(branch !== '' && job.error?.message.includes(branch));
      assert.ok(job.error?.message.includes(`https://code.example/r/compare/main...${branch}`));
    });

    it('opens the pull request for the branch at the next follow-up, also without a further change', async () => {
      world.host.failures.create = refused;
      const { id } = await world.run('a.md=new');
      delete world.host.failures.create;
      await world.followUp(id, 'again');
      await world.attempt();
      const job = await world.job(id);
      assert.equal(job.status, 'completed');
      assert.equal(world.host.pullRequests.length, 1);
      assert.equal(world.repository.jobBranches.length, 1);
      assert.equal(job.work.pullRequest?.number, 1);
    });

    it('finds the pull request that somebody opened by hand', async () => {
      world.host.failures.create = refused;
      const { id, work } = await world.run('a.md=new');
      const { branch = '' } = work;
      world.host.pullRequests.push({
        number: 1,
        branch,
        baseBranch: 'main',
        title: 'x',
        body: '',
        state: 'open',
      });
      await world.followUp(id, 'b.md=more');
      await world.attempt();
      const job = await world.job(id);
      assert.deepEqual([job.status, job.work.pullRequest?.number], ['completed', 1]);
      assert.equal(world.host.pullRequests.length, 1);
    });
  });

  describe('for a while', () => {
    const hiccup = new ServiceError('network', 'The host does not answer.', { retryable: true });

    it('is tried again later and later, and fails with its own code in the end', async () => {
      world.host.failures.connect = hiccup;
      const id = await world.create('a.md=new');
      const limits = { attempts: 3, firstRetryMs: 1000 };
      for (const delay of [1000, 2000]) {
        await world.attempt(world.deps(limits));
        assert.equal((await world.job(id)).status, 'active');
        world.now += delay - 1;
        assert.equal(await world.stores.jobs.claim('w', 1), undefined, 'it is not delayed');
        world.now += 1;
      }
      await world.attempt(world.deps(limits));
      const job = await world.job(id);
      assert.deepEqual([job.status, job.error], ['failed', hiccup.toJobError()]);
      const warnings = (await world.events(id)).filter(({ type }) => type === 'warning');
      assert.match(warnings[1]?.message ?? '', /does not answer\. It is tried again in 2 seconds\./);
    });

    it('waits as long as the other side asks for, but not for ever', async () => {
      const limits = { attempts: 3, firstRetryMs: 1000, longestRetryMs: 60_000 };
      for (const [asked, delay] of [
        [10, 1000],
        [30_000, 30_000],
        [3_600_000, 60_000],
      ] as const) {
        world.host.failures.connect = new ServiceError('network', 'Too many requests.', {
          retryable: true,
          retryAfterMs: asked,
        });
        const id = await world.create('a.md=new');
        await world.attempt(world.deps(limits));
        world.now += delay - 1;
        assert.equal(await world.stores.jobs.claim('w', 1), undefined, `${asked}`);
        world.now += 1;
        delete world.host.failures.connect;
        await world.attempt(world.deps(limits));
        assert.equal((await world.job(id)).status, 'completed');
      }
    });

    it('waits also when the pull request could not be opened for so long', async () => {
      world.host.failures.create = new ServiceError('network', 'Too many requests.', {
        retryable: true,
        retryAfterMs: 30_000,
      });
      await world.run('a.md=new');
      world.now += 29_999;
      assert.equal(await world.stores.jobs.claim('w', 1), undefined);
    });

    it('completes when it is over, and does not ask the agent twice', async () => {
      world.host.failures.create = hiccup;
      const id = await world.create('a.md=new');
      await world.attempt();
      delete world.host.failures.create;
      world.now += 60_000;
      await world.attempt();
      assert.equal((await world.job(id)).status, 'completed');
      assert.equal(world.agentRuns, 1);
      assert.equal(world.host.pullRequests.length, 1);
    });
  });

  it('is given up when the process died at it again and again', async () => {
    const id = await world.create('a.md=new');
    for (let i = 0; i < 3; i++) {
      await world.claim();
      await world.stores.jobs.endLeases();
    }
    await world.attempt(world.deps({ attempts: 3 }));
    assertFailed(await world.job(id), 'attempts_exhausted', /ended 3 times/);
    assert.equal(world.agentRuns, 0);
  });

  describe('to be interrupted', () => {
    /** Starts an attempt, and aborts it once the agent runs. */
    async function interrupt(reason: Error, agent: AgentScript = never): Promise<string> {
      const id = await world.create('a.md=new');
      const controller = new AbortController();
      world.agent = (files, task) => {
        queueMicrotask(() => controller.abort(reason));
        return agent(files, task);
      };
      await world.attempt(world.deps(), controller.signal);
      return id;
    }

    it('gives the job back, uncounted, when the service stops, also past an agent that does not listen', async () => {
      const id = await interrupt(new ServiceStopping());
      assert.equal((await world.job(id)).status, 'active');
      assert.equal((await world.claim()).attempt, 1);
    });

    it('tells the agent', async () => {
      let heard = false;
      await interrupt(new ServiceStopping(), async (_files, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        heard = true;
        throw signal.reason;
      });
      assert.ok(heard);
    });

    it('writes nothing when the claim is lost', async () => {
      const id = await interrupt(new ClaimLost());
      const job = await world.job(id);
      assert.equal(job.status, 'active');
      assert.equal(await world.stores.jobs.claim('other', 1), undefined, 'the claim was released');
    });

    it('pushes nothing after another worker has taken the job over', async () => {
      const id = await world.create('a.md=new');
      world.agent = async (files, task) => {
        await world.stores.jobs.endLeases();
        await world.claim();
        return obedient(files, task);
      };
      await world.attempt();
      assert.deepEqual(world.repository.jobBranches, []);
      assert.equal((await world.job(id)).status, 'active');
    });
  });
});
