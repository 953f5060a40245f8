import assert from 'node:assert/strict';
import { isDamage, isLockConflict, translateGitError } from '../../src/adapters/git/git-errors.ts';
import { checkGitVersion, missingGit } from '../../src/adapters/git/git-version.ts';
import { GitFailure } from '../../src/adapters/git/run-git.ts';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import { ServiceError } from '../../src/service/service-error.ts';

function named(stderr: string, reason: 'exit' | 'time' | 'output' = 'exit'): ServiceError {
  const error = translateGitError(new GitFailure('push', reason, 128, stderr));
  assert.ok(error instanceof ServiceError);
  assert.match(error.message, /^[A-Z"].*\.$/s, 'a sentence');
  return error;
}

describe('what git says, named', () => {
  const cases: [string, JobErrorCode, boolean][] = [
    ["fatal: unable to access 'https://h/r': Could not resolve host: h", 'network', true],
    ["fatal: unable to access 'https://h/r': Failed to connect to h port 443", 'network', true],
    ['error: RPC failed; curl 56 Recv failure: Connection reset by peer', 'network', true],
    ['fatal: early EOF\nfatal: fetch-pack: invalid index-pack output', 'network', true],
    ['fatal: the remote end hung up unexpectedly', 'network', true],
    ["fatal: unable to access 'https://h/r': The requested URL returned error: 503", 'network', true],
    ["fatal: unable to access 'https://h/r': The requested URL returned error: 429", 'network', true],
    [
      "remote: The `team' organization has enabled or enforced SAML SSO. To access this repository, use an authorized token\nfatal: unable to access 'https://h/r': The requested URL returned error: 403",
      'authentication_failed',
      false,
    ],
    ['remote: TF401019: The Git repository with name x does not exist', 'repository_unavailable', false],
    ['remote: GitLab: You are not allowed to push code to this project.', 'permission_denied', false],
    ["error: cannot lock ref 'refs/heads/x': Unable to create '/m/x.lock': File exists.", 'network', true],
    [
      "fatal: unable to access 'https://h/r': SSL certificate problem: self-signed certificate",
      'network',
      false,
    ],
    [
      "fatal: could not read Username for 'https://h': terminal prompts disabled",
      'authentication_failed',
      false,
    ],
    [
      "remote: Invalid credentials\nfatal: Authentication failed for 'https://h/r'",
      'authentication_failed',
      false,
    ],
    [
      'git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.',
      'authentication_failed',
      false,
    ],
    [
      'Host key verification failed.\nfatal: Could not read from remote repository.',
      'authentication_failed',
      false,
    ],
    [
      'remote: Permission to o/r.git denied to me.\nfatal: unable to access: The requested URL returned error: 403',
      'permission_denied',
      false,
    ],
    [
      'remote: This repository was archived so it is read-only.\nfatal: error: 403',
      'permission_denied',
      false,
    ],
    [
      "remote: Repository not found.\nfatal: repository 'https://h/r/' not found",
      'repository_unavailable',
      false,
    ],
    ["fatal: detected dubious ownership in repository at '/x'", 'repository_unavailable', false],
    ["fatal: transport 'ext' not allowed", 'repository_unavailable', false],
    ['fatal: The requested URL returned error: 301', 'repository_unavailable', false],
    ["fatal: couldn't find remote ref refs/heads/x", 'base_branch_missing', false],
    [
      " ! [rejected] x -> x (fetch first)\nerror: failed to push some refs to 'https://h/r'",
      'push_rejected',
      false,
    ],
    [' ! [remote rejected] x -> x (protected branch hook declined)', 'push_rejected', false],
    [
      "error: 'refs/heads/docs-agent' exists; cannot create 'refs/heads/docs-agent/x'",
      'push_rejected',
      false,
    ],
    ['remote: GitLab: Failed to authorize your Git request: internal API unreachable', 'network', true],
    ['remote: GitLab: The repository is temporarily read-only. Please try again later.', 'network', true],
    [' ! [remote rejected] x -> x (Internal Server Error)', 'network', true],
    ['remote: fatal error in commit_refs\n ! [remote rejected] x -> x (failure)', 'network', true],
    ['remote: TF400898: An Internal Error Occurred. Activity Id: 1.', 'network', true],
    ['remote: GitLab: \nremote: PUSH BLOCKED: Secrets detected in code changes', 'push_rejected', false],
    [
      'remote: VS403654: The push was rejected because it contains one or more secrets.',
      'push_rejected',
      false,
    ],
    ['remote: TF402124: The path is longer than allowed.', 'push_rejected', false],
    ['remote: TF400813: The user is not authorized to access this resource.', 'authentication_failed', false],
    ['fatal: write error: No space left on device', 'repository_unavailable', true],
    ['fatal: https://h/r/info/refs not valid: is this a git repository?', 'network', true],
    ['fatal: protocol error: bad line length character: <htm', 'network', true],
    [
      "error: no DAV locking support on https://h/r/\nfatal: git-http-push failed\nerror: failed to push some refs to 'https://h/r'",
      'network',
      true,
    ],
    [
      "fatal: cannot use bare repository '/r.git' (safe.bareRepository is 'explicit')",
      'repository_unavailable',
      false,
    ],
    ['fatal: something new', 'internal', false],
  ];
  for (const [stderr, code, retryable] of cases) {
    it(`${code}${retryable ? ', transient' : ''}: ${stderr.split('\n')[0]}`, () => {
      const error = named(stderr);
      assert.equal(error.code, code);
      assert.equal(error.retryable, retryable);
      assert.equal(error.message.includes('fatal'), false);
    });
  }

  it("keeps the host's own words where only its owners know what they mean", () => {
    const words: [string, RegExp][] = [
      ['remote: GitLab: \nremote: \nremote: No commits on Fridays.\n', /commit: No commits on Fridays\. Ask/],
      ['remote: GitLab: \u001b[31mNo\u001b[0m\n', /commit: No\. Ask/],
      ['remote: TF402124: The path is too long.', /push: TF402124: The path is too long\. Ask/],
      [
        'remote: Resolving deltas: 100%\nremote: \nremote: ====\nremote: Not on Fridays.\nremote: Ask Kim.\n ! [remote rejected] x -> x (pre-receive hook declined)',
        /push: Not on Fridays\. Ask the/,
      ],
      [' ! [remote rejected] x -> x (pre-receive hook declined)', /push\. Ask the/],
    ];
    for (const [stderr, sentence] of words) assert.match(named(stderr).message, sentence);
    const endless = named(`remote: GitLab: ${'x'.repeat(5000)}`).message;
    assert.ok(endless.length < 400);
  });

  it('knows time and size limits, and leaves other errors as they are', () => {
    assert.deepEqual([named('', 'time').code, named('', 'time').retryable], ['network', true]);
    assert.equal(named('', 'output').code, 'change_too_large');
    const other = new Error('x');
    assert.equal(translateGitError(other), other);
  });

  it('tells locks and damage apart from the rest', () => {
    const failure = (text: string) => new GitFailure('fetch', 'exit', 128, text);
    assert.equal(isLockConflict(failure("error: cannot lock ref 'refs/x': is at a but expected b")), true);
    assert.equal(isLockConflict(failure('fatal: repository not found')), false);
    assert.equal(isDamage(failure('error: object file .git/objects/ab/cd is empty')), true);
    assert.equal(isDamage(failure('fatal: Authentication failed')), false);
  });
});

describe('the version of git', () => {
  it('is enough from 2.31 on, with whatever words around it', () => {
    for (const text of [
      'git version 2.31.0',
      'git version 2.39.5 (Apple Git-154)',
      'git version 2.47.1.windows.2',
      'git version 3.0.0',
    ]) {
      assert.doesNotThrow(() => checkGitVersion(text), text);
    }
    for (const text of ['git version 2.30.2', 'git version 1.99.9', 'nonsense']) {
      assert.throws(
        () => checkGitVersion(text, 'win32'),
        (error: unknown) => {
          assert.ok(error instanceof ServiceError);
          assert.equal(error.code, 'git_missing');
          assert.match(error.message, /too old.*2\.31.*Git for Windows/);
          return true;
        },
      );
    }
  });

  it('is asked for in the words of each system', () => {
    assert.match(missingGit(undefined, 'darwin').message, /xcode-select/);
    assert.match(missingGit(undefined, 'linux').message, /package manager/);
    assert.match(missingGit(undefined, 'win32').message, /Git for Windows/);
    assert.match(missingGit(undefined, 'freebsd').message, /git-scm\.com/);
  });
});
