import assert from 'node:assert/strict';
import { projectOf } from '../../src/service/project-request.ts';
import { RequestError } from '../../src/service/request-error.ts';

function refuses(request: Parameters<typeof projectOf>[1], message: RegExp): void {
  assert.throws(
    () => projectOf('docs', request),
    (error) =>
      error instanceof RequestError && error.code === 'invalid_request' && message.test(error.message),
    JSON.stringify(request),
  );
}

describe('the description of a project', () => {
  it('keeps its fields, and no token', () => {
    const request = { repository: '/r', baseBranch: 'main', docsRoot: './docs//en/', hostToken: 'secret' };
    assert.deepEqual(projectOf('docs', request), {
      id: 'docs',
      repository: '/r',
      baseBranch: 'main',
      docsRoot: 'docs/en',
    });
    assert.deepEqual(projectOf('docs', { repository: '/r', docsRoot: '.' }), {
      id: 'docs',
      repository: '/r',
    });
  });

  it('keeps the extras of its pull requests, each name once', () => {
    const pullRequest = { draft: true, labels: ['docs', ' docs ', 'needs review', ' '], reviewers: ['ann'] };
    assert.deepEqual(projectOf('docs', { repository: '/r', pullRequest }).pullRequest, {
      draft: true,
      labels: ['docs', 'needs review'],
      reviewers: ['ann'],
    });
    assert.deepEqual(projectOf('docs', { repository: '/r', pullRequest: {} }).pullRequest, {});
    for (const name of ['a\nb', 'a\0', '\u009b']) {
      refuses({ repository: '/r', pullRequest: { labels: ['x', name] } }, /control character/);
      refuses({ repository: '/r', pullRequest: { reviewers: [name] } }, /control character/);
    }
  });

  it('keeps the allowed check command word for word', () => {
    const allowedCheck = '  npm run   check -- "docs/**" ';
    assert.equal(projectOf('docs', { repository: '/r', allowedCheck }).allowedCheck, allowedCheck);
    refuses({ repository: '/r', allowedCheck: 'npm test\nrm -rf /' }, /control character/);
  });

  const repositories = [
    '/home/me/docs',
    '/with space/ünï',
    'https://github.com/o/r.git',
    'http://localhost:3000/r',
    'git@github.com:o/r.git',
    'github.com:o/r',
    'ssh://git@host:22/r',
    'file:///srv/r.git',
  ];
  for (const repository of repositories) {
    it(`takes ${repository}`, () => assert.equal(projectOf('docs', { repository }).repository, repository));
  }

  it('refuses a repository that git could take for something else', () => {
    for (const repository of [
      'docs',
      './docs',
      '../docs',
      '--upload-pack=evil',
      '-u',
      'ext::sh -c evil',
      'fd::17',
      '',

      'javascript://x',
      'git://host/r',
      'https://',
      'ssh://-oProxyCommand=evil/r',
      '-oProxyCommand=evil:r',
    ]) {
      refuses({ repository }, /repository/i);
    }
    refuses({ repository: '/a\nb' }, /control character/);
    refuses({ repository: '/a\0b' }, /control character/);
  });

  it('refuses credentials in an address, without repeating them', () => {
    for (const repository of [
      'https://me:hunter2hunter2@host/r',
      'https://ghp_hunter2@host/r',
      'ssh://me:hunter2@host/r',
    ]) {
      refuses({ repository }, /^(?!.*hunter2).*holds a user name or password/);
    }
  });

  it('refuses a branch that git does not allow', () => {
    for (const baseBranch of [
      '-x',
      'a..b',
      'a b',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[',
      'a\\b',
      '@',
      'a@{1}',
      '/a',
      'a/',
      'a//b',
      '.a',
      'a/.b',
      'a.lock',
      'a.',
    ]) {
      refuses({ repository: '/r', baseBranch }, /base branch/);
    }
    assert.equal(
      projectOf('docs', { repository: '/r', baseBranch: 'release/1.x' }).baseBranch,
      'release/1.x',
    );
  });

  it('refuses a docs folder outside the repository', () => {
    for (const docsRoot of ['../x', 'a/../../b', '/etc', 'C:/x', 'a\\b', '.git', 'a/.GIT/b']) {
      refuses({ repository: '/r', docsRoot }, /docs folder/);
    }
  });
});
