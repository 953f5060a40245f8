import assert from 'node:assert/strict';
import path from 'node:path';
import { GiteaCodeHost } from '../../src/adapters/hosts/gitea/gitea-code-host.ts';
import { noSignal } from '../support/git-service.ts';
import { GiteaServer } from '../support/gitea-server.ts';
import type { HostedProject } from '../support/code-host.ts';
import { HostStand } from '../support/host-stand.ts';
import { git, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('Gitea and Forgejo as the code host', () => {
  let folder: TemporaryFolder;
  let server: GiteaServer;
  let hosted: HostedProject;
  let stand: HostStand;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await GiteaServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('team/docs');
    stand = new HostStand(folder.path, server, hosted, (options) => new GiteaCodeHost(options));
  });
  afterEach(async () => {
    await stand[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('finds instead of making a second one, whoever was first', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('docs-agent/ä/1');
    const first = await repository.create(request, noSignal);
    assert.deepEqual(first, { number: 1, link: `${server.origin}/team/docs/pulls/1` });
    assert.deepEqual(await repository.create(request, noSignal), first);
    // Made by another attempt between the look and the creation: Gitea answers 409.
    server.planned.push({ status: 404 }, { status: 200, body: [] });
    assert.deepEqual(await repository.create(request, noSignal), first);
    assert.equal(hosted.pulls.length, 1);
  });

  it('finds the open one behind a closed one of the same branches, and one with another base', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('job');
    await repository.create(request, noSignal);
    hosted.pulls[0]!.state = 'closed';
    assert.equal(await repository.findOpen('job', noSignal), undefined);
    const second = await repository.create(request, noSignal);
    assert.equal(second.number, 2);
    assert.deepEqual(await repository.findOpen('job', noSignal), second);

    git(hosted.gitDir, 'update-ref', 'refs/heads/release', 'main');
    const other = await repository.create(await stand.pushed('other', { baseBranch: 'release' }), noSignal);
    assert.deepEqual(await repository.findOpen('other', noSignal), other);
  });

  it('looks through more open pull requests than one page holds', async () => {
    server.pageLimit = 3;
    const repository = await stand.connect();
    for (let number = 1; number <= 7; number++) {
      hosted.pulls.push({
        number,
        title: 'x',
        body: '',
        state: 'open',
        draft: false,
        labels: [],
        reviewers: [],
        head: `job${number}`,
        base: 'elsewhere',
      });
    }
    assert.equal((await repository.findOpen('job7', noSignal))?.number, 7);
    assert.equal(await repository.findOpen('job8', noSignal), undefined);
  });

  it('keeps a draft a draft at every update, in the words of the server, until a person says otherwise', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    const kept = hosted.pulls[0]!;
    assert.deepEqual([kept.title, kept.draft], ['WIP: Change', true]);
    const update = (title: string): Promise<void> =>
      repository.update(pull, { title, body: 'New', headCommit: 'x' }, noSignal);
    await update('Second');
    assert.deepEqual([kept.title, kept.draft, kept.body], ['WIP: Second', true, 'New']);
    kept.title = '[wip] Second';
    await update('x'.repeat(300));
    assert.deepEqual([kept.draft, kept.title.length], [true, 255]);
    assert.match(kept.title, /^\[wip\] xxx.*…$/);
    server.tellsDrafts = false;
    kept.title = 'WIP: Third';
    await update('Fourth');
    assert.equal(kept.title, 'WIP: Fourth');
    kept.title = 'Fourth';
    await update('Fifth');
    assert.equal(kept.title, 'Fifth');
  });

  it('says when the server has other words for drafts', async () => {
    server.draftMarks = ['ENTWURF:'];
    const repository = await stand.connect();
    await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    assert.match(stand.warnings.join(), /is no draft/);
  });

  it('adds labels by their numbers, also those of the organisation, and tells which there are not', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    await repository.addLabels?.(pull, ['Docs', 'company-wide', 'docs'], noSignal);
    assert.deepEqual(hosted.pulls[0]?.labels, ['docs', 'company-wide']);
    await assert.rejects(
      async () => repository.addLabels?.(pull, ['agent', 'nowhere', 'never'], noSignal),
      failsWith('pull_request_failed', /does not have the labels nowhere and never\./),
    );
    assert.deepEqual(hosted.pulls[0]?.labels, ['docs', 'company-wide', 'Agent']);
    // A person's repository has no organisation to ask.
    server.organisationLabels = undefined;
    await assert.rejects(
      async () => repository.addLabels?.(pull, ['nowhere'], noSignal),
      failsWith('pull_request_failed', /the label nowhere\./),
    );
  });

  it('asks reviewers and teams one by one, so that an unknown one keeps off nobody', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    await assert.rejects(
      async () => repository.requestReviewers?.(pull, ['stranger', 'kim', 'team/writers'], noSignal),
      failsWith('pull_request_failed', /did not take stranger as a reviewer/),
    );
    assert.deepEqual(hosted.pulls[0]?.reviewers, ['kim', 'writers']);
  });

  it('tells before any work why it would fail', async () => {
    const fails = (...[code, words]: Parameters<typeof failsWith>): Promise<void> =>
      assert.rejects(stand.connect(), failsWith(code, words));
    hosted.archived = true;
    await fails('permission_denied', /archived/);
    hosted.archived = false;
    server.mirror = true;
    await fails('permission_denied', /mirror/);
    server.mirror = false;
    server.pullRequestsOff = true;
    await fails('permission_denied', /switched off/);
    server.pullRequestsOff = false;
    hosted.permission = 'read';
    await fails('permission_denied', /not push/);
    hosted.permission = 'write';
    await assert.rejects(
      stand.connect('no/such'),
      failsWith('base_branch_missing', /no\/such does not exist/),
    );
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main');
    await fails('repository_empty', /no commit yet/);
    hosted.permission = 'none';
    assert.equal(await stand.place(hosted.url), 'repository_unavailable');
    server.token = '0123456789abcdef0123456789abcdef89abcdef';
    assert.equal(await stand.place(hosted.url), 'authentication_failed');
  });

  it('goes on as after a close when somebody has deleted the pull request', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    hosted.pulls.length = 0;
    assert.equal(await repository.state(pull, noSignal), 'closed');
    hosted.permission = 'write';
    server.planned.push({ status: 403 });
    await assert.rejects(repository.state(pull, noSignal), failsWith('permission_denied', /does not allow/));
  });

  it('names what creation refuses', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('job');
    const create = (change: object): Promise<unknown> =>
      repository.create({ ...request, ...change }, noSignal);
    await assert.rejects(create({ branch: 'main' }), failsWith('pull_request_failed', /nothing that main/));
    await assert.rejects(
      create({ branch: 'missing' }),
      failsWith('pull_request_failed', /missing or main does not exist/),
    );
    await assert.rejects(
      create({ body: 'x'.repeat(1_000_001) }),
      failsWith('pull_request_failed', /\[Body\]: MaxSize/),
    );
    hosted.permission = 'read';
    await assert.rejects(create({}), failsWith('permission_denied', /needs write access to repositories/));
    hosted.permission = 'write';
    hosted.archived = true;
    await assert.rejects(create({}), failsWith('permission_denied', /archived/));
  });

  it('reads trouble as trouble, and links nowhere else', async () => {
    const repository = await stand.connect();
    const find = (): Promise<unknown> => repository.findOpen('job', noSignal);
    await stand.troubled({ status: 401 }, find, 'authentication_failed', /does not accept the sign-in/);
    await stand.troubled({ status: 502, body: '<html>' }, find, 'network', /trouble/);
    await stand.troubled({ status: 429, headers: { 'retry-after': '90' } }, find, 'network', /2 minutes/);
    await stand.troubled({ status: 200, body: '<html>' }, find, 'pull_request_failed', /would not answer/);
    await stand.troubled(
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      find,
      'repository_unavailable',
      /moved/,
    );
    const words = `secret ${server.token} ${'long '.repeat(200)}`;
    await stand.troubled(
      { status: 403, body: { message: words } },
      find,
      'permission_denied',
      /\[redacted\]/,
    );
    const many = {
      message: 'first',
      errors: Array.from({ length: 5000 }, (_, index) => `complaint ${index}`),
    };
    await stand.troubled({ status: 403, body: many }, find, 'permission_denied', /^[^]{0,600}$/);
    const pull = { number: 4, state: 'open', title: 'x', head: { ref: 'job' }, base: { ref: 'main' } };
    const long = `${server.origin}/${'x'.repeat(3000)}`;
    for (const link of [long, 'https://evil.example/4', 'javascript:alert(1)', 'not a link', null]) {
      server.planned.push({ status: 200, body: { ...pull, html_url: link } });
      const found = await repository.findOpen('job', noSignal);
      assert.deepEqual(found, { number: 4, link: `${server.origin}/team/docs/pulls/4` });
    }
  });

  it('signs in with a token as such, and with an account of its own as an account', async () => {
    const authorization = async (entry: object): Promise<string | undefined> => {
      const hosts = { [server.host]: { kind: 'gitea' as const, ...entry } };
      using elsewhere = temporaryFolder();
      const other = new HostStand(elsewhere.path, server, hosted, (made) => new GiteaCodeHost(made), hosts);
      server.requests.length = 0;
      await other.place(hosted.url);
      await other.service[Symbol.asyncDispose]();
      return server.requests.find(({ path: asked }) => asked.startsWith('/api/'))?.authorization;
    };
    assert.equal(await authorization({ token: server.token }), `token ${server.token}`);
    assert.equal(await authorization({ token: server.token, username: 'kim' }), `token ${server.token}`);
    const basic = `Basic ${Buffer.from('kim:my own password').toString('base64')}`;
    assert.equal(await authorization({ token: 'my own password', username: 'kim' }), basic);
  });

  it('takes repositories of its own kind, in every spelling of a remote', async () => {
    for (const none of [
      undefined,
      '/a/b',
      'https://gitlab.com/a/b.git',
      'git@codeberg.org.evil.org:a/b.git',
    ]) {
      assert.equal(await stand.place(none), 'left', none);
    }
    for (const url of [
      'git@codeberg.org:a/b.git',
      'https://gitea.com/a/b',
      'ssh://git@forgejo.example.com:2222/a/b.git',
      'https://gitea.example.com/in/a/folder/a/b.git',
    ]) {
      // Ours, and without a sign-in nothing is sent anywhere.
      assert.equal(await stand.place(url), 'authentication_failed', url);
    }
    assert.equal(await stand.place(`${server.origin}/team`), 'repository_unavailable');
    const repository = await stand.connect();
    assert.equal(
      repository.compareUrl('a/b#c', 'release/2-ü'),
      `${server.origin}/team/docs/compare/release/2-%C3%BC...a/b%23c`,
    );
  });
});

describe('Gitea in a folder of its site', () => {
  it('is found there by its remote alone, for git and for requests', async () => {
    using folder = temporaryFolder();
    const server = await GiteaServer.start(path.join(folder.path, 'host'));
    server.site = '/tools/git';
    const hosted = server.addProject('team/docs');
    await using stand = new HostStand(folder.path, server, hosted, (options) => new GiteaCodeHost(options));
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    assert.equal(pull.link, `${server.origin}/tools/git/team/docs/pulls/1`);
  });
});
