import assert from 'node:assert/strict';
import { openableLink, readServiceUrl } from '../../src/client/service-url.ts';

describe('reading the base URL of a service', () => {
  for (const [given, base, origin] of [
    ['https://api.example.com', 'https://api.example.com', 'https://api.example.com'],
    [' https://api.example.com/ ', 'https://api.example.com', 'https://api.example.com'],
    ['HTTPS://API.Example.com:443//', 'https://api.example.com', 'https://api.example.com'],
    ['https://docs.example.com/agent/', 'https://docs.example.com/agent', 'https://docs.example.com'],
    ['http://127.0.0.1:4711', 'http://127.0.0.1:4711', 'http://127.0.0.1:4711'],
    ['http://localhost:80', 'http://localhost', 'http://localhost'],
    ['http://[::1]:8080/', 'http://[::1]:8080', 'http://[::1]:8080'],
    ['http://0x7f.1:1', 'http://127.0.0.1:1', 'http://127.0.0.1:1'],
  ] as const) {
    it(`takes ${given}`, () => {
      assert.deepEqual(readServiceUrl(given), { kind: 'usable', base, origin });
    });
  }

  for (const given of [
    '',
    'api.example.com',
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'http://127.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0:80',
    'http://[::ffff:10.0.0.1]',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user@example.com',
    'https://user:secret@example.com',
    'https://example.com?x=1',
    'https://example.com#x',
    'https://exa\nmple.com',
    'https://example.com\\@evil.example',
    'https://',
  ]) {
    it(`refuses ${JSON.stringify(given)} with a sentence`, () => {
      const reading = readServiceUrl(given);
      assert.ok(reading.kind === 'refused');
      assert.match(reading.message, /^[A-Z].*[a-z.]$/);
      assert.ok(!reading.message.includes('secret'));
    });
  }
});

describe('a link that a server sent', () => {
  it('may be opened when it is https:, or http: on loopback', () => {
    for (const link of [
      'https://github.com/acme/docs/pull/1',
      'https://gitlab.example.com/a/b/-/merge_requests/7#note',
      'http://127.0.0.1:4711/reviews/abc?x=1',
      'http://localhost:4711/reviews/abc',
    ]) {
      assert.equal(openableLink(link), link);
    }
  });

  it('may not be opened otherwise', () => {
    for (const link of [
      '',
      'http://github.com/acme/docs/pull/1',
      'command:workbench.action.terminal.new',
      'vscode://file/etc/passwd',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//evil.example/x',
      'https://github.com@evil.example/acme',
      'https://u:p@github.com/',
      ' https://github.com/acme',
      'https://github.com/\u0000',
    ]) {
      assert.equal(openableLink(link), undefined, link);
    }
  });
});
