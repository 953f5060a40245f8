import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gitService, noSignal } from '../support/git-service.ts';
import { git, temporaryFolder } from '../support/repositories.ts';

/** A helper in the person's global configuration that answers like a keychain and writes down its questions. */
function keychain(folder: string, answer: string): { env: NodeJS.ProcessEnv; asked: string } {
  const asked = path.join(folder, 'asked');
  const helper = path.join(folder, 'helper');
  writeFileSync(
    helper,
    `#!/bin/sh\n[ "$1" = get ] || { echo "$1" >> ${asked}; exit; }\ncat >> ${asked}\n${answer}\n`,
  );
  chmodSync(helper, 0o755);
  git(folder, 'config', '--file', path.join(folder, '.gitconfig'), 'credential.helper', helper);
  return { env: {}, asked };
}

const url = 'https://github.com/o/r.git';

describe('finding a credential', () => {
  it('goes by the order: configuration, environment, address, helper, editor', async () => {
    using folder = temporaryFolder();
    keychain(folder.path, 'echo username=kim; echo password=from-helper-1');
    const hosts = { 'github.com': { token: 'from-config-1', username: 'me' } };
    const env = { GITHUB_TOKEN: 'from-env-1234' };
    const all = gitService(folder.path, { env, hosts });
    all.hostTokens.set('docs', 'from-editor-1');
    const find = async (service: typeof all) => {
      const found = await service.credentials.find(url, 'docs', noSignal);
      if (found)
        assert.doesNotMatch(service.redactor.redact(`x ${found.secret} y`), /from-/, 'registered before');
      return found;
    };
    assert.deepEqual(await find(all), {
      username: 'me',
      secret: 'from-config-1',
      source: "the service's configuration",
    });
    const second = gitService(folder.path, { env });
    assert.equal((await find(second))?.source, 'GITHUB_TOKEN');
    const third = gitService(folder.path);
    third.hostTokens.set('docs', 'from-editor-1');
    third.credentials.remember(url, undefined, 'from-address-1');
    assert.equal((await find(third))?.secret, 'from-address-1');
    const fourth = gitService(folder.path);
    fourth.hostTokens.set('docs', 'from-editor-1');
    assert.deepEqual(await find(fourth), {
      username: 'kim',
      secret: 'from-helper-1',
      source: 'git credential',
    });
    keychain(folder.path, 'exit 0');
    assert.equal((await find(fourth))?.source, "the editor's GitHub session");
    fourth.hostTokens.set('docs', undefined);
    assert.equal(await find(fourth), undefined);
  });

  it('never gives a token to another host than its own, nor to a line that others read', async () => {
    using folder = temporaryFolder();
    const env = {
      GITHUB_TOKEN: 'from-env-1234',
      GH_TOKEN: 'from-env-5678',
      GH_ENTERPRISE_TOKEN: 'from-ghe-1234',
      GH_HOST: 'ghe.example.org',
    };
    const service = gitService(folder.path, { env, hosts: { 'github.com': { token: 'from-config-1' } } });
    service.hostTokens.set('docs', 'from-editor-1');
    const secret = async (remote: string) =>
      (await service.credentials.find(remote, 'docs', noSignal))?.secret;
    for (const other of [
      'https://gitlab.com/o/r',
      'https://github.com.evil.org/o/r',
      'https://github.com:8443/o/r',
      'http://github.com/o/r',
      'git://github.com/o/r',
      'https://evil.org/github.com',
      '/srv/github.com',
      'ext::github.com',
      'http://example.org/r',
    ]) {
      assert.equal(await secret(other), undefined, other);
    }
    assert.equal(await secret('https://github.com/o/r'), 'from-config-1');
    assert.equal(await secret('git@github.com:o/r.git'), 'from-config-1');
    assert.equal(await secret('https://ghe.example.org/o/r'), 'from-ghe-1234');
    const workflow = gitService(folder.path, {
      env: { ...env, GITHUB_SERVER_URL: 'https://ghe.example.org' },
    });
    assert.equal(
      (await workflow.credentials.find('https://ghe.example.org/o/r', 'docs', noSignal))?.secret,
      'from-env-1234',
    );
    assert.equal((await workflow.credentials.find(url, 'docs', noSignal))?.secret, 'from-env-5678');
    assert.equal((await service.credentials.find(url, 'other', noSignal))?.secret, 'from-config-1');
    const editorOnly = gitService(folder.path);
    editorOnly.hostTokens.set('docs', 'from-editor-1');
    assert.equal(await editorOnly.credentials.find(url, 'other', noSignal), undefined);
    assert.equal(await editorOnly.credentials.find('https://gitlab.com/o/r', 'docs', noSignal), undefined);
  });

  it("keeps the editor's session from another GitHub server, and finds a site by its own address", async () => {
    using folder = temporaryFolder();
    const service = gitService(folder.path, {
      hosts: {
        'ghe.example.org': { kind: 'github' },
        'ssh.example.net': { kind: 'gitlab', webUrl: 'https://code.example.net/git', token: 'from-config-1' },
      },
    });
    service.hostTokens.set('docs', 'from-editor-1');
    const find = (remote: string) => service.credentials.find(remote, 'docs', noSignal);
    assert.equal(await find('https://ghe.example.org/o/r.git'), undefined);
    assert.equal((await find('https://github.com/o/r.git'))?.secret, 'from-editor-1');
    const site = await find('https://code.example.net/git/o/r.git');
    assert.deepEqual([site?.username, site?.secret], ['oauth2', 'from-config-1']);
    assert.equal(await find('https://example.net/git/o/r.git'), undefined);
  });

  it('asks a helper for the path as the remote writes it', async () => {
    using folder = temporaryFolder();
    const { asked } = keychain(folder.path, 'echo username=kim; echo password=from-helper-1');
    git(
      folder.path,
      'config',
      '--file',
      path.join(folder.path, '.gitconfig'),
      'credential.useHttpPath',
      'true',
    );
    const service = gitService(folder.path);
    const remote = 'https://dev.azure.com/team/My%20Docs/_git/docs';
    assert.equal((await service.credentials.find(remote, 'docs', noSignal))?.username, 'kim');
    assert.ok(readFileSync(asked, 'utf8').split('\n').includes('path=team/My%20Docs/_git/docs'));
  });

  it('asks a helper about exactly this repository and takes no answer for another host', async () => {
    using folder = temporaryFolder();
    const { asked } = keychain(
      folder.path,
      'echo host=evil.org; echo username=kim; echo password=from-helper-1',
    );
    const service = gitService(folder.path);
    assert.equal(
      await service.credentials.find('https://git.example.org/a/b.git', 'docs', noSignal),
      undefined,
    );
    const question = readFileSync(asked, 'utf8').split('\n');
    for (const line of ['protocol=https', 'host=git.example.org']) assert.ok(question.includes(line), line);
  });

  it('never waits for somebody who is not there', async () => {
    using folder = temporaryFolder();
    const trap = path.join(folder.path, 'trap');
    writeFileSync(path.join(folder.path, 'ask'), `#!/bin/sh\ntouch ${trap}; echo x\n`, { mode: 0o755 });
    git(
      folder.path,
      'config',
      '--file',
      path.join(folder.path, '.gitconfig'),
      'core.askPass',
      path.join(folder.path, 'ask'),
    );
    const env = { GIT_ASKPASS: path.join(folder.path, 'ask'), SSH_ASKPASS: path.join(folder.path, 'ask') };
    const service = gitService(folder.path, { env });
    assert.equal(
      await service.credentials.find('https://git.example.org/a/b.git', 'docs', noSignal),
      undefined,
    );
    assert.equal(existsSync(trap), false);
  });
});
