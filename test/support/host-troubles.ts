import assert from 'node:assert/strict';
import { HostStage, type HostUnderTest } from './host-stage.ts';
import { HostWalk } from './host-walk.ts';
import { git } from './repositories.ts';
import { failsWith } from './service-errors.ts';

/** What goes wrong at every code host, and what a writer is told. */
export function describeHostTroubles(name: string, under: HostUnderTest): void {
  describe(`a job in trouble with ${name}`, () => {
    const stage = new HostStage(under);

    it('makes no second one when the first was opened and its answer was lost', async () => {
      stage.server.gates.hold('after', 'POST', /^(?!.*git-(?:upload|receive)-pack)/).drop();
      const { id, status } = await stage.walk.run('hello');
      assert.equal(status, 'active', 'no answer is trouble of the moment');
      const job = await stage.walk.attempt(id);
      assert.equal(job.status, 'completed', job.error?.message);
      assert.equal(job.work.pullRequest?.number, stage.onlyPull().number);
      assert.equal(stage.walk.agentRuns, 1);
    });

    it('makes no second one when the first is open and its host does not list it yet', async () => {
      stage.server.gates.hold('after', 'POST', /^(?!.*git-(?:upload|receive)-pack)/).drop();
      const { id } = await stage.walk.run('hello');
      stage.server.listsLag = true;
      const behind = await stage.walk.attempt(id);
      assert.notEqual(behind.status, 'failed', behind.error?.message);
      stage.server.listsLag = false;
      // Bitbucket Cloud answers a second creation with the first pull request.
      const job = behind.status === 'active' ? await stage.walk.attempt(id) : behind;
      assert.equal(job.status, 'completed', job.error?.message);
      assert.equal(job.work.pullRequest?.number, stage.onlyPull().number);
    });

    it('keeps the work when its push is refused, and a follow-up pushes it', async () => {
      const [[words, code, sentence]] = under.pushRefusals;
      stage.hosted.refusePush = words;
      const job = await stage.walk.run('hello');
      assert.deepEqual([job.status, job.error?.code], ['failed', code], job.error?.message);
      assert.match(job.error?.message ?? '', sentence);
      assert.match(
        job.error?.message ?? '',
        /The change is kept with the job: a follow-up pushes it again\.$/,
      );
      assert.equal(job.error?.retryable, false);
      assert.ok(job.work.headCommit, 'the work is kept');
      assert.deepEqual([stage.hosted.pulls, stage.branches()], [[], ['main']]);
      stage.hosted.refusePush = undefined;
      const again = await stage.walk.followUp(job.id, 'nothing');
      assert.equal(again.status, 'completed', again.error?.message);
      assert.equal(git(stage.hosted.gitDir, 'show', `${stage.onlyPull().head}:README.md`), 'hello');
    });

    it('names each way in which a push is refused', async () => {
      const push = await stage.walk.commit('hello');
      for (const [words, code, sentence] of under.pushRefusals) {
        stage.hosted.refusePush = words;
        await assert.rejects(push('docs-agent/x'), failsWith(code, sentence));
      }
      assert.deepEqual(stage.branches(), ['main']);
    });

    it('says how to sign in when nobody has, before the agent', async () => {
      const hosts = { [stage.server.host]: { kind: stage.server.kind } };
      await using stranger = new HostWalk(stage.server, stage.server.addProject(`${under.projectPath}2`), {
        ...under,
        hosts,
        pattern: stage.pattern,
      });
      const { status, error } = await stranger.run('hello');
      assert.deepEqual([status, error?.code], ['failed', 'authentication_failed'], error?.message);
      const { message = '' } = error ?? {};
      assert.ok(
        message.startsWith(`There is no sign-in for ${stage.server.host}. Make an`) || /Make a/.test(message),
      );
      assert.match(message, under.signIn);
      assert.ok(message.includes(`"git push --dry-run ${stage.server.origin}/`), message);
      assert.equal(stranger.agentRuns, 0);
    });

    it('ends before the agent when the sign-in has expired', async () => {
      const old = stage.server.token;
      stage.server.token = 'secret-after-it-was-renewed-0123456789';
      const job = await stage.walk.run('hello');
      assert.deepEqual(
        [job.status, job.error?.code],
        ['failed', 'authentication_failed'],
        job.error?.message,
      );
      assert.match(job.error?.message ?? '', /the service's configuration/);
      assert.equal(stage.walk.agentRuns, 0);
      assert.equal((await stage.walk.everything(job.id)).includes(old), false);
    });

    it('says where the credential came from that its interface does not accept', async () => {
      stage.server.intercept = () => ({ status: 401, body: { message: 'expired' } });
      const job = await stage.walk.run('hello');
      assert.equal(job.error?.code, 'authentication_failed', job.error?.message);
      assert.match(job.error.message, /the service's configuration/);
      assert.equal(stage.walk.agentRuns, 0);
    });

    it('ends before the agent in a repository that it cannot change', async () => {
      stage.hosted.permission = 'none';
      await assert.rejects(stage.walk.connect(), failsWith('repository_unavailable', /./));
      stage.hosted.permission = 'read';
      const reads = await stage.walk.run('hello');
      assert.deepEqual(
        [reads.status, reads.error?.code],
        ['failed', 'permission_denied'],
        reads.error?.message,
      );
      stage.hosted.permission = 'write';
      stage.hosted.archived = true;
      const archived = await stage.walk.run('hello');
      assert.equal(archived.error?.code, 'permission_denied', archived.error?.message);
      if (under.tellsArchived) assert.match(archived.error.message, /archived|disabled|read-only/);
      assert.equal(stage.walk.agentRuns, Number(!under.tellsPermission) + Number(!under.tellsArchived));
    });

    it('tries again what is trouble of the moment', async () => {
      const troubles = [
        { status: 502, body: 'Bad Gateway' },
        { status: 429, headers: { 'retry-after': '1' }, body: {} },
      ];
      for (const trouble of troubles) {
        stage.server.intercept = () => trouble;
        const { id, status } = await stage.walk.run(`hello ${trouble.status}`);
        assert.equal(status, 'active', `${trouble.status}`);
        stage.server.intercept = undefined;
        const job = await stage.walk.attempt(id);
        assert.equal(job.status, 'completed', job.error?.message);
      }
    });

    it('keeps the work and says where it is when no pull request can be opened', async () => {
      stage.server.intercept = ({ method }) =>
        method === 'POST' ? { status: 403, body: { message: 'Not here.' } } : undefined;
      const job = await stage.walk.run('hello');
      assert.equal(job.status, 'failed');
      const branch = job.work.branch ?? '';
      assert.equal(git(stage.hosted.gitDir, 'show', `${branch}:README.md`), 'hello');
      const { message = '' } = job.error ?? {};
      const byHand = `${stage.server.origin}${under.byHand(branch)}`;
      const end = `The work is pushed, on the branch ${branch}. Open the pull request by hand: ${byHand}`;
      assert.ok(message.endsWith(end), message);
      stage.server.intercept = undefined;
      const again = await stage.walk.followUp(job.id, 'good day');
      assert.equal(again.status, 'completed', again.error?.message);
      stage.onlyPull();
    });

    it('does not follow where a redirect leads with its token', async () => {
      stage.server.intercept = () => ({ status: 301, headers: { location: 'http://127.0.0.1:9/elsewhere' } });
      const job = await stage.walk.run('hello');
      assert.equal(job.error?.code, 'repository_unavailable', job.error?.message);
      assert.match(job.error.message, /moved/);
    });

    it('takes an answer that is none of its own for what it is', async () => {
      stage.server.intercept = () => ({ status: 200, body: '<html>Sign in</html>' });
      const job = await stage.walk.run('hello');
      assert.equal(job.error?.code, 'pull_request_failed', job.error?.message);
      assert.match(job.error.message, /would not answer/);
    });

    it('reads no answer without end, and shows no page that comes instead of a refusal', async () => {
      stage.server.intercept = () => ({ status: 200, body: 'x'.repeat(9 * 1024 * 1024) });
      await assert.rejects(stage.walk.connect(), failsWith('network', /could not be reached/));
      stage.server.intercept = () => ({ status: 403, body: `<html>${'No entry. '.repeat(1000)}</html>` });
      await assert.rejects(stage.walk.connect(), (error: unknown) => {
        failsWith('permission_denied', /./)(error);
        return error instanceof Error && !/html|No entry/.test(error.message) && error.message.length < 400;
      });
    });

    it('is completed with a warning when an extra fails', async () => {
      stage.walk.extras = { reviewers: ['nobody-of-this-name'] };
      const { id, status, error } = await stage.walk.run('hello');
      assert.equal(status, 'completed', error?.message);
      assert.match((await stage.walk.warnings(id)).join('\n'), /review/i);
      stage.onlyPull();
    });
  });
}
