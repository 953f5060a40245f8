import assert from 'node:assert/strict';
import path from 'node:path';
import { fetch as undiciFetch } from 'undici';
import { GitHubCodeHost } from '../../src/adapters/hosts/github/github-code-host.ts';
import type { HostedRepository } from '../../src/service/ports/code-host.ts';
import type { HostedProject } from '../support/code-host.ts';
import { GitHubServer } from '../support/github-server.ts';
import { type GitService, gitService, noSignal, projectOf } from '../support/git-service.ts';
import { git, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';
import { ClonePattern } from '../support/writers-clone.ts';

const branch = 'docs-agent/hello-1';

describe('github.com as the code host', () => {
  let folder: TemporaryFolder;
  let server: GitHubServer;
  let hosted: HostedProject;
  let service: GitService;
  let clone: string;
  /** Where requests were meant to go, with their credential. */
  let asked: string[];

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await GitHubServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('team/docs');
    using pattern = new ClonePattern();
    clone = pattern.copy(folder.path, hosted);
    const tree = git(hosted.gitDir, 'rev-parse', 'main^{tree}');
    const commit = git(hosted.gitDir, 'commit-tree', tree, '-p', 'main', '-m', 'Hello');
    git(hosted.gitDir, 'update-ref', `refs/heads/${branch}`, commit);
    service = gitService(folder.path, { env: { GITHUB_TOKEN: server.token } });
    asked = [];
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** The network of this test: what is for GitHub's interface comes to the server of the test. */
  const network = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    asked.push(`${url} ${new Headers(init?.headers).get('authorization')}`);
    const here = url.replace('https://api.github.com/', `${server.origin}/api/v3/`);
    return (undiciFetch as unknown as typeof fetch)(here, init);
  };

  const connect = async (remoteUrl: string): Promise<HostedRepository> => {
    const { credentials, redactor } = service;
    const fetch = network as typeof globalThis.fetch;
    const host = new GitHubCodeHost({ credentials, redactor, hosts: {}, fetch, version: '9.9.9' });
    const repository = { remoteUrl, displayUrl: '', checkout: undefined, docsRoot: '', baseBranch: 'main' };
    const connected = await host.connect(projectOf(clone), repository, noSignal);
    assert.ok(connected);
    return connected;
  };

  for (const remote of ['https://github.com/team/docs.git', 'git@github.com:team/docs.git']) {
    it(`gets, keeps, updates and ends one pull request for ${remote}`, async () => {
      const repository = await connect(remote);
      const request = {
        jobId: 'j',
        title: 'Say hello',
        body: 'Text',
        branch,
        baseBranch: 'main',
        baseCommit: '',
        headCommit: '',
        draft: false,
        warn: assert.fail,
      };
      const pull = await repository.create(request, noSignal);
      // The site's own address, whatever the server of this test calls itself.
      assert.deepEqual(pull, { number: 1, link: 'https://github.com/team/docs/pull/1' });
      assert.deepEqual(await repository.create(request, noSignal), pull);
      await repository.update(pull, { title: 'Say good day', body: 'New', headCommit: '' }, noSignal);
      const [kept, ...more] = hosted.pulls;
      assert.deepEqual([kept?.title, kept?.body, more], ['Say good day', 'New', []]);
      for (const state of ['open', 'closed', 'merged'] as const) {
        kept!.state = state;
        assert.equal(await repository.state(pull, noSignal), state);
      }
      assert.equal(
        repository.compareUrl(branch, 'main'),
        'https://github.com/team/docs/compare/main...docs-agent/hello-1?expand=1',
      );
      for (const one of asked) assert.ok(one.startsWith('https://api.github.com/repos/team/docs'), one);
      assert.ok(asked.every((one) => one.endsWith(` token ${server.token}`)));
    });
  }

  it('says which sign-in has expired', async () => {
    server.token = 'ghp_another0123456789';
    await assert.rejects(
      connect('https://github.com/team/docs'),
      failsWith('authentication_failed', /GitHub does not accept the sign-in \(GITHUB_TOKEN\)/),
    );
  });

  it('asks for the sign-in of the editor first where there is none', async () => {
    await service[Symbol.asyncDispose]();
    service = gitService(folder.path);
    await assert.rejects(
      connect('https://github.com/team/docs'),
      failsWith(
        'authentication_failed',
        /^There is no sign-in for github\.com\. Sign in to GitHub in the editor\. .* set GITHUB_TOKEN to it for the service\.$/,
      ),
    );
    assert.deepEqual(asked, []);
  });
});
