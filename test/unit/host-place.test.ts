import assert from 'node:assert/strict';
import { parseConfig, type ServiceConfig } from '../../src/service/config.ts';
import { hostKindOf } from '../../src/service/host-kinds.ts';
import { configuredHost, hostPlace } from '../../src/service/host-place.ts';

const hosts: ServiceConfig['hosts'] = {
  'git.example.org:8443': { kind: 'gitlab' },
  'example.com': { kind: 'gitlab', webUrl: 'https://example.com/gitlab' },
  'ssh.example.net': { kind: 'gitea', webUrl: 'https://code.example.net/git', token: 't0ken' },
  'bb.example.org': { kind: 'bitbucket-server', apiUrl: 'https://bb-api.example.org/rest/api/latest' },
};

describe('where a repository stands', () => {
  const places: [remote: string, kind: string, webUrl: string, apiUrl: string, path: string][] = [
    ['git@github.com:o/r.git', 'github', 'https://github.com', 'https://api.github.com', 'o/r'],
    ['ssh://git@ssh.github.com:443/o/r.git', 'github', 'https://github.com', 'https://api.github.com', 'o/r'],
    ['https://team.ghe.com/o/r', 'github', 'https://team.ghe.com', 'https://api.team.ghe.com', 'o/r'],
    [
      'https://github.example.org/o/r',
      'github',
      'https://github.example.org',
      'https://github.example.org/api/v3',
      'o/r',
    ],
    ['git@gitlab.com:a/b/c/d.git', 'gitlab', 'https://gitlab.com', 'https://gitlab.com/api/v4', 'a/b/c/d'],
    [
      'ssh://git@altssh.gitlab.com:443/a/b.git',
      'gitlab',
      'https://gitlab.com',
      'https://gitlab.com/api/v4',
      'a/b',
    ],
    // Ssh has a port of its own; the site's is the configured one.
    [
      'ssh://git@git.example.org:2222/a/b.git',
      'gitlab',
      'https://git.example.org:8443',
      'https://git.example.org:8443/api/v4',
      'a/b',
    ],
    [
      'https://example.com/gitlab/a/b/c.git',
      'gitlab',
      'https://example.com/gitlab',
      'https://example.com/gitlab/api/v4',
      'a/b/c',
    ],
    [
      'git@example.com:a/b.git',
      'gitlab',
      'https://example.com/gitlab',
      'https://example.com/gitlab/api/v4',
      'a/b',
    ],
    // A group that is called like the folder of the site.
    [
      'git@example.com:gitlab/b.git',
      'gitlab',
      'https://example.com/gitlab',
      'https://example.com/gitlab/api/v4',
      'gitlab/b',
    ],
    [
      'git@ssh.example.net:a/b.git',
      'gitea',
      'https://code.example.net/git',
      'https://code.example.net/git/api/v1',
      'a/b',
    ],
    ['https://codeberg.org/a/b.git', 'gitea', 'https://codeberg.org', 'https://codeberg.org/api/v1', 'a/b'],
    [
      'git@bitbucket.org:team/docs.git',
      'bitbucket',
      'https://bitbucket.org',
      'https://api.bitbucket.org/2.0',
      'team/docs',
    ],
    [
      'ssh://git@bb.example.org:7999/proj/docs.git',
      'bitbucket-server',
      'https://bb.example.org',
      'https://bb-api.example.org/rest/api/latest',
      'scm/proj/docs',
    ],
    [
      'https://dev.azure.com/team/My%20Docs/_git/docs',
      'azure',
      'https://dev.azure.com',
      'https://dev.azure.com',
      'team/My Docs/_git/docs',
    ],
    // A token never goes over an open line: http becomes https, except on this machine.
    ['http://github.com/o/r', 'github', 'https://github.com', 'https://api.github.com', 'o/r'],
    ['http://127.0.0.1:3000/o/r', 'github', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v3', 'o/r'],
  ];
  for (const [remote, kind, webUrl, apiUrl, path] of places) {
    it(`knows ${remote}`, () => {
      const place = hostPlace(remote, { ...hosts, '127.0.0.1:3000': { kind: 'github' } });
      assert.deepEqual(
        [place?.kind, place?.webUrl, place?.apiUrl, place?.path.join('/')],
        [kind, webUrl, apiUrl, path],
      );
    });
  }

  for (const remote of [
    undefined,
    '/srv/docs.git',
    'https://code.example.com/a/b',
    'https://github.com.evil.org/a/b',
    'https://evil.org/github.com/a/b',
    'https://example.com/other/a/b',
    'git@github.com:a/../b.git',
    'https://github.com/a/b%2Fc',
    'https://github.com/a/b%00c',
    'ext::github.com',
  ]) {
    it(`does not take ${remote}`, () => {
      assert.equal(hostPlace(remote, hosts), undefined);
    });
  }

  it('asks for a credential of the site, also when git talks ssh', () => {
    assert.equal(
      hostPlace('git@ssh.example.net:a/b.git', hosts)?.credentialUrl,
      'https://code.example.net/git/a/b.git',
    );
    assert.equal(configuredHost('code.example.net', hosts)?.token, 't0ken');
    assert.equal(configuredHost('ssh.example.net', hosts)?.token, 't0ken');
    assert.equal(configuredHost('example.net', hosts), undefined);
  });

  it('guesses by the names that companies give, and is told otherwise by the configuration', () => {
    assert.equal(hostKindOf('gitlab.example.org', {}), 'gitlab');
    assert.equal(hostKindOf('gitlab.example.org', { 'gitlab.example.org': { kind: 'gitea' } }), 'gitea');
    assert.equal(hostKindOf('team.visualstudio.com', {}), 'azure');
    assert.equal(hostKindOf('example.org', {}), undefined);
  });
});

describe('the addresses of a configured host', () => {
  const parsed = (host: object): ServiceConfig['hosts'][string] | undefined =>
    parseConfig(JSON.stringify({ hosts: { 'git.example.org': host } }), {}).hosts['git.example.org'];

  it('lose the slash at their end', () => {
    assert.equal(
      parsed({ webUrl: 'https://git.example.org/gitlab/' })?.webUrl,
      'https://git.example.org/gitlab',
    );
    assert.equal(parsed({ apiUrl: 'http://127.0.0.1:1/x//' })?.apiUrl, 'http://127.0.0.1:1/x');
  });

  for (const wrong of [
    'http://git.example.org',
    'https://me:s3cret@git.example.org',
    'https://git.example.org/?a=b',
    'https://git.example.org/#a',
    'git.example.org',
    'file:///etc',
    '',
  ]) {
    it(`are not ${wrong || 'empty'}`, () => {
      assert.throws(
        () => parsed({ apiUrl: wrong }),
        (error: unknown) =>
          error instanceof Error &&
          /hosts\.git\.example\.org\.apiUrl: This is an address like/.test(error.message) &&
          !error.message.includes('s3cret'),
      );
    });
  }
});
