import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type GitService, gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import {
  anotherClone,
  commitFiles,
  git,
  installHook,
  makeMessy,
  originAndClone,
  repositoryWithoutRemote,
  snapshotRepository,
  temporaryFolder,
  writeFiles,
} from '../support/repositories.ts';

describe('merging into a remote base', () => {
  const merge = (service: GitService, clone: string, head: string) =>
    service.workspaces.merge(projectOf(clone), 'docs-agent/j', head, 'Merge the change');

  it('makes a merge commit without touching the checkout, and repeats as done', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    makeMessy(clone);
    const before = snapshotRepository(clone);
    await using service = gitService(folder.path);
    const { base, head } = await pushedJob(service, clone, { 'README.md': 'x\n' });
    const result = await merge(service, clone, head);
    assert.equal(result.kind, 'merged');
    assert.equal(git(origin, 'log', '-1', '--format=%P %s', 'main'), `${base} ${head} Merge the change`);
    assert.equal(git(origin, 'show', 'main:README.md'), 'x');
    const tip = git(origin, 'rev-parse', 'main');
    assert.deepEqual(await merge(service, clone, head), { kind: 'merged', commit: tip });
    assert.equal(git(origin, 'rev-parse', 'main'), tip);
    assert.equal(snapshotRepository(clone), before);
  });

  it('merges three ways when the base moved, renames included', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path, { 'a.md': 'one\n\n\n\n\ntwo\n', 'b.md': 'b\n' });
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'a.md': 'ONE\n\n\n\n\ntwo\n' });
    git(clone, 'mv', 'a.md', 'renamed.md');
    commitFiles(clone, { 'renamed.md': 'one\n\n\n\n\nTWO\n' });
    git(clone, 'push', '--quiet');
    assert.equal((await merge(service, clone, head)).kind, 'merged');
    assert.equal(git(origin, 'show', 'main:renamed.md'), 'ONE\n\n\n\n\nTWO');
    assert.equal(git(origin, 'ls-tree', '--name-only', 'main'), 'b.md\nrenamed.md');
  });

  it('lists the paths in conflict and changes nothing', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path, { 'ä.md': 'one\n', 'b.md': 'b\n' });
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'ä.md': 'mine\n', 'b.md': undefined });
    const theirs = commitFiles(clone, { 'ä.md': 'theirs\n', 'b.md': 'changed\n' });
    git(clone, 'push', '--quiet');
    assert.deepEqual(await merge(service, clone, head), { kind: 'conflict', paths: ['b.md', 'ä.md'] });
    assert.equal(git(origin, 'rev-parse', 'main'), theirs);
  });

  it('merges again when somebody pushes in between', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'README.md': 'x\n' });
    // Without the quarantine's variable git lets a hook move a branch. The first push to main meets a base that moves under it.
    const other = anotherClone(folder.path, origin);
    const theirs = commitFiles(other, { 'theirs.md': 'theirs\n' });
    git(other, 'push', '--quiet', 'origin', 'HEAD:refs/heads/parked');
    const once = path.join(folder.path, 'once');
    installHook(
      origin,
      'pre-receive',
      `[ -e ${once} ] && exit 0; touch ${once}; env -u GIT_QUARANTINE_PATH git update-ref refs/heads/main ${theirs}`,
    );
    assert.equal((await merge(service, clone, head)).kind, 'merged');
    assert.equal(existsSync(once), true);
    assert.equal(git(origin, 'show', 'main:theirs.md'), 'theirs');
    assert.equal(git(origin, 'show', 'main:README.md'), 'x');
  });
});

