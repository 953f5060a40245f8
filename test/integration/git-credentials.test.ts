import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseRemoteUrl } from '../../src/service/remote-url.ts';
import { type GitService, gitService, noSignal } from '../support/git-service.ts';
import { git, temporaryFolder } from '../support/repositories.ts';

/** A helper in the person's global configuration that answers like a keychain and writes down its questions. */
function keychain(folder: string, answer: string): { env: NodeJS.ProcessEnv; asked: string } {
  const asked = path.join(folder, 'asked');
  const helper = path.join(folder, 'helper');
  writeFileSync(
    helper,
    `#!/bin/sh\n[ "$1" = get ] || { echo "$1" >> ${asked}; exit; }\ncat > "$0.question"; cat "$0.question" >> ${asked}\n${answer}\n`,
  );
  chmodSync(helper, 0o755);
  git(folder, 'config', '--file', path.join(folder, '.gitconfig'), 'credential.helper', helper);
  return { env: {}, asked };
}

const url = 'https://github.com/o/r.git';

/** What the service does with the address of a project's remote before anything else. */
function remember(service: GitService, address: string): string {
  const remote = parseRemoteUrl(address);
  assert.ok(remote?.kind === 'http');
  service.credentials.remember(remote, 'docs');
  return remote.url;
}

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
    remember(third, 'https://from-address-1:x-oauth-basic@github.com/o/r.git');
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

  it("takes a token out of a remote's address, and no name of an organisation for one", async () => {
    using folder = temporaryFolder();
    const service = gitService(folder.path);
    const secretIn = async (address: string): Promise<string | undefined> => {
      const remote = remember(service, address);
      return (await service.credentials.find(remote, 'docs', noSignal))?.secret;
    };
    const hex = '0123456789abcdef0123456789abcdef01234567';
    for (const [userInfo, secret] of [
      ['ghp_0123456789abcdef', 'ghp_0123456789abcdef'],
      ['ghp_0123456789abcdef:x-oauth-basic', 'ghp_0123456789abcdef'],
      [hex, hex],
      ['kim:pass%2Fword-1', 'pass/word-1'],
      ['contoso-documentation', undefined],
      ['a-very-long-account-name-2026'.repeat(2), undefined],
      [hex.replace('7', '8'), hex.replace('7', '8')],
    ] as const) {
      const address = `https://${userInfo}@git.example.org/contoso-documentation/r`;
      assert.equal(await secretIn(address), secret, userInfo);
      if (secret !== undefined) assert.doesNotMatch(service.redactor.redact(`=${secret}=`), /[0-9]/);
    }
    // An address without it any more means that it counts no more.
    assert.equal(await secretIn('https://git.example.org/contoso-documentation/r'), undefined);
    // Azure DevOps offers its addresses in this form.
    const azure = 'https://contoso-documentation@dev.azure.com/contoso-documentation/docs/_git/docs';
    assert.equal(await secretIn(azure), undefined);
    assert.equal(service.redactor.redact(azure.replace(/\/\/.*@/, '//')), remember(service, azure));
    assert.equal(service.redactor.holds('contoso-documentation'), false);
  });

  it("asks a helper for the account that the remote's address names, and for any when it has no such", async () => {
    using folder = temporaryFolder();
    const { asked } = keychain(
      folder.path,
      `case "$(tail -n 1 "$0.question")" in
username=work) echo password=of-work-1 ;;
username=*) ;;
*) echo username=kim; echo password=of-kim-12 ;;
esac`,
    );
    const service = gitService(folder.path);
    const find = (address: string) => service.credentials.find(remember(service, address), 'docs', noSignal);
    assert.deepEqual(await find('https://work@github.com/o/r.git'), {
      username: 'work',
      secret: 'of-work-1',
      source: 'git credential',
    });
    assert.equal((await find('https://nobody@github.com/o/r.git'))?.secret, 'of-kim-12');
    assert.equal((await find('https://github.com/o/r.git'))?.secret, 'of-kim-12');
    const before = readFileSync(asked, 'utf8');
    await find('https://a%0Ahost=evil.org@github.com/o/r.git');
    const question = readFileSync(asked, 'utf8').slice(before.length);
    assert.match(question, /host=github\.com/);
    assert.doesNotMatch(question, /evil|username/);
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
