import assert from 'node:assert/strict';
import path from 'node:path';
import { BitbucketServerHost } from '../../src/adapters/hosts/bitbucket/bitbucket-server-host.ts';
import { BitbucketServer } from '../support/bitbucket-server.ts';
import type { HostedProject } from '../support/code-host.ts';
import { noSignal } from '../support/git-service.ts';
import { HostStand } from '../support/host-stand.ts';
import { git, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('Bitbucket Data Center as the code host', () => {
  let folder: TemporaryFolder;
  let server: BitbucketServer;
  let hosted: HostedProject;
  let stand: HostStand;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await BitbucketServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('DOCS/handbook');
    stand = new HostStand(folder.path, server, hosted, (options) => new BitbucketServerHost(options));
  });
  afterEach(async () => {
    await stand[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('finds instead of making a second one, whoever was first', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('docs-agent/ä/1');
    const first = await repository.create(request, noSignal);
    const link = `${server.origin}/projects/DOCS/repos/handbook/pull-requests/1`;
    assert.deepEqual(first, { number: 1, link });
    assert.deepEqual(await repository.create(request, noSignal), first);
    server.planned.push({ status: 200, body: { values: [] } });
    assert.deepEqual(await repository.create(request, noSignal), first);
    assert.equal(hosted.pulls.length, 1);
  });

  it('updates for the version that there is, once more when somebody was quicker', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    const kept = hosted.pulls[0]!;
    kept.reviewers = ['kim'];
    const update = (title: string): Promise<void> =>
      repository.update(pull, { title, body: 'New', headCommit: 'x' }, noSignal);
    await update('x'.repeat(300));
    assert.deepEqual([kept.body, kept.draft, kept.reviewers, kept.title.length], ['New', true, ['kim'], 255]);
    server.quickerPeople = 1;
    await update('Second');
    assert.equal(kept.title, 'Second');
    server.quickerPeople = 2;
    await assert.rejects(update('Third'), failsWith('pull_request_failed', /out-of-date information\.$/));
    assert.equal(kept.title, 'Second');
  });

  it('adds reviewers to those who are there, and tells whom it does not know', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    const kept = hosted.pulls[0]!;
    kept.reviewers = ['kim'];
    await repository.requestReviewers?.(pull, ['KIM', 'lee@CORP'], noSignal);
    assert.deepEqual([kept.reviewers, kept.title, kept.body], [['kim', 'Lee@corp'], 'Change', 'Text']);
    await assert.rejects(
      async () => repository.requestReviewers?.(pull, ['ki', 'stranger', 'kim.b@example.org'], noSignal),
      failsWith('pull_request_failed', /nobody called ki and stranger/),
    );
    assert.deepEqual(kept.reviewers, ['kim', 'Lee@corp', 'kimberley']);
  });

  it('goes on as after a close when somebody has deleted the pull request', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    hosted.pulls.length = 0;
    assert.equal(await repository.state(pull, noSignal), 'closed');
  });

  it('says when the server is older than drafts', async () => {
    server.draftsSupported = false;
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    assert.match(stand.warnings.join(), /does not know drafts/);
    await repository.update(pull, { title: 'New', body: '', headCommit: 'x' }, noSignal);
    assert.deepEqual([hosted.pulls[0]?.title, hosted.pulls[0]?.body], ['New', '']);
  });

  it('tells before any work why it would fail', async () => {
    const fails = (...[code, words]: Parameters<typeof failsWith>): Promise<void> =>
      assert.rejects(stand.connect(), failsWith(code, words));
    hosted.permission = 'read';
    await fails('permission_denied', /not push/);
    // Who may not see the lists learns it from the push.
    server.listsRefused = true;
    assert.ok(await stand.connect());
    hosted.permission = 'write';
    hosted.archived = true;
    await fails('permission_denied', /archived/);
    hosted.archived = false;
    await assert.rejects(stand.connect('mai'), failsWith('base_branch_missing', /mai does not exist/));
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main');
    await fails('repository_empty', /no commit yet/);
    hosted.permission = 'none';
    assert.equal(await stand.place(hosted.url), 'repository_unavailable');
    server.token = 'BBDC-another';
    assert.equal(await stand.place(hosted.url), 'authentication_failed');
  });

  it('finds a branch on a later page of those that hold its name', async () => {
    for (const name of ['a/main', 'b/main', 'c/main']) {
      git(hosted.gitDir, 'update-ref', `refs/heads/${name}`, 'main');
    }
    server.pageLimit = 1;
    assert.ok(await stand.connect());
  });

  it('names what creation refuses', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('job');
    git(hosted.gitDir, 'update-ref', 'refs/heads/same', 'main');
    const create = (change: object): Promise<unknown> =>
      repository.create({ ...request, ...change }, noSignal);
    await assert.rejects(create({ branch: 'same' }), failsWith('pull_request_failed', /nothing that main/));
    await assert.rejects(
      create({ branch: 'missing' }),
      failsWith('pull_request_failed', /"refs\/heads\/missing" does not exist in repository\.$/),
    );
    await assert.rejects(
      create({ body: 'x'.repeat(40_000) }),
      failsWith('pull_request_failed', /description size/),
    );
    hosted.archived = true;
    await assert.rejects(create({}), failsWith('permission_denied', /archived/));
  });

  it('reads trouble as trouble, and tells a missing right from a missing sign-in', async () => {
    const repository = await stand.connect();
    const find = (): Promise<unknown> => repository.findOpen('job', noSignal);
    const error = (exceptionName: string, message: string): object => ({
      errors: [{ message, exceptionName }],
    });
    const unauthorised = error('com.atlassian.bitbucket.AuthorisationException', 'You are not permitted.');
    await stand.troubled(
      { status: 401, body: unauthorised },
      find,
      'permission_denied',
      /You are not permitted\. The/,
    );
    const captcha = error('com.atlassian.bitbucket.auth.CaptchaRequiredAuthenticationException', 'CAPTCHA');
    await stand.troubled({ status: 403, body: captcha }, find, 'authentication_failed', /in the browser/);
    await stand.troubled({ status: 401 }, find, 'authentication_failed', /does not accept the sign-in/);
    await stand.troubled({ status: 503 }, find, 'network', /trouble/);
    await stand.troubled({ status: 200, body: '<html>' }, find, 'pull_request_failed', /would not answer/);
    for (const body of [{ errors: [null, 1, { exceptionName: 4 }] }, { errors: 'x' }, 'text', []]) {
      await stand.troubled({ status: 400, body }, find, 'pull_request_failed', /refused/);
    }
  });

  it('signs in with a token as such, and with an account of its own as an account', async () => {
    const authorization = async (entry: object): Promise<string | undefined> => {
      const hosts = { [server.host]: { kind: 'bitbucket-server' as const, ...entry } };
      using elsewhere = temporaryFolder();
      const other = new HostStand(
        elsewhere.path,
        server,
        hosted,
        (options) => new BitbucketServerHost(options),
        hosts,
      );
      server.requests.length = 0;
      await other.place(hosted.url);
      await other.service[Symbol.asyncDispose]();
      return server.requests.find((request) => request.path.startsWith('/rest/'))?.authorization;
    };
    assert.equal(await authorization({ token: server.token, username: 'kim' }), `Bearer ${server.token}`);
    assert.equal(
      await authorization({ token: 'older-token', username: 'x-token-auth' }),
      'Bearer older-token',
    );
    const basic = `Basic ${Buffer.from('kim:my own password').toString('base64')}`;
    assert.equal(await authorization({ token: 'my own password', username: 'kim' }), basic);
  });

  it('takes repositories of its own kind, in every spelling of a remote', async () => {
    for (const none of [undefined, '/a/b', 'https://bitbucket.org/a/b.git']) {
      assert.equal(await stand.place(none), 'left', none);
    }
    for (const url of [
      'https://bitbucket.example.com/scm/docs/b.git',
      'https://bitbucket.example.com/in/a/folder/scm/~kim/b.git',
      'ssh://git@bitbucket.example.com:7999/docs/b.git',
      'ssh://git@bitbucket.example.com:7999/~kim/b.git',
    ]) {
      assert.equal(await stand.place(url), 'authentication_failed', url);
    }
    assert.equal(await stand.place(`${server.origin}/docs/handbook/more`), 'repository_unavailable');
    const repository = await stand.connect();
    assert.equal(
      repository.compareUrl('a#b', 'main'),
      `${server.origin}/projects/DOCS/repos/handbook/pull-requests?create&sourceBranch=refs%2Fheads%2Fa%23b&targetBranch=refs%2Fheads%2Fmain`,
    );
  });
});

describe('Bitbucket Data Center with a context path', () => {
  it('is found there by its remote alone, also a personal project', async () => {
    using folder = temporaryFolder();
    const server = await BitbucketServer.start(path.join(folder.path, 'host'));
    server.site = '/bitbucket';
    const hosted = server.addProject('~kim/docs');
    await using stand = new HostStand(
      folder.path,
      server,
      hosted,
      (options) => new BitbucketServerHost(options),
    );
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    assert.equal(pull.number, 1);
    assert.match(
      repository.compareUrl('a', 'b') ?? '',
      /\/bitbucket\/users\/kim\/repos\/docs\/pull-requests/,
    );
  });
});
