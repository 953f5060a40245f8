import assert from 'node:assert/strict';
import { openableLink } from '../../src/client/service-url.ts';
import { insideEditor } from '../../src/extension/pull-request-link.ts';

describe('Links that an editor opens', () => {
  const good = [
    'https://github.com/acme/docs/pull/7',
    'https://gitlab.example.com/a/b/-/merge_requests/3',
    'http://127.0.0.1:4711/reviews/1',
    'http://localhost:4711/reviews/1',
    'http://[::1]:4711/reviews/1',
  ];
  for (const link of good) it(`opens ${link}`, () => assert.equal(openableLink(link), link));

  const bad = [
    undefined,
    '',
    'not a link',
    'http://example.com/pull/1',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'command:workbench.action.terminal.new',
    'vscode://publisher.extension/run',
    'https://user:secret@example.com/pull/1',
    '//example.com/pull/1',
    'https://github.com\\@evil.example/pull/1',
    'https://github.com/acme/docs/\npull/1',
  ];
  for (const link of bad) it(`does not open ${link}`, () => assert.equal(openableLink(link), undefined));

  it('opens a pull request of GitHub inside the editor that runs', () => {
    assert.equal(
      insideEditor('https://github.com/acme/docs.site/pull/12', 'vscodium'),
      'vscodium://github.vscode-pull-request-github/open-pull-request-webview' +
        '?uri=https%3A%2F%2Fgithub.com%2Facme%2Fdocs.site%2Fpull%2F12',
    );
  });

  const outside = [
    'https://github.com/acme/docs/pull/7/files',
    'https://github.com/acme/docs/pull/7?diff=split',
    'https://github.com/acme/docs/pull/7#top',
    'https://github.com/acme/docs/pull/0',
    'https://github.com/acme/docs/issues/7',
    'https://github.example.com/acme/docs/pull/7',
    'http://github.com/acme/docs/pull/7',
    'https://github.com/acme/docs/sub/pull/7',
  ];
  for (const link of outside) {
    it(`leaves ${link} to the browser`, () => assert.equal(insideEditor(link, 'vscode'), undefined));
  }
});
