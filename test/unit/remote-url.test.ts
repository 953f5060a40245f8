import assert from 'node:assert/strict';
import { isLoopback, ownerAndName, parseRemoteUrl } from '../../src/service/remote-url.ts';

describe('reading the address of a remote', () => {
  const understood: [string, string, string | undefined, string | undefined][] = [
    ['https://github.com/o/r.git', 'http', 'github.com', 'o/r'],
    ['https://GitHub.com/o/r/', 'http', 'github.com', 'o/r'],
    ['http://127.0.0.1:8080/o/r', 'http', '127.0.0.1:8080', 'o/r'],
    ['https://github.com:443/o/r', 'http', 'github.com', 'o/r'],
    ['git@github.com:o/r.git', 'ssh', 'github.com', 'o/r'],
    ['github.com:o/r', 'ssh', 'github.com', 'o/r'],
    ['org-1234@github.com:/o/r.git', 'ssh', 'github.com', 'o/r'],
    ['ssh://git@GitHub.com:22/o/r.git', 'ssh', 'github.com', 'o/r'],
    ['git+ssh://git@github.com/o/r', 'ssh', 'github.com', 'o/r'],
    ['git://github.com/o/r.git', 'git', 'github.com', 'o/r'],
    ['/srv/git/r.git', 'file', undefined, undefined],
    ['../r.git', 'file', undefined, undefined],
    ['./a:b', 'file', undefined, undefined],
    ['C:\\repos\\r', 'file', undefined, undefined],
    ['c:/repos/r', 'file', undefined, undefined],
    ['\\\\server\\share\\r', 'file', undefined, undefined],
    ['file:///srv/r.git', 'file', undefined, undefined],
  ];
  for (const [text, kind, host, path] of understood) {
    it(`understands ${text}`, () => {
      const remote = parseRemoteUrl(text);
      assert.ok(remote);
      assert.equal(remote.kind, kind);
      if (remote.kind === 'file') return;
      assert.equal(remote.host, host);
      assert.equal(remote.path, path);
    });
  }

  const refused = [
    '',
    '-u./evil',
    '--upload-pack=touch x',
    'ext::sh -c "touch x"',
    'fd::17',
    'javascript://x/y',
    'ftp://x/y',
    'ssh://-oProxyCommand=x/y',
    'ssh://-l@host/y',
    'host:-oProxyCommand=x',
    'https://',
    'https://host/a\nb',
    'git@host:a\0b',
    'https://host:99999/x',
  ];
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseRemoteUrl(text), undefined);
    });
  }

  it('takes secrets out of the address and knows where they may go', () => {
    const remote = parseRemoteUrl('https://me%40x:p%40ss%2Fword@example.org/o/r.git#frag');
    assert.ok(remote?.kind === 'http');
    assert.equal(remote.url, 'https://example.org/o/r.git');
    assert.equal(remote.username, 'me@x');
    assert.equal(remote.secret, 'p@ss/word');
    const may = (url: string): boolean => {
      const found = parseRemoteUrl(url);
      return found?.kind === 'http' && found.mayCarrySecrets;
    };
    assert.equal(may('https://example.org/r'), true);
    assert.equal(may('http://example.org/r'), false);
    assert.equal(may('http://127.0.0.1:1/r'), true);
    assert.equal(may('http://localhost/r'), true);
    assert.equal(may('http://[::1]:9/r'), true);
    assert.equal(may('http://127.0.0.1.evil.org/r'), false);
    assert.equal(may('http://localhost.evil.org/r'), false);
    const ssh = parseRemoteUrl('ssh://git:secret@example.org/r');
    assert.equal(ssh?.url, 'ssh://git@example.org/r');
    assert.equal(isLoopback('1270.0.0.1'), false);
  });

  it('names owner and repository only where there are exactly these', () => {
    const names = (text: string) => {
      const remote = parseRemoteUrl(text);
      return remote && ownerAndName(remote);
    };
    assert.deepEqual(names('git@github.com:o/r.name.git'), { owner: 'o', name: 'r.name' });
    for (const text of [
      'https://h.org/o',
      'https://h.org/a/b/c',
      'https://h.org/o/%2e%2e',
      'git@h.org:../r',
      '/o/r',
    ]) {
      assert.equal(names(text), undefined, text);
    }
  });
});
