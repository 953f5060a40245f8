import assert from 'node:assert/strict';
import { unseenWork, type RepositoryState } from '../../src/extension/unseen-work.ts';
import { isGitHubRemote } from '../../src/extension/github-remote.ts';

const clean: RepositoryState = {
  branch: 'main',
  ahead: 0,
  hasUpstream: true,
  hasRemote: true,
  changed: [],
};
const inside = (path: string): boolean => path.startsWith('/docs/');

describe('What a job does not see', () => {
  it('is nothing when all is pushed to the base branch', () => {
    assert.equal(unseenWork([], clean, 'main', inside), undefined);
    assert.equal(unseenWork([], undefined, undefined, inside), undefined);
  });

  it('is what is not saved, not committed or not pushed', () => {
    const state = { ...clean, ahead: 2, changed: ['/docs/a.md', '/docs/b.md', '/docs/b.md', '/src/x.ts'] };
    const work = unseenWork(['/docs/a.md', '/elsewhere/c.md'], state, 'main', inside);
    assert.deepEqual(work?.unsaved, ['/docs/a.md']);
    assert.deepEqual(work?.uncommitted, ['/docs/b.md']);
    assert.equal(work?.unpushed, 2);
    assert.equal(work?.otherBranch, undefined);
  });

  it('is the whole of another branch', () => {
    const work = unseenWork([], { ...clean, branch: 'draft', ahead: 1 }, 'main', inside);
    assert.equal(work?.otherBranch, 'draft');
    assert.equal(work?.unpushed, 0);
  });

  it('is a branch that was never pushed', () => {
    const work = unseenWork(
      [],
      { ...clean, branch: 'draft', hasUpstream: false, ahead: undefined },
      undefined,
      inside,
    );
    assert.equal(work?.otherBranch, 'draft');
  });

  it('is only what is not committed where there is no remote', () => {
    const local = { ...clean, hasRemote: false, hasUpstream: false, ahead: undefined };
    assert.equal(unseenWork([], local, 'main', inside), undefined);
    const work = unseenWork([], { ...local, changed: ['/docs/a.md'] }, 'main', inside);
    assert.deepEqual(work?.uncommitted, ['/docs/a.md']);
    assert.equal(work?.hasRemote, false);
  });
});

describe('The editor’s GitHub session', () => {
  it('is for repositories at github.com', () => {
    for (const remote of [
      'https://github.com/o/r.git',
      'https://user:secret@github.com/o/r',
      'git@github.com:o/r.git',
      'ssh://git@github.com/o/r',
      'ssh://git@ssh.github.com:443/o/r',
      'github.com:o/r',
    ]) {
      assert.equal(isGitHubRemote(remote), true, remote);
    }
  });

  it('is for no look-alike', () => {
    for (const remote of [
      'https://github.com.evil.example/o/r',
      'https://evil.example/github.com/o/r',
      'https://github.com@evil.example/o/r',
      'git@evil.example:github.com/o/r',
      'https://gitlab.com/o/r',
      'ext::sh -c github.com',
      '/home/ana/github.com/o/r',
      'http://github.com/o/r',
      '',
    ]) {
      assert.equal(isGitHubRemote(remote), false, remote);
    }
  });
});
