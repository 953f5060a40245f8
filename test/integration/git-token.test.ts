import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { GitHubServer } from '../support/github-server.ts';
import { gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import { git, repositoryWithoutRemote, temporaryFolder } from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

/** The arguments of every process that there is at this moment. */
function commandLines(): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')];
    } catch {
      // It has ended since.
      return [];
    }
  });
}

describe('a token on its way to the host', () => {
  it('is not taken along when the host sends git elsewhere', async () => {
    using folder = temporaryFolder();
    await using elsewhere = await GitHubServer.start(path.join(folder.path, 'elsewhere'));
    const hosted = elsewhere.addProject('team/docs');
    const redirecting = createServer((request, response) => {
      response.writeHead(302, { location: elsewhere.origin + (request.url ?? '') }).end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    try {
      const host = `127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
      const hosts = { [host]: { token: elsewhere.token } };
      await using service = gitService(folder.path, { hosts });
      const project = projectOf(`http://${host}/${hosted.path}.git`);
      await assert.rejects(
        service.workspaces.inspect(project, noSignal),
        failsWith('repository_unavailable', /moved/),
      );
      assert.deepEqual(elsewhere.requests, []);
    } finally {
      redirecting.closeAllConnections();
      redirecting.close();
    }
  });

  it("replaces the person's own header and leaves their keychain alone when it is refused", async () => {
    using folder = temporaryFolder();
    await using server = await GitHubServer.start(path.join(folder.path, 'host'));
    const hosted = server.addProject('team/docs');
    const asked = path.join(folder.path, 'asked');
    const helper = path.join(folder.path, 'helper');
    writeFileSync(
      helper,
      `#!/bin/sh\necho "$1" >> ${asked}\necho username=kim; echo password=from-keychain\n`,
    );
    chmodSync(helper, 0o755);
    const config = path.join(folder.path, '.gitconfig');
    git(folder.path, 'config', '--file', config, 'credential.helper', helper);
    git(
      folder.path,
      'config',
      '--file',
      config,
      `http.${server.origin}/.extraHeader`,
      'Authorization: Basic cGVyc29u',
    );
    const hosts = { [server.host]: { kind: 'github' as const, token: 'ghp_refused_refused' } };
    await using service = gitService(folder.path, { hosts });
    await assert.rejects(
      service.workspaces.inspect(projectOf(hosted.url), noSignal),
      failsWith('authentication_failed', /does not accept the sign-in \(the service's configuration\)/),
    );
    assert.equal(existsSync(asked), false);
    const sent = Buffer.from('x-access-token:ghp_refused_refused').toString('base64');
    assert.ok(server.requests.length > 0);
    for (const request of server.requests) assert.equal(request.authorization, `Basic ${sent}`);
  });

  it("stays out of the process list and goes to its own host, whatever the person's addresses stand for", async () => {
    using folder = temporaryFolder();
    await using server = await GitHubServer.start(path.join(folder.path, 'host'));
    await using elsewhere = await GitHubServer.start(path.join(folder.path, 'elsewhere'));
    const hosted = server.addProject('team/docs');
    const clone = repositoryWithoutRemote(folder.path);
    git(clone, 'push', '--quiet', hosted.gitDir, 'main');
    git(clone, 'remote', 'add', 'origin', 'docs:team/docs.git');
    const stands = (base: string, name: string, value: string): string =>
      git(
        folder.path,
        'config',
        '--file',
        path.join(folder.path, '.gitconfig'),
        '--add',
        `url.${base}.${name}`,
        value,
      );
    const withToken = `${server.origin.replace('//', `//me:${server.token}@`)}/`;
    stands(withToken, 'insteadOf', 'docs:');
    stands(withToken, 'insteadOf', `${server.origin}/`);
    stands(`${elsewhere.origin}/`, 'pushInsteadOf', `${server.origin}/`);
    const read: string[] = [];
    server.gitTrouble = () => {
      read.push(...commandLines());
      return undefined;
    };
    await using service = gitService(folder.path);
    for (const [index, place] of [clone, hosted.url].entries()) {
      const { head } = await pushedJob(service, place, { 'a.md': `${index}\n` }, `docs-agent/${index}`);
      assert.equal(git(hosted.gitDir, 'rev-parse', `docs-agent/${index}`), head);
      const { displayUrl } = await service.workspaces.inspect(projectOf(place), noSignal);
      assert.equal(displayUrl, hosted.url);
    }
    assert.deepEqual(elsewhere.requests, []);
    assert.ok(
      read.some((line) => line.includes('remote-http')),
      'nothing was seen',
    );
    assert.deepEqual(
      read.filter((line) => line.includes(server.token)),
      [],
    );
  });

  it('never crosses an open network in the clear', async () => {
    using folder = temporaryFolder();
    const hosts = { 'git.example.org': { token: 'ghp_secret_secret' } };
    await using service = gitService(folder.path, { hosts });
    assert.equal(await service.credentials.find('http://git.example.org/a/b', 'docs', noSignal), undefined);
    assert.ok(await service.credentials.find('https://git.example.org/a/b', 'docs', noSignal));
  });
});
