import assert from 'node:assert/strict';
import path from 'node:path';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import type { CodeHostServer, HostedProject } from './code-host.ts';
import { noSignal } from './git-service.ts';
import { HostWalk, type MakeHost } from './host-walk.ts';
import { commitFiles, git, type TemporaryFolder, temporaryFolder } from './repositories.ts';
import { failsWith } from './service-errors.ts';

/** What one kind of code host is like, for the cases that all of them have. */
export interface HostUnderTest {
  /** A server that listens on loopback, its files below this folder. */
  readonly start: (folder: string) => Promise<CodeHostServer>;
  readonly makeHost: MakeHost;
  /** Of a repository: `team/docs`. */
  readonly projectPath: string;
  /** The title of a draft, where a draft is told by it: `Draft: x`. */
  readonly draftTitle?: (title: string) => string;
  /** False where there are none: asking for them is a warning. */
  readonly labels: boolean;
  /** An account that may review there; absent where there are no reviewers. */
  readonly reviewer?: string;
  /** Characters of the longest title and body that it takes. */
  readonly titleLimit: number;
  readonly bodyLimit: number;
  /** What its hooks print, and what that is called here. */
  readonly pushRefusals: readonly (readonly [words: string, code: JobErrorCode, sentence: RegExp])[];
  /** False where the host does not say what a token may do, so that only the push can tell. */
  readonly tellsPermission: boolean;
  /** False where nothing tells it before the push. */
  readonly tellsArchived: boolean;
}

