import assert from 'node:assert/strict';
import path from 'node:path';
import { inspect } from 'node:util';
import { fetch as undiciFetch } from 'undici';
import { GitHubCodeHost } from '../../src/adapters/hosts/github/github-code-host.ts';
import type { HostedRepository, NewPullRequest } from '../../src/service/ports/code-host.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import type { HostedProject } from '../support/code-host.ts';
import { GitHubServer } from '../support/github-server.ts';
import { type GitService, gitService, noSignal, projectOf } from '../support/git-service.ts';
import {
  commitFiles,
  git,
  repositoryWithoutRemote,
  snapshotRepository,
  someDocs,
  type TemporaryFolder,
  temporaryFolder,
  writeFiles,
} from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('GitHub as the code host', () => {
  let folder: TemporaryFolder;
  let server: GitHubServer;
  let hosted: HostedProject;
  let clone: string;
  let service: GitService;
  let host: GitHubCodeHost;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await GitHubServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('team/docs');
    clone = repositoryWithoutRemote(folder.path, someDocs);
    // The server wants a token; the first push goes past it.
    git(clone, 'push', '--quiet', hosted.gitDir, 'main');
    git(clone, 'remote', 'add', 'origin', hosted.url);
    service = gitService(folder.path, { hosts: server.configuration });
    host = makeHost(service, server);
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const connect = async (): Promise<HostedRepository> => {
    const project = projectOf(clone, { baseBranch: 'main' });
    const repository = await service.workspaces.inspect(project, noSignal);
    const connected = await host.connect(project, repository, noSignal);
    assert.ok(connected);
    return connected;
  };

  const pushed = async (branch: string): Promise<NewPullRequest> => {
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, { 'README.md': 'changed\n' });
    const headCommit = (await workspace.commit('Change', {})) ?? '';
    await service.workspaces.push(project, branch, headCommit, noSignal);
    const { baseCommit } = workspace;
    return {
      jobId: 'j',
      title: 'Change',
      body: 'Text',
      branch,
      baseBranch: 'main',
      baseCommit,
      headCommit,
      draft: false,
      warn: () => {},
    };
  };

  it('goes from a sentence to a pull request, fetching and pushing with the token', async () => {
    const before = snapshotRepository(clone);
    const repository = await connect();
    const request = await pushed('docs-agent/ä 1'.replace(' ', '-'));
    assert.equal(await repository.findOpen(request.branch, noSignal), undefined);
    const pull = await repository.create(request, noSignal);
    assert.deepEqual(pull, { number: 1, link: `${server.origin}/team/docs/pull/1` });
    assert.deepEqual(await repository.findOpen(request.branch, noSignal), pull);
    assert.equal(git(hosted.gitDir, 'rev-parse', request.branch), request.headCommit);
    assert.equal(await repository.state(pull, noSignal), 'open');
    assert.equal(snapshotRepository(clone), before);
  });

  it('finds instead of making a second one, whoever was first', async () => {
    const repository = await connect();
    const request = await pushed('job');
    const first = await repository.create(request, noSignal);
    assert.deepEqual(await repository.create(request, noSignal), first);
    // Made by another attempt between the look and the creation: GitHub answers 422.
    server.planned.push({ status: 200, body: [] });
    assert.deepEqual(await repository.create(request, noSignal), first);
    assert.equal(hosted.pulls.length, 1);
  });

  it('updates title and body, cut to what GitHub takes, and reads the state', async () => {
    const repository = await connect();
    const pull = await repository.create(await pushed('job'), noSignal);
    await repository.update(
      pull,
      { title: '𝒳'.repeat(200) + 'x'.repeat(300), body: 'New', headCommit: 'x' },
      noSignal,
    );
    const kept = hosted.pulls[0];
    assert.ok(kept);
    assert.equal(kept.body, 'New');
    assert.equal(kept.title, `${'𝒳'.repeat(127)}…`);
    kept.state = 'closed';
    assert.equal(await repository.state(pull, noSignal), 'closed');
    kept.state = 'merged';
    assert.equal(await repository.state(pull, noSignal), 'merged');
    assert.equal(await repository.findOpen('job', noSignal), undefined);
  });

  it('tells before any work why it would fail', async () => {
    hosted.archived = true;
    await assert.rejects(connect(), failsWith('permission_denied', /archived/));
    hosted.archived = false;
    hosted.permission = 'read';
    await assert.rejects(connect(), failsWith('permission_denied', /not push/));
    hosted.permission = 'none';
    await assert.rejects(connect(), failsWith('repository_unavailable', /not found at GitHub/));
    hosted.permission = 'write';
    git(hosted.gitDir, 'update-ref', 'refs/heads/other/branch', 'main');
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main');
    await assert.rejects(connect(), failsWith('base_branch_missing', /main does not exist/));
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/other/branch');
    await assert.rejects(connect(), failsWith('repository_empty', /no commit yet/));
  });

  it('finds a base branch with slashes', async () => {
    git(hosted.gitDir, 'update-ref', 'refs/heads/release/2 ü'.replace(' ', '-'), 'main');
    const project = projectOf(clone, { baseBranch: 'release/2-ü' });
    const repository = await service.workspaces.inspect(project, noSignal);
    const connected = await host.connect(project, repository, noSignal);
    assert.equal(
      connected?.compareUrl('a/b#c', 'release/2-ü'),
      `${server.origin}/team/docs/compare/release/2-%C3%BC...a/b%23c?expand=1`,
    );
  });

  it('names what creation refuses', async () => {
    const repository = await connect();
    const request = await pushed('job');
    const main = git(hosted.gitDir, 'rev-parse', 'main');
    git(hosted.gitDir, 'update-ref', 'refs/heads/same', main);
    const create = (change: Partial<NewPullRequest>) =>
      repository.create({ ...request, ...change }, noSignal);
    await assert.rejects(
      create({ branch: 'same' }),
      failsWith('pull_request_failed', /nothing that main does not/),
    );
    await assert.rejects(create({ branch: 'missing' }), failsWith('pull_request_failed', /did not open/));
    await assert.rejects(
      create({ body: 'x'.repeat(70_000) }),
      failsWith('pull_request_failed', /body is too long/),
    );
    hosted.permission = 'read';
    await assert.rejects(create({}), failsWith('permission_denied', /write access to contents/));
  });

  it('reads trouble as trouble: rate limits, outages, redirects, nonsense', async () => {
    const repository = await connect();
    const trouble: [object, Parameters<typeof failsWith>, boolean][] = [
      [
        {
          status: 403,
          headers: {
            'x-ratelimit-remaining': '0',
            'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 290),
          },
        },
        ['network', /no more requests.*5 minutes/],
        true,
      ],
      [{ status: 403, headers: { 'retry-after': '30' } }, ['network', /a minute/], true],
      [{ status: 429 }, ['network', /Try again later/], true],
      [{ status: 502, body: '<html>' }, ['network', /trouble/], true],
      [
        { status: 401, body: { message: 'Bad credentials' } },
        ['authentication_failed', /service's configuration/],
        false,
      ],
      [
        { status: 301, headers: { location: 'http://127.0.0.1:9/elsewhere' } },
        ['repository_unavailable', /moved/],
        false,
      ],
      [{ status: 200, body: { surprise: true } }, ['pull_request_failed', /would not answer/], false],
    ];
    for (const [answer, [code, words], retryable] of trouble) {
      server.planned.push(answer as { status: number });
      await assert.rejects(repository.findOpen('job', noSignal), (error: unknown) => {
        failsWith(code, words)(error);
        assert.equal(error instanceof ServiceError && error.retryable, retryable, JSON.stringify(answer));
        assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), new RegExp(server.token));
        return true;
      });
    }
    const gone = AbortSignal.abort(new Error('stop now'));
    await assert.rejects(repository.findOpen('job', gone), /stop now/);
    await server[Symbol.asyncDispose]();
    await assert.rejects(repository.findOpen('job', noSignal), failsWith('network', /could not be reached/));
  });

  it('translates what git over HTTP refuses, without the token in any error', async () => {
    const project = projectOf(clone);
    const fails = async (code: Parameters<typeof failsWith>[0], words: RegExp): Promise<void> => {
      await assert.rejects(pushed('job'), (error: unknown) => {
        failsWith(code, words)(error);
        const text = inspect(error, { depth: 10 });
        assert.equal(text.includes(server.token), false);
        assert.equal(text.includes(Buffer.from(`x-access-token:${server.token}`).toString('base64')), false);
        return true;
      });
    };
    hosted.refusePush = 'GH013: Repository rule violations found';
    await fails('push_rejected', /GH013/);
    hosted.refusePush = undefined;
    hosted.permission = 'read';
    await fails('permission_denied', /write access/);
    hosted.permission = 'none';
    await fails('repository_unavailable', /not found/);
    hosted.permission = 'write';
    await using strangers = gitService(path.join(folder.path, 'strangers'));
    await assert.rejects(
      strangers.workspaces.inspect(project, noSignal),
      failsWith('authentication_failed', /Sign in again/),
    );
    const wrong = { [server.host]: { kind: 'github' as const, token: 'ghp_wrongwrongwrong' } };
    await using mistaken = gitService(path.join(folder.path, 'mistaken'), { hosts: wrong });
    await assert.rejects(
      mistaken.workspaces.inspect(project, noSignal),
      failsWith('authentication_failed', /does not accept the sign-in \(the service's configuration\)/),
    );
  });

  it('takes repositories of GitHub only, in every spelling of a remote', async () => {
    const place = async (remoteUrl: string | undefined): Promise<string> => {
      const repository = { remoteUrl, displayUrl: '', checkout: undefined, docsRoot: '', baseBranch: 'main' };
      try {
        return (await host.connect(projectOf(clone), repository, noSignal)) ? 'taken' : 'left';
      } catch (error) {
        return (error as ServiceError).code;
      }
    };
    for (const none of [
      undefined,
      '/a/b',
      'https://gitlab.com/a/b.git',
      'git@github.com.evil.org:a/b.git',
      'https://notgithub.com/a/b',
      'https://evil.org/github.com/a/b',
    ]) {
      assert.equal(await place(none), 'left', none);
    }
    for (const url of [
      'git@github.com:a/b.git',
      'https://github.com/a/b',
      'ssh://git@github.com/a/b.git',
      'ssh://git@ssh.github.com:443/a/b.git',
      'git://github.com/a/b.git',
    ]) {
      // Ours, and without a sign-in nothing is sent anywhere.
      assert.equal(await place(url), 'authentication_failed', url);
    }
    assert.equal(await place('https://github.com/a/b/c'), 'repository_unavailable');
    assert.equal(await place(`${server.origin}/team/docs`), 'taken');
  });
});

