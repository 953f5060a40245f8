import assert from 'node:assert/strict';
import path from 'node:path';
import { GitLabCodeHost } from '../../src/adapters/hosts/gitlab/gitlab-code-host.ts';
import { gitlabTitle, isDraftTitle } from '../../src/adapters/hosts/gitlab/gitlab-draft.ts';
import type { ServiceConfig } from '../../src/service/config.ts';
import type { HostedProject } from '../support/code-host.ts';
import { GitLabServer } from '../support/gitlab-server.ts';
import { noSignal, projectOf } from '../support/git-service.ts';
import { HostWalk } from '../support/host-walk.ts';
import { git, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('GitLab as the code host', () => {
  let folder: TemporaryFolder;
  let server: GitLabServer;
  let hosted: HostedProject;
  let walk: HostWalk;

  const begin = async (root = '', hosts?: (host: string) => ServiceConfig['hosts']): Promise<void> => {
    server = await GitLabServer.start(path.join(folder.path, 'host'), root);
    hosted = server.addProject('group/sub.group/my-docs');
    const known = hosts?.(server.host);
    walk = new HostWalk(server, hosted, {
      makeHost: (options) => new GitLabCodeHost(options),
      ...(known && { hosts: known }),
    });
  };

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await walk[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('works at a site that lives in a folder', async () => {
    await begin('/code/gitlab', (host) => ({
      [host]: { kind: 'gitlab', token: server.token, webUrl: `http://${host}/code/gitlab` },
    }));
    const job = await walk.run('hello');
    assert.equal(job.status, 'completed', job.error?.message);
    assert.equal(
      job.work.pullRequest?.link,
      `${server.origin}/code/gitlab/group/sub.group/my-docs/-/merge_requests/1`,
    );
    for (const { path: place } of server.requests) assert.ok(place.startsWith('/code/gitlab/'), place);
  });

  it('tells before any work why it would fail', async () => {
    await begin();
    server.mergeRequestsEnabled = false;
    await assert.rejects(walk.connect(), failsWith('permission_denied', /Merge requests are turned off/));
    server.mergeRequestsEnabled = true;
    hosted.permission = 'read';
    await assert.rejects(walk.connect(), failsWith('permission_denied', /role Developer/));
    hosted.permission = 'write';
    server.planned.push({
      status: 200,
      body: { id: 100, path_with_namespace: 'other/name', permissions: null },
    });
    await assert.rejects(walk.connect(), failsWith('repository_unavailable', /is called other\/name/));
    server.planned.push({
      status: 200,
      body: { id: 100, path_with_namespace: hosted.path, empty_repo: true },
    });
    await assert.rejects(walk.connect(), failsWith('repository_empty', /no commit yet/));
    const repository = await walk.service.workspaces.inspect(projectOf(walk.clone), noSignal);
    await assert.rejects(
      walk.host.connect(projectOf(walk.clone), { ...repository, baseBranch: 'gone/är' }, noSignal),
      failsWith('base_branch_missing', /gone\/är does not exist/),
    );
    assert.equal(
      await walk.host.connect(projectOf(walk.clone), { ...repository, remoteUrl: '/x' }, noSignal),
      undefined,
    );
    await assert.rejects(
      walk.host.connect(
        projectOf(walk.clone),
        { ...repository, remoteUrl: `${server.origin}/docs` },
        noSignal,
      ),
      failsWith('repository_unavailable', /group\/name/),
    );
  });

  it('takes the access that comes from elsewhere, and finds a base branch with slashes', async () => {
    await begin();
    git(hosted.gitDir, 'update-ref', 'refs/heads/release/2', 'main');
    const repository = await walk.service.workspaces.inspect(projectOf(walk.clone), noSignal);
    // The first look gives the project its number.
    await walk.connect();
    server.planned.push({
      status: 200,
      body: {
        id: 100,
        path_with_namespace: hosted.path,
        permissions: { project_access: null, group_access: null },
      },
    });
    const connected = await walk.host.connect(
      projectOf(walk.clone),
      { ...repository, baseBranch: 'release/2' },
      noSignal,
    );
    assert.match(
      connected?.compareUrl('a b', 'release/2') ?? '',
      /\/group\/sub\.group\/my-docs\/-\/merge_requests\/new\?merge_request%5Bsource_branch%5D=a\+b&/,
    );
  });

  it('says when the token has not the scope for it, with the work kept', async () => {
    await begin();
    server.scopeMissing = true;
    const job = await walk.run('hello');
    assert.equal(job.error?.code, 'permission_denied');
    assert.match(job.error.message, /scope "api".*The work is pushed, on the branch docs-agent\//);
  });

  it('leaves a draft that somebody has made ready, and one that somebody has made', async () => {
    await begin();
    walk.extras = { draft: true };
    const { id } = await walk.run('hello');
    const [pull] = hosted.pulls;
    assert.equal(pull?.title, 'Draft: Say hello');
    pull.title = 'Say hello';
    await walk.followUp(id, 'good day');
    assert.equal(pull.title, 'Say hello');
    pull.title = '[Draft] Say hello';
    await walk.followUp(id, 'good evening');
    assert.equal(pull.title, 'Draft: Say hello');
  });

  it('tells when only some of the reviewers were taken', async () => {
    await begin();
    server.mostReviewers = 1;
    walk.extras = { reviewers: ['kim', '@lee'] };
    const { id } = await walk.run('hello');
    assert.match((await walk.warnings(id)).join(), /only 1 of 2 reviewers/);
    assert.deepEqual(hosted.pulls[0]?.reviewers, ['kim']);
    walk.extras = { reviewers: ['nobody', 'lee'] };
    const second = await walk.run('good day');
    assert.match((await walk.warnings(second.id)).join(), /no account to review it by the name of nobody/);
    assert.deepEqual(hosted.pulls[1]?.reviewers, ['lee']);
  });

  it("does not take a fork's merge request of the same branch name for its own", async () => {
    await begin();
    const connected = await walk.connect();
    server.planned.push({
      status: 200,
      body: [{ iid: 7, web_url: 'x', title: 'x', state: 'opened', source_project_id: 7 }],
    });
    assert.equal(await connected.findOpen('job', noSignal), undefined);
  });

  it('goes on as after a close when somebody has deleted the merge request', async () => {
    await begin();
    const { id, work } = await walk.run('hello');
    server.intercept = ({ url }) =>
      url.pathname.endsWith('/merge_requests/1')
        ? { status: 404, body: { message: '404 Not found' } }
        : undefined;
    const job = await walk.followUp(id, 'good day');
    assert.equal(job.status, 'completed', job.error?.message);
    assert.equal(job.work.pullRequest?.number, 2);
    assert.notEqual(job.work.branch, work.branch);
  });

  it('links to its own site only', async () => {
    await begin();
    const connected = await walk.connect();
    server.planned.push({
      status: 200,
      body: [{ iid: 7, web_url: 'https://evil.org/x', title: 'x', state: 'opened', source_project_id: 100 }],
    });
    assert.deepEqual(await connected.findOpen('job', noSignal), {
      number: 7,
      link: `${server.origin}/group/sub.group/my-docs/-/merge_requests/7`,
    });
  });
});

describe('the title of a merge request', () => {
  it('is a draft only when one was asked for', () => {
    assert.equal(gitlabTitle('Say hello', true), 'Draft: Say hello');
    assert.equal(gitlabTitle('draft: WIP: Say hello', false), 'Say hello');
    assert.equal(gitlabTitle('[Draft] Say hello', true), 'Draft: Say hello');
    assert.equal(gitlabTitle('Draft:', false), 'Change');
    assert.equal(gitlabTitle('Drafts are kept', false), 'Drafts are kept');
    assert.equal(gitlabTitle('𝒳'.repeat(300), true), `Draft: ${'𝒳'.repeat(123)}…`);
    for (const title of ['Draft: x', '(draft) x', 'WIP: x', ' [DRAFT] x'])
      assert.ok(isDraftTitle(title), title);
    for (const title of ['Drafting', 'A draft: x', 'wipe']) assert.equal(isDraftTitle(title), false, title);
  });
});
