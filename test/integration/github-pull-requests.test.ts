import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { GitHubCodeHost } from '../../src/adapters/hosts/github/github-code-host.ts';
import type { HostedProject } from '../support/code-host.ts';
import { GitHubServer } from '../support/github-server.ts';
import { noSignal } from '../support/git-service.ts';
import { HostWalk } from '../support/host-walk.ts';
import { git, installHook, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('a pull request at GitHub', () => {
  let folder: TemporaryFolder;
  let server: GitHubServer;
  let hosted: HostedProject;
  let walk: HostWalk;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await GitHubServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('team/docs');
    walk = new HostWalk(server, hosted, { makeHost: (options) => new GitHubCodeHost(options) });
  });
  afterEach(async () => {
    await walk[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('is opened for review with a warning where there are no drafts', async () => {
    server.draftsSupported = false;
    walk.extras = { draft: true };
    const { id, status } = await walk.run('hello');
    assert.equal(status, 'completed');
    assert.deepEqual(
      hosted.pulls.map(({ draft }) => draft),
      [false],
    );
    assert.match((await walk.warnings(id)).join(), /GitHub has no drafts in this repository/);
  });

  it('is said to be no draft where an older server overlooks the wish', async () => {
    walk.extras = { draft: true };
    server.intercept = ({ method, url }) =>
      method === 'POST' && url.pathname.endsWith('/pulls')
        ? { status: 201, body: { number: 7, html_url: `${server.origin}/team/docs/pull/7`, state: 'open' } }
        : undefined;
    const { id, status } = await walk.run('hello');
    assert.equal(status, 'completed');
    assert.match((await walk.warnings(id)).join(), /GitHub has no drafts in this repository/);
  });

  it("has the service's extras where its project does not say otherwise", async () => {
    walk.defaultExtras = { draft: true, labels: ['docs'] };
    walk.extras = { draft: false };
    await walk.run('hello');
    const [pull] = hosted.pulls;
    assert.deepEqual([pull?.draft, pull?.labels], [false, ['docs']]);
  });

  it('asks teams as teams', async () => {
    walk.extras = { reviewers: ['kim', 'team/writers'] };
    await walk.run('hello');
    const asked = server.requests.find((request) => request.path.endsWith('/requested_reviewers'));
    assert.deepEqual(asked?.body, { reviewers: ['kim'], team_reviewers: ['writers'] });
  });

  it('names the reviewer that GitHub refuses, and asks no second time', async () => {
    walk.extras = { labels: ['docs'], reviewers: ['stranger'] };
    const { id, status } = await walk.run('hello');
    assert.equal(status, 'completed');
    const warnings = await walk.warnings(id);
    assert.match(warnings.join(), /reviewers .* could not be set: .*not a collaborator/);
    await walk.followUp(id, 'good day');
    assert.deepEqual(await walk.warnings(id), warnings);
    assert.deepEqual(hosted.pulls[0]?.labels, ['docs']);
  });

  it('has its extras added at a follow-up when the host was in trouble before', async () => {
    walk.extras = { labels: ['docs'] };
    server.intercept = ({ url }) =>
      url.pathname.endsWith('/labels') ? { status: 503, body: {} } : undefined;
    const { id, status } = await walk.run('hello');
    assert.equal(status, 'completed');
    assert.match((await walk.warnings(id)).join(), /labels .* could not be set: GitHub has trouble/);
    server.intercept = undefined;
    await walk.followUp(id, 'good day');
    assert.deepEqual(hosted.pulls[0]?.labels, ['docs']);
  });

  it('wants a token that is authorised for single sign-on', async () => {
    server.singleSignOn = true;
    const job = await walk.run('hello');
    assert.equal(job.error?.code, 'authentication_failed');
    assert.match(job.error.message, /single sign-on.*"Configure SSO"/);
    assert.equal(walk.agentRuns, 0);
  });

  it('waits for the second limit of requests', async () => {
    server.planned.push({
      status: 403,
      headers: { 'retry-after': '61' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    });
    const { id, status } = await walk.run('hello');
    assert.equal(status, 'active');
    assert.match((await walk.warnings(id)).join(), /no more requests.*in 2 minutes/);
    assert.equal((await walk.attempt(id)).status, 'completed');
  });

  it('is not looked for under the old name of a repository', async () => {
    server.planned.push({ status: 200, body: { full_name: 'team/handbook', permissions: { push: true } } });
    await assert.rejects(
      walk.connect(),
      failsWith('repository_unavailable', /is called team\/handbook at GitHub now.*set-url/),
    );
    server.planned.push({ status: 301, headers: { location: `${server.origin}/repositories/7` } });
    await assert.rejects(walk.connect(), failsWith('repository_unavailable', /has moved/));
  });

  it('is none of a fork of the same owner, and none of those that a server lists unasked', async () => {
    const connected = await walk.connect();
    const pull = (number: number, ref: string, repository: string | null) => ({
      number,
      html_url: '',
      state: 'open',
      head: { ref, repo: repository && { full_name: repository } },
    });
    const strange = [
      pull(1, 'docs-agent/y', 'team/docs'),
      pull(2, 'docs-agent/x', 'team/docs-fork'),
      pull(3, 'docs-agent/x', null),
    ];
    server.planned.push({ status: 200, body: strange });
    assert.equal(await connected.findOpen('docs-agent/x', noSignal), undefined);
    server.planned.push({ status: 200, body: [...strange, pull(4, 'docs-agent/x', 'Team/Docs')] });
    assert.equal((await connected.findOpen('docs-agent/x', noSignal))?.number, 4);
  });

  it('takes the spelling of a name as GitHub does', async () => {
    server.planned.push({ status: 200, body: { full_name: 'Team/DOCS', permissions: { push: true } } });
    await walk.connect();
  });

  it('fails by name when its base branch goes while the agent works', async () => {
    server.intercept = ({ method }) => {
      if (method === 'POST') git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main');
      return undefined;
    };
    const job = await walk.run('hello');
    assert.equal(job.error?.code, 'base_branch_missing', job.error?.message);
    assert.match(job.error.message, /main does not exist.*on the branch docs-agent\/.*by hand: http/);
  });
});

describe('git on its way to a code host', () => {
  let folder: TemporaryFolder;
  let server: GitHubServer;
  let hosted: HostedProject;
  let walk: HostWalk;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await GitHubServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('team/docs');
    walk = new HostWalk(server, hosted, { makeHost: (options) => new GitHubCodeHost(options) });
  });
  afterEach(async () => {
    await walk[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const triedAgain = async (sentence: RegExp, mend: () => void): Promise<void> => {
    const { id, status, error } = await walk.run('hello');
    assert.equal(status, 'active', `it is not tried again: ${error?.message}`);
    assert.match((await walk.warnings(id)).join(), sentence);
    mend();
    const job = await walk.attempt(id);
    assert.equal(job.status, 'completed', job.error?.message);
    assert.deepEqual([walk.agentRuns, hosted.pulls.length], [1, 1]);
  };
  const mend = (): void => {
    server.gitTrouble = undefined;
  };

  for (const trouble of ['reset', 500, 503, 429] as const) {
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      it(`is tried again after ${trouble} at ${service}`, async () => {
        server.gitTrouble = (method, { pathname }) =>
          method === 'POST' && pathname.endsWith(service) ? trouble : undefined;
        await triedAgain(/could not be reached|has trouble/, mend);
      });
    }
  }

  it('is tried again when the answer breaks off', async () => {
    server.gates.hold('after', 'POST', /git-receive-pack/).drop();
    const { id, status } = await walk.run('hello');
    // Git itself may have asked once more over another connection.
    const job = status === 'active' ? await walk.attempt(id) : await walk.job(id);
    assert.equal(job.status, 'completed', job.error?.message);
    assert.deepEqual([walk.agentRuns, hosted.pulls.length], [1, 1]);
  });

  it('is tried again when somebody else holds the ref', async () => {
    installHook(hosted.gitDir, 'update', 'mkdir -p "$(dirname "$1")"; : > "$1.lock"');
    await triedAgain(/Another process was changing/, () => {
      rmSync(path.join(hosted.gitDir, 'hooks', 'update'));
      rmSync(path.join(hosted.gitDir, 'refs', 'heads', 'docs-agent'), { recursive: true });
    });
  });

  it('takes another branch when the name of the prefix is taken', async () => {
    git(hosted.gitDir, 'update-ref', 'refs/heads/docs-agent', 'main');
    const job = await walk.run('hello');
    assert.equal(job.status, 'completed', job.error?.message);
    assert.match(hosted.pulls[0]?.head ?? '', /^docs-agent-hello-/);
  });
});