function makeHost(service: GitService, server: GitHubServer): GitHubCodeHost {
  return new GitHubCodeHost({
    credentials: service.credentials,
    redactor: service.redactor,
    hosts: server.configuration,
    fetch: undiciFetch as unknown as typeof fetch,
    version: '0.0.0',
  });
}

describe('a pull request on a repository that moves on', () => {
  it('keeps the recorded base', async () => {
    using folder = temporaryFolder();
    await using server = await GitHubServer.start(path.join(folder.path, 'host'));
    const hosted = server.addProject('team/docs');
    const clone = repositoryWithoutRemote(folder.path);
    git(clone, 'push', '--quiet', hosted.gitDir, 'main');
    git(clone, 'remote', 'add', 'origin', hosted.url);
    await using service = gitService(folder.path, { hosts: server.configuration });
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    commitFiles(clone, { 'later.md': 'x\n' });
    git(clone, 'push', '--quiet', hosted.gitDir, 'main');
    writeFiles(workspace.directory, { 'README.md': 'changed\n' });
    const commit = (await workspace.commit('Change', {})) ?? '';
    await service.workspaces.push(project, 'job', commit, noSignal);
    assert.equal(git(hosted.gitDir, 'rev-parse', 'job^'), workspace.baseCommit);
    assert.equal((await service.workspaces.merge(project, 'job', commit, 'Merge')).kind, 'merged');
    assert.equal(git(hosted.gitDir, 'show', 'main:later.md'), 'x');
  });
});
