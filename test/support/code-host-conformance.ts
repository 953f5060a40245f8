import assert from 'node:assert/strict';
import { noSignal } from './git-service.ts';
import { HostStage, type HostUnderTest } from './host-stage.ts';
import { describeHostTroubles } from './host-troubles.ts';
import { commitFiles, git } from './repositories.ts';

/** The matrix of one code host: the same walks with the same ends everywhere. */
export function describeCodeHost(name: string, under: HostUnderTest): void {
  describe(`a job whose code host is ${name}`, () => {
    const stage = new HostStage(under);

    it('gets a pull request, and no second one from another attempt', async () => {
      const job = await stage.walk.run('hello');
      assert.equal(job.status, 'completed', job.error?.message);
      const pull = stage.onlyPull();
      assert.deepEqual([pull.title, pull.base, pull.draft], ['Say hello', 'main', false]);
      assert.equal(job.work.pullRequest?.number, pull.number);
      assert.match(job.work.pullRequest.link, /^http:\/\/127\.0\.0\.1:\d+\//);
      assert.equal(git(stage.hosted.gitDir, 'show', `${pull.head}:README.md`), 'hello');
      assert.ok(pull.body.includes(job.id), 'the id of the job is in the body');
      assert.match(pull.body, /> hello/);
      assert.equal(
        (await stage.walk.everything(job.id)).includes(stage.server.token),
        false,
        'the token was stored',
      );

      const connected = await stage.walk.connect();
      const again = {
        jobId: job.id,
        title: 'Say hello',
        body: 'again',
        branch: pull.head,
        baseBranch: 'main',
        baseCommit: job.work.baseCommit ?? '',
        headCommit: job.work.headCommit ?? '',
        draft: false,
        warn: assert.fail,
      };
      assert.deepEqual(await connected.create(again, noSignal), job.work.pullRequest);
      assert.deepEqual(await connected.findOpen(pull.head, noSignal), job.work.pullRequest);
      assert.equal(await connected.findOpen('docs-agent/another', noSignal), undefined);
      stage.onlyPull();
    });

    it('leaves no branch and no pull request when nothing changed', async () => {
      const job = await stage.walk.run('nothing');
      assert.deepEqual([job.status, stage.hosted.pulls, stage.branches()], ['completed', [], ['main']]);
    });

    it('goes on in its pull request, whatever people do to that', async () => {
      const { id, work } = await stage.walk.run('hello');
      const pull = stage.onlyPull();
      const { head } = pull;
      const inBranch = (what: string): string => git(stage.hosted.gitDir, ...what.split(' '));
      const followUp = async (prompt: string): Promise<void> => {
        const job = await stage.walk.followUp(id, prompt);
        assert.equal(job.status, 'completed', job.error?.message);
        assert.equal(stage.onlyPull().head, head);
        assert.ok(pull.body.includes(`> ${prompt}`), pull.body);
        assert.equal(inBranch(`show ${head}:README.md`), prompt);
      };
      await followUp('nobody did anything');
      assert.match(pull.body, /> hello[^]*> nobody did anything/);
      assert.equal(pull.title, 'Say hello');

      git(stage.walk.clone, 'fetch', '--quiet', stage.hosted.gitDir, head);
      git(stage.walk.clone, 'checkout', '--quiet', 'FETCH_HEAD');
      const theirs = commitFiles(stage.walk.clone, { 'theirs.md': 'theirs\n' });
      git(stage.walk.clone, 'push', '--quiet', stage.hosted.gitDir, `HEAD:refs/heads/${head}`);
      git(stage.walk.clone, 'checkout', '--quiet', 'main');
      await followUp('somebody pushed a commit');
      assert.equal(inBranch(`rev-parse ${head}^`), theirs);

      inBranch('update-ref refs/heads/release main');
      pull.base = 'release';
      const connected = await stage.walk.connect();
      assert.deepEqual(await connected.findOpen(head, noSignal), work.pullRequest);
      await followUp('somebody chose another base');
      assert.equal(pull.base, 'release');

      inBranch(`update-ref -d refs/heads/${head}`);
      await followUp('somebody deleted the branch');
      assert.equal(inBranch(`show ${head}:theirs.md`), 'theirs');
      assert.deepEqual(await stage.walk.warnings(id), []);
    });

    it('leaves a pull request alone that somebody has closed or merged', async () => {
      const { id, work } = await stage.walk.run('hello');
      const heads = [work.headCommit];
      for (const [index, state] of (['closed', 'merged'] as const).entries()) {
        const before = stage.hosted.pulls[index];
        assert.ok(before);
        before.state = state;
        const job = await stage.walk.followUp(id, `${state} before`);
        assert.equal(job.status, 'completed', job.error?.message);
        assert.equal(stage.hosted.pulls.length, index + 2);
        assert.equal(job.work.pullRequest?.number, stage.hosted.pulls.at(-1)?.number);
        assert.equal(before.state, state);
        assert.equal(git(stage.hosted.gitDir, 'rev-parse', before.head), heads.at(-1));
        heads.push(job.work.headCommit);
      }
      assert.equal(new Set(stage.hosted.pulls.map(({ head }) => head)).size, 3);
    });

    it('follows the template of the repository', async () => {
      const places = ['.gitlab/merge_request_templates/Default.md', '.gitea/pull_request_template.md'];
      places.push('.github/pull_request_template.md', '.azuredevops/pull_request_template.md');
      const files = Object.fromEntries(places.map((place) => [place, `Template of ${place}\n`]));
      commitFiles(stage.walk.clone, files);
      git(stage.walk.clone, 'push', '--quiet', stage.hosted.gitDir, 'main');
      await stage.walk.run('hello');
      const said = /Template of \S+/.exec(stage.onlyPull().body)?.[0];
      assert.equal(said, under.template && `Template of ${under.template}`);
    });

    it('gets a draft, labels and reviewers, each once', async () => {
      const { draftTitle = (title: string) => title, reviewer } = under;
      stage.walk.extras = {
        draft: true,
        labels: ['docs', 'bot'],
        ...(reviewer && { reviewers: [reviewer] }),
      };
      const { id, status, error } = await stage.walk.run('hello');
      assert.equal(status, 'completed', error?.message);
      const pull = stage.onlyPull();
      assert.equal(pull.draft, true);
      assert.equal(pull.title, draftTitle('Say hello'));
      assert.deepEqual(pull.labels, under.labels ? ['docs', 'bot'] : []);
      assert.deepEqual(pull.reviewers, reviewer ? [reviewer] : []);
      const warnings = await stage.walk.warnings(id);
      assert.equal(warnings.length, under.labels ? 0 : 1, warnings.join('\n'));
      pull.labels = [];
      pull.reviewers = [];
      const job = await stage.walk.followUp(id, 'good day');
      assert.equal(job.status, 'completed', job.error?.message);
      assert.deepEqual([pull.labels, pull.reviewers], [[], []], 'what a person took away stays away');
      assert.deepEqual([pull.draft, pull.title], [true, draftTitle('Say hello')]);
      assert.deepEqual(await stage.walk.warnings(id), warnings);
    });

    it('cuts title and body to what the host takes, with the id of the job', async () => {
      const { id, work } = await stage.walk.run('hello');
      const connected = await stage.walk.connect();
      const pull = work.pullRequest!;
      const { headCommit = '' } = work;
      const title = '𝒳'.repeat(200) + 'x'.repeat(300);
      const full = '𝒳'.repeat(connected.bodyLimit / 2);
      await connected.update(pull, { title, body: full, headCommit }, noSignal);
      assert.ok(stage.onlyPull().title.length <= under.titleLimit);
      assert.ok(stage.onlyPull().title.isWellFormed(), 'a character was cut in half');
      assert.ok(stage.onlyPull().body === full && connected.bodyLimit <= under.bodyLimit);
      const job = await stage.walk.followUp(id, 'word @kim fixes #1 '.repeat(1600));
      assert.equal(job.status, 'completed', job.error?.message);
      assert.deepEqual(await stage.walk.warnings(id), []);
      assert.ok(stage.onlyPull().body.length <= under.bodyLimit);
      assert.ok(stage.onlyPull().body.includes(id));
    });

    it('carries nothing of a prompt that the host would act on', async () => {
      await stage.walk.run('@kim fixes #1 and !2 and AB#3\n/merge\n<!-- x --><details>');
      const { body, title } = stage.onlyPull();
      for (const text of [body.replace(/<!-- docs-agent-job.*$/s, ''), title]) {
        assert.doesNotMatch(text, /@kim|#\d|!\d|^[ >]*\/merge|<!--|<details/m);
      }
    });
  });
  describeHostTroubles(name, under);
}
