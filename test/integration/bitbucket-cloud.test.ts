import assert from 'node:assert/strict';
import path from 'node:path';
import { BitbucketCloudHost } from '../../src/adapters/hosts/bitbucket/bitbucket-cloud-host.ts';
import { BitbucketCloudServer } from '../support/bitbucket-cloud-server.ts';
import type { HostedProject } from '../support/code-host.ts';
import { noSignal } from '../support/git-service.ts';
import { HostStand } from '../support/host-stand.ts';
import { git, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('Bitbucket Cloud as the code host', () => {
  let folder: TemporaryFolder;
  let server: BitbucketCloudServer;
  let hosted: HostedProject;
  let stand: HostStand;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await BitbucketCloudServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('team/docs');
    stand = new HostStand(folder.path, server, hosted, (options) => new BitbucketCloudHost(options));
  });
  afterEach(async () => {
    await stand[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('finds the open pull request of a branch, whatever its name holds, and not one of a fork', async () => {
    const repository = await stand.connect();
    const branch = 'docs-agent/ä"x" AND state';
    const request = await stand.pushed(branch.replaceAll(' ', '-'));
    const first = await repository.create(request, noSignal);
    assert.deepEqual(first, { number: 1, link: `${server.origin}/team/docs/pull-requests/1` });
    assert.deepEqual(await repository.create(request, noSignal), first);
    assert.equal(hosted.pulls[0]?.body, 'Text');
    const source = { branch: { name: 'job' }, repository: { full_name: 'stranger/docs' } };
    const foreign = { id: 9, title: 'x', state: 'OPEN', source };
    const gone = { ...foreign, source: { ...source, repository: null } };
    server.planned.push({ status: 200, body: { values: [foreign, gone] } });
    assert.equal(await repository.findOpen('job', noSignal), undefined);
  });

  it('gets the first one when another attempt was quicker', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('job');
    const first = await repository.create(request, noSignal);
    server.planned.push({ status: 200, body: { values: [] } });
    assert.deepEqual(await repository.create(request, noSignal), first);
    assert.equal(hosted.pulls.length, 1);
  });

  it('keeps reviewers and draft at an update, and who was there when it adds some', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    const kept = hosted.pulls[0]!;
    kept.reviewers = ['lee'];
    await repository.update(pull, { title: 'x'.repeat(300), body: 'New', headCommit: 'x' }, noSignal);
    assert.deepEqual([kept.reviewers, kept.draft, kept.body, kept.title.length], [['lee'], true, 'New', 255]);
    kept.draft = false;
    server.pageLimit = 1;
    const sam = server.members[2]!;
    await repository.requestReviewers?.(pull, ['KIM', sam.uuid, 'lee'], noSignal);
    assert.deepEqual([kept.reviewers, kept.draft, kept.body], [['lee', 'kim', 'sam'], false, 'New']);
  });

  it('tells whom it does not know, and whom nobody can tell apart, and adds the others', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    await assert.rejects(
      async () => repository.requestReviewers?.(pull, ['Alex', 'nobody', 'Kim Berg'], noSignal),
      failsWith('pull_request_failed', /nobody called Alex and nobody in team/),
    );
    assert.deepEqual(hosted.pulls[0]?.reviewers, ['kim']);
    await assert.rejects(
      async () => repository.requestReviewers?.(pull, ['author'], noSignal),
      failsWith('pull_request_failed', /is the author/),
    );
    assert.deepEqual(hosted.pulls[0].reviewers, ['kim']);
    server.membersRefused = true;
    await assert.rejects(
      async () => repository.requestReviewers?.(pull, ['lee'], noSignal),
      failsWith('permission_denied', /by their \{uuid\}/),
    );
    await repository.requestReviewers?.(pull, [server.members[1]!.uuid], noSignal);
    assert.deepEqual(hosted.pulls[0].reviewers, ['kim', 'lee']);
  });

  it('says when drafts are not known there', async () => {
    server.draftsSupported = false;
    const repository = await stand.connect();
    await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    assert.match(stand.warnings.join(), /a draft/);
  });

  it('tells the states of an ended pull request apart', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    assert.equal(await repository.state(pull, noSignal), 'open');
    for (const [state, meaning] of [
      ['MERGED', 'merged'],
      ['DECLINED', 'closed'],
      ['SUPERSEDED', 'closed'],
    ]) {
      server.intercept = () => ({
        status: 200,
        body: { id: 1, title: 'x', state, source: { branch: { name: 'job' } } },
      });
      assert.equal(await repository.state(pull, noSignal), meaning);
    }
  });

  it('tells before any work why it would fail', async () => {
    await assert.rejects(stand.connect('no/"such'), failsWith('base_branch_missing', /does not exist/));
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main');
    await assert.rejects(stand.connect(), failsWith('repository_empty', /no commit yet/));
    hosted.permission = 'none';
    assert.equal(await stand.place(hosted.url), 'repository_unavailable');
    server.token = 'ATCTT3xFfGN-another';
    assert.equal(await stand.place(hosted.url), 'authentication_failed');
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
      failsWith('pull_request_failed', /branch not found: missing/),
    );
    await assert.rejects(
      create({ body: 'x'.repeat(250_001) }),
      failsWith('pull_request_failed', /description Ensure this value has at most 250000/),
    );
    server.scopes = [];
    await assert.rejects(create({}), failsWith('permission_denied', /lack one or more.*needs write access/));
  });

  it('reads trouble as trouble', async () => {
    const repository = await stand.connect();
    const find = (): Promise<unknown> => repository.findOpen('job', noSignal);
    await stand.troubled({ status: 401 }, find, 'authentication_failed', /does not accept the sign-in/);
    await stand.troubled({ status: 429 }, find, 'network', /no more requests/);
    await stand.troubled({ status: 200, body: '<html>' }, find, 'pull_request_failed', /would not answer/);
    const message = `leaked ${server.token}`;
    await stand.troubled(
      { status: 400, body: { type: 'error', error: { message } } },
      find,
      'pull_request_failed',
      /leaked \[redacted\]/,
    );
    await stand.troubled({ status: 400, body: { error: 'x' } }, find, 'pull_request_failed', /refused: x/);
  });

  it('signs in as the token wants it', async () => {
    const signIn = async (entry: { token: string; username?: string }): Promise<string[]> => {
      const hosts = { [server.host]: { kind: 'bitbucket' as const, ...entry } };
      using elsewhere = temporaryFolder();
      const other = new HostStand(
        elsewhere.path,
        server,
        hosted,
        (options) => new BitbucketCloudHost(options),
        hosts,
      );
      server.requests.length = 0;
      const refusal = await other.connectError(hosted.url);
      await other.service[Symbol.asyncDispose]();
      const asked = server.requests.find((request) => request.path.startsWith('/2.0/'));
      return [asked?.authorization ?? '', refusal];
    };
    const basic = (username: string, token: string): string =>
      `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
    const [access] = await signIn({ token: 'ATCTT0123456789' });
    assert.equal(access, 'Bearer ATCTT0123456789');
    const [named] = await signIn({ token: 'ATCTT0123456789', username: 'x-token-auth' });
    assert.equal(named, 'Bearer ATCTT0123456789');
    const [api] = await signIn({ token: 'ATATT0123456789', username: 'kim@example.com' });
    assert.equal(api, basic('kim@example.com', 'ATATT0123456789'));
    const [password] = await signIn({ token: 'ATBB0123456789', username: 'kim' });
    assert.equal(password, basic('kim', 'ATBB0123456789'));
    const [gitOnly, refusal] = await signIn({
      token: 'ATATT0123456789',
      username: 'x-bitbucket-api-token-auth',
    });
    assert.equal(gitOnly, basic('x-bitbucket-api-token-auth', 'ATATT0123456789'));
    assert.match(refusal ?? '', /needs the account's e-mail address/);
  });

  it('brings the API token of an account to git and to requests, each with the name that it wants', async () => {
    server.token = 'ATATT3xFfGF0123456789abcdefghijklmno';
    server.account = 'kim@example.com';
    const hosts = {
      [server.host]: { kind: 'bitbucket' as const, token: server.token, username: server.account },
    };
    using elsewhere = temporaryFolder();
    const host = new HostStand(
      elsewhere.path,
      server,
      hosted,
      (options) => new BitbucketCloudHost(options),
      hosts,
    );
    const repository = await host.connect();
    const pull = await repository.create(await host.pushed('job'), noSignal);
    assert.equal(pull.number, 1);
    const basic = Buffer.from(`x-bitbucket-api-token-auth:${server.token}`).toString('base64');
    assert.equal(host.service.redactor.redact(`Basic ${basic}`), 'Basic [redacted]');
    await host.service[Symbol.asyncDispose]();
  });

  it('takes repositories of its own kind, in every spelling of a remote', async () => {
    for (const none of [
      undefined,
      '/a/b',
      'https://bitbucket.example.com/scm/a/b.git',
      'git@bitbucket.org.evil:a/b',
    ]) {
      assert.equal(await stand.place(none), 'left', none);
    }
    for (const url of [
      'git@bitbucket.org:a/b.git',
      'https://kim@bitbucket.org/a/b.git',
      'ssh://git@altssh.bitbucket.org:443/a/b.git',
    ]) {
      assert.equal(await stand.place(url), 'authentication_failed', url);
    }
    assert.equal(await stand.place(`${server.origin}/team/docs/more`), 'repository_unavailable');
    const repository = await stand.connect();
    assert.equal(
      repository.compareUrl('a/b#c', 'main'),
      `${server.origin}/team/docs/pull-requests/new?source=a%2Fb%23c&dest=team%2Fdocs%3A%3Amain`,
    );
  });
});