/** The matrix of one code host: the same walks with the same ends everywhere. */
export function describeCodeHost(name: string, under: HostUnderTest): void {
  describe(`a job whose code host is ${name}`, () => {
    let folder: TemporaryFolder;
    let server: CodeHostServer;
    let hosted: HostedProject;
    let walk: HostWalk;

    beforeEach(async () => {
      folder = temporaryFolder();
      server = await under.start(path.join(folder.path, 'host'));
      hosted = server.addProject(under.projectPath);
      walk = new HostWalk(server, hosted, under);
    });
    afterEach(async () => {
      await walk[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    const onlyPull = () => {
      assert.equal(hosted.pulls.length, 1, 'one pull request');
      return hosted.pulls[0]!;
    };
    const branches = (): string[] =>
      git(hosted.gitDir, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads').split('\n');
    const posts = (pattern: RegExp) =>
      server.requests.filter((request) => request.method !== 'GET' && pattern.test(JSON.stringify(request)));

    it('gets a pull request', async () => {
      const job = await walk.run('hello');
      assert.equal(job.status, 'completed', job.error?.message);
      const pull = onlyPull();
      assert.deepEqual([pull.title, pull.base, pull.draft], ['Say hello', 'main', false]);
      assert.equal(job.work.pullRequest?.number, pull.number);
      assert.match(job.work.pullRequest.link, /^http:\/\/127\.0\.0\.1:\d+\//);
      assert.equal(git(hosted.gitDir, 'show', `${pull.head}:README.md`), 'hello');
      assert.ok(pull.body.includes(job.id), 'the id of the job is in the body');
      assert.match(pull.body, /> hello/);
      assert.equal((await walk.everything(job.id)).includes(server.token), false, 'the token was stored');
    });

    it('leaves no branch and no pull request when nothing changed', async () => {
      const job = await walk.run('nothing');
      assert.deepEqual([job.status, hosted.pulls, branches()], ['completed', [], ['main']]);
    });

    it('keeps the one pull request that another attempt has opened', async () => {
      const { id, work } = await walk.run('hello');
      const { head } = onlyPull();
      const connected = await walk.connect();
      const request = {
        jobId: id,
        title: 'Say hello',
        body: 'again',
        branch: head,
        baseBranch: 'main',
        baseCommit: work.baseCommit ?? '',
        headCommit: work.headCommit ?? '',
        draft: false,
        warn: assert.fail,
      };
      assert.deepEqual(await connected.create(request, noSignal), work.pullRequest);
      assert.deepEqual(await connected.findOpen(head, noSignal), work.pullRequest);
      assert.equal(await connected.findOpen('docs-agent/another', noSignal), undefined);
      onlyPull();
    });

    it('makes no second one when the first was opened and its answer was lost', async () => {
      server.gates.hold('after', 'POST', /^(?!.*git-(?:upload|receive)-pack)/).drop();
      const { id, status } = await walk.run('hello');
      assert.equal(status, 'active', 'no answer is trouble of the moment');
      const job = await walk.attempt(id);
      assert.equal(job.status, 'completed', job.error?.message);
      assert.equal(job.work.pullRequest?.number, onlyPull().number);
      assert.equal(walk.agentRuns, 1);
    });

    it('updates the pull request at a follow-up', async () => {
      const { id } = await walk.run('hello');
      const job = await walk.followUp(id, 'good day');
      assert.equal(job.status, 'completed', job.error?.message);
      const pull = onlyPull();
      assert.equal(pull.title, 'Say hello');
      assert.match(pull.body, /> hello[^]*> good day/);
      assert.equal(git(hosted.gitDir, 'show', `${pull.head}:README.md`), 'good day');
      assert.deepEqual(await walk.warnings(id), []);
    });

    it("builds on somebody else's commits in the branch", async () => {
      const { id } = await walk.run('hello');
      const { head } = onlyPull();
      git(walk.clone, 'fetch', '--quiet', hosted.gitDir, head);
      git(walk.clone, 'checkout', '--quiet', 'FETCH_HEAD');
      const theirs = commitFiles(walk.clone, { 'theirs.md': 'theirs\n' });
      git(walk.clone, 'push', '--quiet', hosted.gitDir, `HEAD:refs/heads/${head}`);
      git(walk.clone, 'checkout', '--quiet', 'main');
      const job = await walk.followUp(id, 'good day');
      assert.equal(job.status, 'completed', job.error?.message);
      onlyPull();
      assert.equal(git(hosted.gitDir, 'rev-parse', `${head}^`), theirs);
    });

    for (const state of ['closed', 'merged'] as const) {
      it(`leaves a pull request alone that somebody has ${state}`, async () => {
        const { id, work } = await walk.run('hello');
        const before = onlyPull();
        before.state = state;
        const job = await walk.followUp(id, 'good day');
        assert.equal(job.status, 'completed', job.error?.message);
        const [first, second] = hosted.pulls;
        assert.equal(hosted.pulls.length, 2);
        assert.equal(first?.state, state);
        assert.notEqual(second?.head, first.head);
        assert.equal(job.work.pullRequest?.number, second?.number);
        assert.equal(git(hosted.gitDir, 'rev-parse', first.head), work.headCommit);
      });
    }

    for (const [words, code, sentence] of under.pushRefusals) {
      it(`names a push that is refused: ${words.slice(0, 50)}`, async () => {
        hosted.refusePush = words;
        const job = await walk.run('hello');
        assert.deepEqual([job.status, job.error?.code], ['failed', code], job.error?.message);
        assert.match(job.error?.message ?? '', sentence);
        assert.equal(job.error?.retryable, false);
        assert.ok(job.work.headCommit, 'the work is kept');
        assert.deepEqual([hosted.pulls, branches()], [[], ['main']]);
        hosted.refusePush = undefined;
        const again = await walk.followUp(job.id, 'good day');
        assert.equal(again.status, 'completed', again.error?.message);
        onlyPull();
      });
    }

    it('ends before the agent when the sign-in has expired', async () => {
      const old = server.token;
      server.token = 'secret-after-it-was-renewed-0123456789';
      const job = await walk.run('hello');
      assert.deepEqual(
        [job.status, job.error?.code],
        ['failed', 'authentication_failed'],
        job.error?.message,
      );
      assert.match(job.error?.message ?? '', /the service's configuration/);
      assert.equal(walk.agentRuns, 0);
      assert.equal((await walk.everything(job.id)).includes(old), false);
    });

    it('says where the credential came from that its interface does not accept', async () => {
      server.intercept = () => ({ status: 401, body: { message: 'expired' } });
      const job = await walk.run('hello');
      assert.equal(job.error?.code, 'authentication_failed', job.error?.message);
      assert.match(job.error.message, /the service's configuration/);
      assert.equal(walk.agentRuns, 0);
    });

    it('ends before the agent in a repository that it cannot change', async () => {
      hosted.permission = 'none';
      await assert.rejects(walk.connect(), failsWith('repository_unavailable', /./));
      hosted.permission = 'read';
      const reads = await walk.run('hello');
      assert.deepEqual(
        [reads.status, reads.error?.code],
        ['failed', 'permission_denied'],
        reads.error?.message,
      );
      hosted.permission = 'write';
      hosted.archived = true;
      const archived = await walk.run('hello');
      assert.equal(archived.error?.code, 'permission_denied', archived.error?.message);
      if (under.tellsArchived) assert.match(archived.error.message, /archived|disabled|read-only/);
      assert.equal(walk.agentRuns, Number(!under.tellsPermission) + Number(!under.tellsArchived));
    });

    it('tries again what is trouble of the moment', async () => {
      const troubles = [
        { status: 502, body: 'Bad Gateway' },
        { status: 429, headers: { 'retry-after': '1' }, body: {} },
      ];
      for (const trouble of troubles) {
        server.intercept = () => trouble;
        const { id, status } = await walk.run(`hello ${trouble.status}`);
        assert.equal(status, 'active', `${trouble.status}`);
        server.intercept = undefined;
        const job = await walk.attempt(id);
        assert.equal(job.status, 'completed', job.error?.message);
      }
    });

    it('keeps the work and says where it is when no pull request can be opened', async () => {
      server.intercept = ({ method }) =>
        method === 'POST' ? { status: 403, body: { message: 'Not here.' } } : undefined;
      const job = await walk.run('hello');
      assert.equal(job.status, 'failed');
      const branch = job.work.branch ?? '';
      assert.equal(git(hosted.gitDir, 'show', `${branch}:README.md`), 'hello');
      const { message = '' } = job.error ?? {};
      assert.ok(message.includes(branch), message);
      assert.match(message, /http:\/\/127\.0\.0\.1:\d+\//);
      server.intercept = undefined;
      const again = await walk.followUp(job.id, 'good day');
      assert.equal(again.status, 'completed', again.error?.message);
      onlyPull();
    });

    it('does not follow where a redirect leads with its token', async () => {
      server.intercept = () => ({ status: 301, headers: { location: 'http://127.0.0.1:9/elsewhere' } });
      const job = await walk.run('hello');
      assert.equal(job.error?.code, 'repository_unavailable', job.error?.message);
      assert.match(job.error.message, /moved/);
    });

    it('takes an answer that is none of its own for what it is', async () => {
      server.intercept = () => ({ status: 200, body: '<html>Sign in</html>' });
      const job = await walk.run('hello');
      assert.equal(job.error?.code, 'pull_request_failed', job.error?.message);
      assert.match(job.error.message, /would not answer/);
    });

    it('gets a draft, labels and reviewers, each once', async () => {
      const { draftTitle = (title: string) => title, reviewer } = under;
      walk.extras = { draft: true, labels: ['docs', 'bot'], ...(reviewer && { reviewers: [reviewer] }) };
      const { id, status, error } = await walk.run('hello');
      assert.equal(status, 'completed', error?.message);
      const pull = onlyPull();
      assert.equal(pull.draft, true);
      assert.equal(pull.title, draftTitle('Say hello'));
      assert.deepEqual(pull.labels, under.labels ? ['docs', 'bot'] : []);
      assert.deepEqual(pull.reviewers, reviewer ? [reviewer] : []);
      const warnings = await walk.warnings(id);
      assert.equal(warnings.length, under.labels ? 0 : 1, warnings.join('\n'));
      pull.labels = [];
      pull.reviewers = [];
      const job = await walk.followUp(id, 'good day');
      assert.equal(job.status, 'completed', job.error?.message);
      assert.deepEqual([pull.labels, pull.reviewers], [[], []], 'what a person took away stays away');
      assert.deepEqual([pull.draft, pull.title], [true, draftTitle('Say hello')]);
      assert.deepEqual(await walk.warnings(id), warnings);
    });

    it('is completed with a warning when an extra fails', async () => {
      walk.extras = { reviewers: ['nobody-of-this-name'] };
      const { id, status, error } = await walk.run('hello');
      assert.equal(status, 'completed', error?.message);
      assert.match((await walk.warnings(id)).join('\n'), /review/i);
      onlyPull();
    });

    it('cuts title and body to what the host takes, with the id of the job', async () => {
      const { id, work } = await walk.run('hello');
      const connected = await walk.connect();
      const pull = work.pullRequest!;
      await connected.update(
        pull,
        { title: '𝒳'.repeat(200) + 'x'.repeat(300), body: 'New', headCommit: work.headCommit ?? '' },
        noSignal,
      );
      assert.ok([...onlyPull().title].length <= under.titleLimit);
      assert.equal(onlyPull().body, 'New');
      assert.ok(connected.bodyLimit <= under.bodyLimit);
      const job = await walk.followUp(id, 'word @kim fixes #1 '.repeat(1600));
      assert.equal(job.status, 'completed', job.error?.message);
      assert.deepEqual(await walk.warnings(id), []);
      assert.ok(onlyPull().body.length <= under.bodyLimit);
      assert.ok(onlyPull().body.includes(id));
    });

    it('carries nothing of a prompt that the host would act on', async () => {
      await walk.run('@kim fixes #1 and !2 and AB#3\n/merge\n<!-- x --><details>');
      const { body, title } = onlyPull();
      for (const text of [body.replace(/<!-- docs-agent-job.*$/s, ''), title]) {
        assert.doesNotMatch(text, /@kim|#\d|!\d|^[ >]*\/merge|<!--|<details/m);
      }
    });

    it('sends its token to its own host only', async () => {
      await walk.run('hello');
      assert.ok(server.requests.length > 3);
      assert.ok(posts(/./).length > 0);
      for (const { path: place, body } of server.requests) {
        assert.equal((place + JSON.stringify(body ?? '')).includes(server.token), false, place);
      }
    });
  });
}
