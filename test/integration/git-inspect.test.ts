import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { gitService, noSignal, projectOf } from '../support/git-service.ts';
import {
  commitFiles,
  emptyOrigin,
  git,
  makeMessy,
  originAndClone,
  repositoryWithoutRemote,
  snapshotRepository,
  temporaryFolder,
  unbornRepository,
} from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

describe('looking at a repository', () => {
  it('finds top folder, remote, base branch and docs folder from a folder inside', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    makeMessy(clone);
    const before = snapshotRepository(clone);
    await using service = gitService(folder.path);
    const found = await service.workspaces.inspect(projectOf(path.join(clone, 'docs')), noSignal);
    assert.deepEqual(found, {
      remoteUrl: origin,
      displayUrl: origin,
      checkout: clone,
      docsRoot: 'docs',
      baseBranch: 'main',
    });
    assert.equal(snapshotRepository(clone), before);
  });

  it('takes the base from the remote, not from what is checked out', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path, undefined, 'trunk');
    git(clone, 'checkout', '--quiet', '-b', 'my-feature');
    await using service = gitService(folder.path);
    assert.equal((await service.workspaces.inspect(projectOf(clone), noSignal)).baseBranch, 'trunk');
    const chosen = projectOf(clone, { baseBranch: 'release/2' });
    assert.equal((await service.workspaces.inspect(chosen, noSignal)).baseBranch, 'release/2');
  });

  it('finds the branch of an origin whose HEAD points nowhere', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    git(origin, 'symbolic-ref', 'HEAD', 'refs/heads/nowhere');
    await using service = gitService(folder.path);
    assert.equal((await service.workspaces.inspect(projectOf(clone), noSignal)).baseBranch, 'main');
  });

  it('knows a repository without a remote, also with a detached HEAD', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    git(alone, 'checkout', '--quiet', '--detach');
    await using service = gitService(folder.path);
    const found = await service.workspaces.inspect(projectOf(alone), noSignal);
    assert.equal(found.remoteUrl, undefined);
    assert.equal(found.displayUrl, alone);
    assert.equal(found.baseBranch, 'main');
  });

  it('knows a linked work tree and a bare repository', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    const linked = path.join(folder.path, 'linked');
    git(clone, 'worktree', 'add', '--quiet', '-b', 'side', linked);
    await using service = gitService(folder.path);
    assert.equal((await service.workspaces.inspect(projectOf(linked), noSignal)).checkout, linked);
    const bare = await service.workspaces.inspect(projectOf(origin), noSignal);
    assert.equal(bare.checkout, undefined);
    assert.equal(bare.baseBranch, 'main');
  });

  it('never shows what is secret in an address', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    git(clone, 'remote', 'set-url', 'origin', 'https://me:hunter2hunter2@git.example.org/team/docs.git');
    await using service = gitService(folder.path);
    const found = await service.workspaces.inspect(projectOf(clone, { baseBranch: 'main' }), noSignal);
    assert.equal(found.remoteUrl, 'https://git.example.org/team/docs.git');
    assert.equal(found.displayUrl, 'https://git.example.org/team/docs.git');
    const credential = await service.credentials.find(found.remoteUrl, 'docs', noSignal);
    assert.equal(credential?.secret, 'hunter2hunter2');
    assert.equal(service.redactor.redact('x hunter2hunter2 y'), 'x [redacted] y');
  });

  it("follows the person's insteadOf once, also to a folder", async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    const add = ['config', '--file', path.join(folder.path, '.gitconfig'), '--add'];
    git(folder.path, ...add, `url.${origin}.insteadOf`, 'https://docs.invalid/r.git');
    git(folder.path, ...add, `url.${folder.path}/elsewhere/.insteadOf`, `${folder.path}/`);
    await using service = gitService(folder.path);
    const project = projectOf('https://docs.invalid/r.git');
    assert.equal((await service.workspaces.inspect(project, noSignal)).displayUrl, origin);
    const head = await service.workspaces.branchHead(project, 'main', noSignal);
    assert.equal(head, git(clone, 'rev-parse', 'HEAD'));
  });

  it('says what is wrong in a sentence', async () => {
    using folder = temporaryFolder();
    await using service = gitService(folder.path);
    const inspect = (repository: string, more = {}) =>
      service.workspaces.inspect(projectOf(repository, more), noSignal);
    const plain = path.join(folder.path, 'plain');
    mkdirSync(plain);
    await assert.rejects(inspect(plain), failsWith('repository_unavailable', /git init/));
    const missing = path.join(folder.path, 'missing');
    await assert.rejects(inspect(missing), failsWith('repository_unavailable', /does not exist/));
    for (const odd of [import.meta.filename, path.join(folder.path, 'n'.repeat(4000))]) {
      await assert.rejects(inspect(odd), failsWith('repository_unavailable', /does not exist/));
    }
    await assert.rejects(inspect('docs'), failsWith('repository_unavailable', /full path/));
    const unborn = unbornRepository(folder.path);
    await assert.rejects(inspect(unborn), failsWith('repository_empty', /no commit yet/));
    await assert.rejects(
      inspect(path.join(unborn, '.git')),
      failsWith('repository_unavailable', /git itself/),
    );
    git(unborn, 'remote', 'add', 'origin', emptyOrigin(folder.path, 'empty.git'));
    await assert.rejects(inspect(unborn), failsWith('repository_empty', /no commit yet/));
    const alone = repositoryWithoutRemote(folder.path);
    for (const docsRoot of ['../x', '/etc', 'a/../..', 'C:\\x', '.git', 'docs/.GIT/hooks']) {
      await assert.rejects(inspect(alone, { docsRoot }), failsWith('repository_unavailable', /docs folder/));
    }
    git(alone, 'remote', 'add', 'one', '/x');
    git(alone, 'remote', 'add', 'two', '/y');
    await assert.rejects(inspect(alone), failsWith('repository_unavailable', /several remotes \(one, two\)/));
  });

  it('refuses a remote that would run a command, and runs nothing', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    const trap = path.join(folder.path, 'trap');
    await using service = gitService(folder.path);
    for (const url of [
      `ext::sh -c "touch ${trap}"`,
      `-ccore.sshCommand=touch`,
      'fd::3',
      'foo://x/y',
      'ssh://-oProxyCommand=x/y',
    ]) {
      git(alone, 'config', 'remote.origin.url', url);
      await assert.rejects(
        service.workspaces.inspect(projectOf(alone), noSignal),
        failsWith('repository_unavailable', /not allowed|not found/),
      );
    }
    assert.throws(() => snapshotRepository(trap));
  });

  it('uses the remote that the branch follows when none is called origin', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    git(clone, 'remote', 'rename', 'origin', 'upstream');
    git(clone, 'remote', 'add', 'backup', '/nowhere');
    commitFiles(clone, {});
    await using service = gitService(folder.path);
    assert.equal((await service.workspaces.inspect(projectOf(clone), noSignal)).remoteUrl, origin);
  });

  it('says for each system how to get git when it is missing or too old', async () => {
    using folder = temporaryFolder();
    await using service = gitService(folder.path, { env: { PATH: folder.path } });
    await assert.rejects(
      service.workspaces.inspect(projectOf(folder.path), noSignal),
      failsWith('git_missing', /not found on this machine. Install/),
    );
  });

  it('holds for the calls that follow within a job, and is done anew for the next one', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    await service.workspaces.inspect(project, noSignal);
    const first = git(clone, 'rev-parse', 'main');
    const other = emptyOrigin(folder.path, 'other.git');
    const second = commitFiles(clone, { 'more.md': 'more\n' });
    git(clone, 'remote', 'set-url', 'origin', other);
    git(clone, 'push', '--quiet', 'origin', 'main');
    const branchHead = (): Promise<string | undefined> =>
      service.workspaces.branchHead(project, 'main', noSignal);
    assert.equal(await branchHead(), first);
    assert.equal((await service.workspaces.inspect(project, noSignal)).remoteUrl, other);
    assert.equal(await branchHead(), second);
  });
});
