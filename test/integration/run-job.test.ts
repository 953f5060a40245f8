import assert from 'node:assert/strict';
import type { RunJobDeps } from '../../src/service/run-job.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { JobWorld, obedient } from '../support/job-world.ts';

describe('a job', () => {
  let world: JobWorld;
  beforeEach(() => {
    world = new JobWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it('ends with one commit on one branch and a pull request', async () => {
    const job = await world.run('a.md=new');
    assert.equal(job.status, 'completed', JSON.stringify(job.error));
    assert.equal(job.summary, 'Wrote new.');
    assert.equal(job.model, 'scripted');
    assert.equal(job.repository, 'https://code.example/r.git');
    assert.equal(job.work.filesChanged, 1);
    const [branch, ...others] = world.repository.jobBranches;
    assert.ok(branch);
    assert.deepEqual(others, []);
    assert.match(branch, /^docs-agent\/a-md-new-[0-9a-z]{12}$/);
    assert.equal(job.work.branch, branch);
    assert.equal(world.repository.file(branch, 'a.md'), 'new');
    const commit = world.repository.commit(world.repository.branches.get(branch));
    assert.deepEqual(commit.trailers, { 'Generated-By': 'Docs Agent 9.9.9', 'Docs-Agent-Job': job.id });
    assert.equal(world.host.pullRequests.length, 1);
    const [pullRequest] = world.host.pullRequests;
    assert.equal(pullRequest?.baseBranch, 'main');
    assert.equal(pullRequest.title, 'Change a.md');
    assert.ok(pullRequest.body.includes(`<!-- docs-agent-job: ${job.id} -->`));
    assert.equal(job.work.pullRequest?.link, 'https://code.example/r/pull/1');
    assert.equal(world.repository.file('main', 'a.md'), 'a');
  });

  it('tells its steps in the order of the walk', async () => {
    const { id } = await world.run('a.md=new');
    const types = (await world.events(id)).map((event) => event.type).filter((type) => type !== 'progress');
    assert.deepEqual(types, [
      'created',
      'claimed',
      'workspace',
      'agent',
      'checks',
      'committed',
      'pushed',
      'pull_request',
      'completed',
    ]);
  });

  it('tells what the agent is doing, shortened and on one line', async () => {
    world.agent = (_files, task) => {
      task.onProgress(`Reading\n\u0007${'x'.repeat(1000)}`);
      return { title: 't', summary: 's' };
    };
    const { id } = await world.run('look');
    const told = (await world.events(id)).filter((event) => event.message.startsWith('Reading x'));
    assert.equal(told.length, 1);
    assert.equal(told[0]?.message.length, 500);
  });

  it('completes without branch and pull request when nothing had to change', async () => {
    const job = await world.run('nothing');
    assert.deepEqual([job.status, job.summary], ['completed', 'Nothing to do.']);
    assert.equal(job.work.branch, undefined);
    assert.deepEqual(world.repository.jobBranches, []);
    assert.deepEqual(world.host.pullRequests, []);
  });

  it('hides secrets in everything that it writes and publishes', async () => {
    world.agent = (files, task) => {
      task.onProgress('with hunter2hunter2');
      files.set('a.md', 'new');
      return { title: 'Use hunter2hunter2', summary: 'It is hunter2hunter2.' };
    };
    const job = await world.run('say hunter2hunter2');
    const { prompt: _prompt, title: _title, ...written } = job;
    const told = JSON.stringify([written, await world.events(job.id), world.host.pullRequests]);
    assert.ok(!told.includes('hunter2'), told);
    assert.ok(told.includes('[redacted]'));
  });

  it('avoids a folder of branches that is a branch', async () => {
    world.repository.branches.set('docs-agent', world.repository.branches.get('main') ?? '');
    const job = await world.run('a.md=new');
    assert.match(job.work.branch ?? '', /^docs-agent-a-md-new-/);
  });

  describe('with a follow-up', () => {
    it('goes on in the same branch and pull request', async () => {
      const first = await world.run('a.md=one');
      await world.followUp(first.id, 'b.md=two');
      await world.attempt();
      const job = await world.job(first.id);
      assert.equal(job.status, 'completed');
      assert.equal(job.work.branch, first.work.branch);
      assert.equal(job.work.filesChanged, 2);
      assert.deepEqual(world.repository.jobBranches, [first.work.branch]);
      assert.equal(world.repository.file(job.work.branch ?? '', 'a.md'), 'one');
      assert.equal(world.repository.file(job.work.branch ?? '', 'b.md'), 'two');
      assert.equal(world.host.pullRequests.length, 1);
      const { title, body } = world.host.pullRequests[0] ?? assert.fail();
      assert.equal(title, 'Change a.md');
      for (const text of ['a.md=one', 'b.md=two', 'Wrote one.', 'Wrote two.', '`a.md`', '`b.md`']) {
        assert.ok(body.includes(text), `${text} is missing in ${body}`);
      }
    });

    it('tells the agent what was asked and done before', async () => {
      const { id } = await world.run('a.md=one');
      await world.followUp(id, 'more');
      world.agent = (_files, { earlier }) => ({ title: 't', summary: JSON.stringify(earlier) });
      await world.attempt();
      assert.deepEqual(JSON.parse((await world.job(id)).summary ?? ''), [
        { prompt: 'a.md=one', summary: 'Wrote one.' },
      ]);
    });

    it('keeps the pull request when the follow-up changes nothing', async () => {
      const first = await world.run('a.md=one');
      await world.followUp(first.id, 'nothing');
      await world.attempt();
      const job = await world.job(first.id);
      assert.deepEqual([job.status, job.work.headCommit], ['completed', first.work.headCommit]);
      assert.equal(world.host.pullRequests[0]?.state, 'open');
    });

    it('builds upon what a person added to the branch', async () => {
      const first = await world.run('a.md=one');
      const branch = first.work.branch ?? '';
      const head = world.repository.branches.get(branch);
      const files = new Map([...world.repository.commit(head).files, ['c.md', 'by hand']]);
      world.repository.branches.set(branch, world.repository.addCommit(head, files, 'By hand'));
      await world.followUp(first.id, 'b.md=two');
      await world.attempt();
      assert.equal((await world.job(first.id)).status, 'completed');
      assert.deepEqual(
        ['a.md', 'b.md', 'c.md'].map((path) => world.repository.file(branch, path)),
        ['one', 'two', 'by hand'],
      );
    });

    for (const state of ['merged', 'closed'] as const) {
      it(`starts a new branch from the base when the pull request was ${state}`, async () => {
        const first = await world.run('a.md=one');
        const [pullRequest] = world.host.pullRequests;
        assert.ok(pullRequest);
        pullRequest.state = state;
        await world.followUp(first.id, 'b.md=two');
        await world.attempt();
        const job = await world.job(first.id);
        assert.equal(job.work.branch, `${first.work.branch}-2`);
        assert.equal(world.repository.file(job.work.branch ?? '', 'a.md'), 'a');
        assert.equal(world.host.pullRequests.length, 2);
        assert.equal(pullRequest.state, state);
        assert.equal(world.host.pullRequests[1]?.title, 'Change b.md');
        assert.ok(!world.host.pullRequests[1].body.includes('Wrote one.'), 'the old round is told again');
      });
    }

    for (const state of ['merged', 'closed'] as const) {
      it(`goes on in a new branch when the pull request was ${state} while the agent worked`, async () => {
        const first = await world.run('a.md=one');
        const [pullRequest] = world.host.pullRequests;
        assert.ok(pullRequest);
        world.agent = (files, task) => {
          pullRequest.state = state;
          return obedient(files, task);
        };
        await world.followUp(first.id, 'b.md=two');
        await world.attempt();
        const job = await world.job(first.id);
        assert.equal(job.status, 'completed', job.error?.message);
        const [, second] = world.host.pullRequests;
        const { branch = '', pullRequest: reference } = job.work;
        assert.equal(branch, `${first.work.branch}-2`);
        assert.deepEqual([second?.branch, second?.number], [branch, reference?.number]);
        assert.equal(world.repository.branches.get(first.work.branch ?? ''), first.work.headCommit);
        assert.deepEqual(
          ['a.md', 'b.md'].map((path) => world.repository.file(branch, path)),
          ['one', 'two'],
        );
        // What was merged is there already; what was closed is proposed again.
        assert.equal(job.work.filesChanged, state === 'merged' ? 1 : 2);
        assert.ok(!second?.body.includes('Wrote one.'), 'the old round is told again');
        world.agent = obedient;
        await world.followUp(first.id, 'b.md=three');
        await world.attempt();
        assert.deepEqual(
          [world.host.pullRequests.length, (await world.job(first.id)).work.branch],
          [2, branch],
        );
      });
    }

    it('does both when it comes while the first is being worked on', async () => {
      const id = await world.create('a.md=one');
      const claim = await world.claim();
      await world.followUp(id, 'b.md=two');
      await world.stores.jobs.release(claim);
      await world.attempt();
      assert.equal((await world.job(id)).status, 'active');
      await world.attempt();
      const job = await world.job(id);
      assert.deepEqual([job.status, job.work.filesChanged], ['completed', 2]);
      assert.equal(world.host.pullRequests.length, 1);
    });

    it('still succeeds, with a warning, when the text of the pull request cannot be updated', async () => {
      const { id } = await world.run('a.md=one');
      world.host.failures.update = new ServiceError('permission_denied', 'You may not edit.');
      await world.followUp(id, 'b.md=two');
      await world.attempt();
      assert.equal((await world.job(id)).status, 'completed');
      const warning = (await world.events(id)).find((event) => event.type === 'warning');
      assert.match(warning?.message ?? '', /not up to date.*You may not edit/);
    });
  });

  describe('with checks', () => {
    it('tells what got worse in the pull request, after a look at what was there before', async () => {
      const deps: RunJobDeps = {
        ...world.deps(),
        check: async ({ directory, parentDirectory, files }) => {
          assert.deepEqual(files, [{ path: 'a.md', change: 'modified' }]);
          assert.equal(world.repository.directories.get(directory)?.get('a.md'), 'new');
          assert.equal(world.repository.directories.get(parentDirectory)?.get('a.md'), 'a');
          return [{ path: 'a.md', message: 'New trouble.', line: 9, kind: 'link' }];
        },
      };
      const job = await world.run('a.md=new', deps);
      assert.equal(job.status, 'completed');
      assert.ok(world.host.pullRequests[0]?.body.includes('a.md, line 9: New trouble.'));
    });

    it('completes, with a warning, when the checks break down', async () => {
      const deps = { ...world.deps(), check: () => Promise.reject(new TypeError('odd page')) };
      const job = await world.run('a.md=new', deps);
      assert.equal(job.status, 'completed');
      assert.ok((await world.events(job.id)).some(({ message }) => /could not be checked/.test(message)));
      assert.ok(world.logged.some(({ message }) => message.startsWith('The checks')));
    });
  });

  it('puts the repository’s template under its own text', async () => {
    const head = world.repository.addCommit(
      world.repository.branches.get('main'),
      new Map([
        ['a.md', 'a'],
        ['.github/PULL_REQUEST_TEMPLATE.md', '## Checklist\n- [ ] Reviewed'],
      ]),
      'Add a template',
    );
    world.repository.branches.set('main', head);
    await world.run('a.md=new');
    const body = world.host.pullRequests[0]?.body ?? '';
    assert.ok(body.indexOf('## Checklist') > body.indexOf('Wrote new.'));
  });
});