describe('merging into a repository without a remote', () => {
  const merge = (service: GitService, repository: string, head: string, baseBranch = 'main') =>
    service.workspaces.merge(projectOf(repository, { baseBranch }), 'docs-agent/j', head, 'Merge the change');

  it('moves a branch that is checked out nowhere, and nothing else', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    git(alone, 'checkout', '--quiet', '-b', 'mine');
    writeFiles(alone, { 'README.md': 'not committed\n' });
    const status = git(alone, 'status', '--porcelain');
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'README.md': 'x\n' });
    assert.equal((await merge(service, alone, head)).kind, 'merged');
    assert.equal(git(alone, 'show', 'main:README.md'), 'x');
    assert.equal(git(alone, 'status', '--porcelain'), status);
    assert.equal(git(alone, 'symbolic-ref', '--short', 'HEAD'), 'mine');
    assert.equal(git(alone, 'for-each-ref', '--format=%(refname)'), 'refs/heads/main\nrefs/heads/mine');
    assert.equal(existsSync(path.join(alone, '.git', 'FETCH_HEAD')), false);
  });

  it('takes a clean checkout along', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    writeFiles(alone, { 'untracked.md': 'mine\n' });
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'docs/new.md': 'new\n' });
    assert.equal((await merge(service, alone, head)).kind, 'merged');
    assert.equal(git(alone, 'status', '--porcelain'), '?? untracked.md');
    assert.equal(existsSync(path.join(alone, 'docs', 'new.md')), true);
    assert.deepEqual((await merge(service, alone, head)).kind, 'merged');
  });

  it('refuses with what to do, and changes nothing, when work is in the way', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'README.md': 'x\n', 'new.md': 'new\n' });
    const refuses = async (words: RegExp): Promise<void> => {
      const files = snapshotWithoutObjects(alone);
      const result = await merge(service, alone, head);
      assert.equal(result.kind, 'refused');
      assert.match(result.kind === 'refused' ? result.reason : '', words);
      assert.equal(snapshotWithoutObjects(alone), files);
    };
    writeFiles(alone, { 'docs/index.md': 'not committed\n' });
    await refuses(/Commit or stash/);
    git(alone, 'add', '--all');
    await refuses(/Commit or stash/);
    git(alone, 'reset', '--quiet', '--hard');
    writeFiles(alone, { 'new.md': 'mine, not in git\n' });
    await refuses(/in the way: new\.md/);
    writeFiles(alone, { 'new.md': undefined });
    git(alone, 'checkout', '--quiet', '-b', 'other');
    const linked = path.join(folder.path, 'linked');
    git(alone, 'worktree', 'add', '--quiet', linked, 'main');
    writeFiles(linked, { 'README.md': 'not committed\n' });
    await refuses(/Commit or stash/);
    git(linked, 'checkout', '--quiet', '--', '.');
    assert.equal((await merge(service, alone, head)).kind, 'merged');
    assert.equal(git(linked, 'status', '--porcelain'), '');
  });

  it('runs no hook and no filter of the repository', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path, {
      '.gitattributes': '*.md filter=evil\n',
      'a.md': 'a\n',
    });
    const trap = path.join(folder.path, 'trap');
    for (const name of [
      'post-merge',
      'post-checkout',
      'reference-transaction',
      'pre-merge-commit',
      'post-index-change',
    ]) {
      installHook(path.join(alone, '.git'), name, `touch ${trap}`);
    }
    for (const key of [
      'filter.evil.smudge',
      'filter.evil.clean',
      'core.fsmonitor',
      'core.sshCommand',
      'core.alternateRefsCommand',
      'uploadpack.packObjectsHook',
      'diff.external',
      'core.pager',
      'gpg.program',
    ]) {
      git(alone, 'config', key, `touch ${trap}; cat`);
    }
    git(alone, 'config', 'filter.evil.required', 'true');
    git(alone, 'config', 'commit.gpgSign', 'true');
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'a.md': 'b\n' });
    const mirrorOnly = await service.workspaces.checkOut(projectOf(alone), 'docs-agent/j', head);
    assert.deepEqual(mirrorOnly, { kind: 'checked_out' });
    git(
      alone,
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'core.fsmonitor=false',
      '-c',
      'filter.evil.smudge=cat',
      '-c',
      'filter.evil.clean=cat',
      'checkout',
      '--quiet',
      'main',
    );
    assert.equal(existsSync(trap), false);
    assert.equal((await merge(service, alone, head)).kind, 'merged');
    assert.equal(existsSync(trap), false);
  });

  it('works on a bare repository', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    assert.ok(clone);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, origin, { 'README.md': 'x\n' });
    assert.equal((await merge(service, origin, head)).kind, 'merged');
    assert.equal(git(origin, 'show', 'main:README.md'), 'x');
  });
});

describe("checking out a job's branch", () => {
  it('switches to it and keeps uncommitted work that is not in the way', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    writeFiles(alone, { 'docs/index.md': 'not committed\n' });
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'README.md': 'x\n' });
    const project = projectOf(alone);
    assert.deepEqual(await service.workspaces.checkOut(project, 'docs-agent/j', head), {
      kind: 'checked_out',
    });
    assert.equal(git(alone, 'symbolic-ref', '--short', 'HEAD'), 'docs-agent/j');
    assert.equal(git(alone, 'status', '--porcelain'), ' M docs/index.md');
    assert.deepEqual(await service.workspaces.checkOut(project, 'docs-agent/j', head), {
      kind: 'checked_out',
    });
    const mine = commitFiles(alone, { 'mine.md': 'mine\n' });
    assert.equal(await service.workspaces.branchHead(project, 'docs-agent/j', noSignal), mine);
  });

  it('refuses when work is in the way, and leaves no branch behind', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    writeFiles(alone, { 'README.md': 'not committed\n' });
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'README.md': 'x\n' });
    const before = snapshotWithoutObjects(alone);
    const result = await service.workspaces.checkOut(projectOf(alone), 'docs-agent/j', head);
    assert.equal(result.kind, 'refused');
    assert.match(
      result.kind === 'refused' ? result.reason : '',
      /in the way \(README\.md\)\. Commit or stash/,
    );
    assert.equal(snapshotWithoutObjects(alone), before);
  });

  it('says how to do it by hand when there is a remote', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'README.md': 'x\n' });
    const result = await service.workspaces.checkOut(projectOf(clone), 'docs-agent/j', head);
    assert.match(result.kind === 'refused' ? result.reason : '', /git fetch/);
  });
});

/** Objects that nothing points to are no change of the writer's. */
function snapshotWithoutObjects(directory: string): string {
  mkdirSync(path.join(directory, '.git', 'refs', 'heads'), { recursive: true });
  return snapshotRepository(directory)
    .split('\n')
    .filter((line) => !/ \.git\/objects\b/.test(line) && !/^directory \.git\/(?:refs|logs)\//.test(line))
    .join('\n');
}
