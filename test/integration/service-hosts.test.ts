import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { AzureServer } from '../support/azure-server.ts';
import { BitbucketCloudServer } from '../support/bitbucket-cloud-server.ts';
import { BitbucketServer } from '../support/bitbucket-server.ts';
import type { CodeHostServer } from '../support/code-host.ts';
import { GiteaServer } from '../support/gitea-server.ts';
import { GitHubServer } from '../support/github-server.ts';
import { GitLabServer } from '../support/gitlab-server.ts';
import { KillableService } from '../support/killable-service.ts';
import { git, repositoryWithoutRemote, temporaryFolder } from '../support/repositories.ts';
import { serviceScript } from '../support/service-process.ts';

const kinds: readonly {
  readonly id: string;
  readonly path: string;
  readonly start: (folder: string) => Promise<CodeHostServer>;
}[] = [
  { id: 'github', path: 'team/docs', start: (folder) => GitHubServer.start(folder) },
  { id: 'gitlab', path: 'group/sub/docs', start: (folder) => GitLabServer.start(folder) },
  { id: 'gitea', path: 'team/docs', start: (folder) => GiteaServer.start(folder) },
  { id: 'bitbucket', path: 'team/docs', start: (folder) => BitbucketCloudServer.start(folder) },
  { id: 'bitbucket-server', path: 'DOCS/handbook', start: (folder) => BitbucketServer.start(folder) },
  { id: 'azure', path: 'DefaultCollection/My Docs/hand book', start: (folder) => AzureServer.start(folder) },
];

describe('one service and every kind of code host', function () {
  this.timeout(120_000);

  it('opens each pull request where its repository is, and shows each token to its own host only', async () => {
    using folder = temporaryFolder();
    const servers = await Promise.all(kinds.map(({ id, start }) => start(path.join(folder.path, id))));
    try {
      for (const [index, server] of servers.entries()) {
        server.token = `${server.token.slice(0, 20)}-${index}-${'x'.repeat(20)}`;
      }
      const hosts = Object.assign({}, ...servers.map(({ configuration }) => configuration)) as object;
      const config = { hosts, jobs: { pullRequest: { draft: true } } };
      await using service = await KillableService.start(path.join(folder.path, 'home'), {
        entry: serviceScript,
        config,
      });
      for (const [index, server] of servers.entries()) {
        const { id, path: place } = kinds[index]!;
        const hosted = server.addProject(place);
        const clone = repositoryWithoutRemote(path.join(folder.path, `clone-${id}`));
        git(clone, 'push', '--quiet', hosted.gitDir, 'main');
        git(clone, 'remote', 'add', 'origin', hosted.url);
        await service.client.putProject(id, { repository: clone });
        const created = await service.client.create(id, 'replace "log in" with "sign in"');
        await service.ended(id, created.id);
        const job = await service.client.get(id, created.id);
        assert.equal(job.status, 'completed', `${id}: ${job.error?.message}`);
        assert.ok(job.prLink?.startsWith(`${server.origin}/`), `${id}: ${job.prLink}`);
        const [pull] = hosted.pulls;
        assert.equal(pull?.draft, true, id);
        assert.match(git(hosted.gitDir, 'show', `${pull.head}:README.md`), /sign in/, id);
        rmSync(clone, { recursive: true });
      }
      for (const server of servers) {
        const strangers = servers.filter((other) => other !== server).map(({ token }) => token);
        for (const { authorization = '', path: place } of server.requests) {
          const shown = `${place} ${authorization} ${Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString()}`;
          for (const token of strangers) assert.equal(shown.includes(token), false, place);
        }
      }
      const log = readFileSync(path.join(service.folders.data, 'service.log'), 'utf8');
      for (const { token } of servers) assert.equal(log.includes(token), false, 'a token is in the log');
    } finally {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    }
  });
});
