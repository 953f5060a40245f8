import assert from 'node:assert/strict';
import path from 'node:path';
import { AzureCodeHost } from '../../src/adapters/hosts/azure/azure-code-host.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { AzureServer } from '../support/azure-server.ts';
import type { HostedProject } from '../support/code-host.ts';
import { noSignal, projectOf } from '../support/git-service.ts';
import { HostStand } from '../support/host-stand.ts';
import { git, type TemporaryFolder, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('Azure DevOps as the code host', () => {
  let folder: TemporaryFolder;
  let server: AzureServer;
  let hosted: HostedProject;
  let stand: HostStand;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = await AzureServer.start(path.join(folder.path, 'host'));
    hosted = server.addProject('DefaultCollection/My Docs/hand book');
    stand = new HostStand(folder.path, server, hosted, (options) => new AzureCodeHost(options));
  });
  afterEach(async () => {
    await stand[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('finds instead of making a second one, whoever was first, and links to the page for people', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('docs-agent/ä/1');
    const first = await repository.create(request, noSignal);
    const link = `${server.origin}/DefaultCollection/My%20Docs/_git/hand%20book/pullrequest/1`;
    assert.deepEqual(first, { number: 1, link });
    assert.deepEqual(await repository.create(request, noSignal), first);
    server.planned.push({ status: 200, body: { value: [] } });
    assert.deepEqual(await repository.create(request, noSignal), first);
    assert.equal(hosted.pulls.length, 1);
  });

  it('leaves at an update what a person has set', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job', { draft: true }), noSignal);
    const kept = hosted.pulls[0]!;
    assert.equal(kept.draft, true);
    await repository.update(pull, { title: '𝒳'.repeat(500), body: 'New', headCommit: 'x' }, noSignal);
    assert.deepEqual([kept.draft, kept.title.length, kept.body], [true, 399, 'New']);
    kept.draft = false;
    await repository.update(pull, { title: 'Last', body: '', headCommit: 'x' }, noSignal);
    assert.deepEqual([kept.draft, kept.title, kept.body], [false, 'Last', '']);
    for (const [state, meaning] of [
      ['open', 'open'],
      ['merged', 'merged'],
      ['closed', 'closed'],
    ] as const) {
      kept.state = state;
      assert.equal(await repository.state(pull, noSignal), meaning);
    }
  });

  it('looks reviewers up, and tells whom it could not ask', async () => {
    const repository = await stand.connect();
    const pull = await repository.create(await stand.pushed('job'), noSignal);
    await assert.rejects(
      async () =>
        repository.requestReviewers?.(
          pull,
          ['Alex', 'gone', 'onlooker', 'nobody', 'kim@example.org'],
          noSignal,
        ),
      failsWith('pull_request_failed', /nobody called Alex, gone, nobody and onlooker who may review/),
    );
    assert.deepEqual(hosted.pulls[0]?.reviewers, ['kim']);
    server.identitiesRefused = true;
    await assert.rejects(
      async () => repository.requestReviewers?.(pull, ['lee'], noSignal),
      failsWith('permission_denied', /"Identity \(read\)"/),
    );
  });

  it('names a token that it does not know, in whichever way it says so', async () => {
    server.token = 'another-0123456789';
    for (const refusal of ['page', 'redirect', 'status'] as const) {
      server.refusal = refusal;
      assert.match(
        await stand.connectError(hosted.url),
        /does not accept the sign-in \(the service's configuration\)/,
        refusal,
      );
      assert.equal(await stand.place(hosted.url), 'authentication_failed', refusal);
    }
  });

  it('tells before any work why it would fail', async () => {
    git(hosted.gitDir, 'update-ref', 'refs/heads/main-2', 'main');
    await assert.rejects(stand.connect('mai'), failsWith('base_branch_missing', /mai does not exist/));
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main-2');
    git(hosted.gitDir, 'update-ref', '-d', 'refs/heads/main');
    await assert.rejects(stand.connect(), failsWith('repository_empty', /no commit yet/));
    hosted.archived = true;
    await assert.rejects(stand.connect(), failsWith('permission_denied', /disabled/));
    hosted.permission = 'none';
    assert.equal(await stand.place(hosted.url), 'repository_unavailable');
  });

  it('names what creation refuses', async () => {
    const repository = await stand.connect();
    const request = await stand.pushed('job');
    const create = (change: object): Promise<unknown> =>
      repository.create({ ...request, ...change }, noSignal);
    await assert.rejects(
      create({ branch: 'missing' }),
      failsWith('pull_request_failed', /missing or main does not exist in My Docs\/hand book/),
    );
    await assert.rejects(
      create({ body: 'x'.repeat(4001) }),
      failsWith('pull_request_failed', /at most 4000 characters/),
    );
    hosted.permission = 'read';
    await assert.rejects(create({}), failsWith('permission_denied', /PullRequestContribute.*"Contribute"/));
  });

  it('reads trouble as trouble, and repeats no token in any of its forms', async () => {
    const repository = await stand.connect();
    const find = (): Promise<unknown> => repository.findOpen('job', noSignal);
    const encoded = Buffer.from(`:${server.token}`).toString('base64');
    await stand.troubled(
      { status: 400, body: { message: `You sent Basic ${encoded}` } },
      find,
      'pull_request_failed',
      /You sent Basic \[redacted\]/,
    );
    await stand.troubled({ status: 503 }, find, 'network', /trouble/);
    await stand.troubled({ status: 429, headers: { 'retry-after': '30' } }, find, 'network', /a minute/);
    await stand.troubled({ status: 200, body: 'page' }, find, 'pull_request_failed', /would not answer/);
    await stand.troubled({ status: 301 }, find, 'repository_unavailable', /moved/);
  });

  it('opens the page of a new pull request by hand', async () => {
    const repository = await stand.connect();
    assert.equal(
      repository.compareUrl('a#b', 'main'),
      `${server.origin}/DefaultCollection/My%20Docs/_git/hand%20book/pullrequestcreate?sourceRef=a%23b&targetRef=main`,
    );
  });
});

describe('remotes of Azure DevOps', () => {
  /** The addresses that are asked, with what signs in, for a remote; the host knows `kim` to review. */
  async function asked(remoteUrl: string, secret?: string): Promise<string[]> {
    return (await requestsFor(remoteUrl, secret)).map((request) => request.split(' ')[2] ?? 'left');
  }

  async function requestsFor(remoteUrl: string, secret = 'a-personal-access-token'): Promise<string[]> {
    const requests: string[] = [];
    const host = new AzureCodeHost({
      credentials: { find: async () => ({ username: 'docs-agent', secret, source: 'a test' }) },
      hosts: {
        'tfs.example.org': { kind: 'azure' },
        'proxied.example.org': { kind: 'azure', apiUrl: 'https://api.example.org/x' },
      },
      redactor: new Redactor(),
      version: '0',
      fetch: async (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input);
        url.search = '';
        requests.push(`${new Headers(init?.headers).get('authorization')} ${url.href}`);
        return Response.json({ id: '1', value: [{ name: 'refs/heads/main', id: '2' }], pullRequestId: 1 });
      },
    });
    const repository = { remoteUrl, displayUrl: '', checkout: undefined, docsRoot: '', baseBranch: 'main' };
    const connected = await host.connect(projectOf('/x'), repository, noSignal);
    if (connected === undefined) return ['left'];
    await connected.requestReviewers?.({ number: 1, link: '' }, ['kim'], noSignal);
    const lookup = requests.find((request) => request.includes('/identities'));
    return [requests[0] ?? '', lookup ?? ''];
  }

  const repository = '_apis/git/repositories/docs';
  const rows: [remote: string, repositoryUrl: string, identities: string][] = [
    [
      'https://dev.azure.com/org/My%20Docs/_git/docs',
      `https://dev.azure.com/org/My%20Docs/${repository}`,
      'https://vssps.dev.azure.com/org/_apis/identities',
    ],
    [
      'https://org@dev.azure.com/org/p/_git/_optimized/docs',
      `https://dev.azure.com/org/p/${repository}`,
      'https://vssps.dev.azure.com/org/_apis/identities',
    ],
    [
      'https://dev.azure.com/org/_git/docs',
      `https://dev.azure.com/org/docs/${repository}`,
      'https://vssps.dev.azure.com/org/_apis/identities',
    ],
    [
      'git@ssh.dev.azure.com:v3/org/My%20Docs/docs',
      `https://dev.azure.com/org/My%20Docs/${repository}`,
      'https://vssps.dev.azure.com/org/_apis/identities',
    ],
    [
      'org@vs-ssh.visualstudio.com:v3/org/p/docs',
      `https://dev.azure.com/org/p/${repository}`,
      'https://vssps.dev.azure.com/org/_apis/identities',
    ],
    [
      'https://org.visualstudio.com/p/_git/docs',
      `https://org.visualstudio.com/p/${repository}`,
      'https://org.vssps.visualstudio.com/_apis/identities',
    ],
    [
      'https://org.visualstudio.com/DefaultCollection/_git/docs',
      `https://org.visualstudio.com/DefaultCollection/docs/${repository}`,
      'https://org.vssps.visualstudio.com/DefaultCollection/_apis/identities',
    ],
    [
      'https://tfs.example.org/tfs/Coll/p/_git/docs',
      `https://tfs.example.org/tfs/Coll/p/${repository}`,
      'https://tfs.example.org/tfs/Coll/_apis/identities',
    ],
    [
      'ssh://tfs.example.org:22/Coll/_git/docs',
      `https://tfs.example.org/Coll/docs/${repository}`,
      'https://tfs.example.org/Coll/_apis/identities',
    ],
    [
      'https://proxied.example.org/Coll/p/_git/docs',
      `https://api.example.org/x/p/${repository}`,
      'https://api.example.org/x/_apis/identities',
    ],
  ];
  for (const [remote, repositoryUrl, identities] of rows) {
    it(`knows ${remote}`, async () => {
      assert.deepEqual(await asked(remote), [repositoryUrl, identities]);
    });
  }

  for (const remote of [
    'https://dev.azure.com/org/p/docs',
    'https://dev.azure.com/_git/docs',
    'https://dev.azure.com/org/p/_git',
    'https://dev.azure.com/org/p/_git/docs/more',
    'git@ssh.dev.azure.com:v2/org/p/docs',
  ]) {
    it(`does not know ${remote}`, async () => {
      await assert.rejects(asked(remote), failsWith('repository_unavailable', /_git\/name/));
    });
  }

  it('signs in with a token of a person as a password, with a signed one as its bearer', async () => {
    const remote = 'https://dev.azure.com/org/p/_git/docs';
    const personal = Buffer.from(':a-personal-access-token').toString('base64');
    for (const request of await requestsFor(remote)) assert.ok(request.startsWith(`Basic ${personal} `));
    const signed = 'eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJ4In0.c2lnbmF0dXJl';
    for (const request of await requestsFor(remote, signed))
      assert.ok(request.startsWith(`Bearer ${signed} `));
  });

  it('leaves what is of another host, also by its name alone', async () => {
    assert.deepEqual(await asked('https://dev.azure.com.evil.org/org/p/_git/docs'), ['left']);
    assert.deepEqual(await asked('https://evil.org/dev.azure.com/p/_git/docs'), ['left']);
  });
});
