import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import {
  commitFiles,
  emptyOrigin,
  git,
  gitWith,
  originAndClone,
  snapshotRepository,
  temporaryFolder,
  writeFiles,
  type Files,
} from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

const pointer = (size: number): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize ${size}\n`;

/** One job over a repository: opens, lets `work` change the directory, commits and pushes. The branch's files. */
async function job(files: Files, work: (directory: string) => void): Promise<Map<string, string>> {
  using folder = temporaryFolder();
  const { origin, clone } = originAndClone(folder.path, files);
  const before = snapshotRepository(clone);
  await using service = gitService(folder.path);
  const project = projectOf(clone);
  await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
  work(workspace.directory);
  await workspace.changes();
  const commit = (await workspace.commit('Change', {})) ?? '';
  await service.workspaces.push(project, 'docs-agent/j', commit, noSignal);
  assert.equal(snapshotRepository(clone), before);
  const names = git(origin, 'ls-tree', '-r', '-z', '--name-only', 'docs-agent/j').split('\0').filter(Boolean);
  return new Map(names.map((name) => [name, git(origin, 'cat-file', 'blob', `docs-agent/j:${name}`)]));
}

describe('a job on an odd repository', () => {
  const withLfs: Files = {
    '.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n',
    'a.md': '![A](a.png)\n',
    'a.png': pointer(12345),
  };

  it('leaves the pointers of Git LFS as they are, beside pages that change', async () => {
    const files = await job(withLfs, (directory) => writeFiles(directory, { 'a.md': '![An A](a.png)\n' }));
    assert.equal(`${files.get('a.png') ?? ''}\n`, pointer(12345));
  });

  it('may move and delete such a pointer', async () => {
    const files = await job({ ...withLfs, 'b.png': pointer(2) }, (directory) => {
      renameSync(path.join(directory, 'a.png'), path.join(directory, 'c.png'));
      writeFiles(directory, { 'b.png': undefined });
    });
    assert.deepEqual([...files.keys()], ['.gitattributes', 'a.md', 'c.png']);
  });

  it('never writes into such a pointer: the real file would be lost', async () => {
    const write = (directory: string): void => writeFiles(directory, { 'a.png': pointer(1) });
    await assert.rejects(job(withLfs, write), failsWith('protected_path', /a\.png.*Git LFS/));
    const moved = (directory: string): void => {
      renameSync(path.join(directory, 'a.png'), path.join(directory, 'b.png'));
      writeFiles(directory, { 'b.png': `${pointer(12345)}x` });
    };
    await assert.rejects(job(withLfs, moved), failsWith('protected_path', /b\.png.*Git LFS/));
  });

  it('takes a page that only tells of pointers for a page', async () => {
    const about = {
      ...withLfs,
      'lfs.md': '# Pointers\n\n' + pointer(1) + '\n',
    };
    const files = await job(about, (directory) => writeFiles(directory, { 'lfs.md': 'Changed\n' }));
    assert.equal(files.get('lfs.md'), 'Changed');
  });

  it('can rename a page so that only its case changes', async () => {
    const files = await job({ 'docs/Setup.md': 'one\ntwo\nthree\n', 'x.md': 'x\n' }, (directory) =>
      renameSync(path.join(directory, 'docs/Setup.md'), path.join(directory, 'docs/setup.md')),
    );
    assert.deepEqual([...files.keys()], ['docs/setup.md', 'x.md']);
  });

  it('keeps apart two pages whose names differ only in case', async () => {
    const files = await job({ 'Readme.md': 'upper\n', 'readme.md': 'lower\n' }, (directory) =>
      writeFiles(directory, { 'readme.md': 'changed\n' }),
    );
    assert.deepEqual(
      [...files],
      [
        ['Readme.md', 'upper'],
        ['readme.md', 'changed'],
      ],
    );
  });

  it('takes names in any script, composed or not, and keeps them byte for byte', async () => {
    const names = [
      '日本語/ページ.md',
      'é composed.md',
      'e\u0301 decomposed.md',
      'emoji 🚀.md',
      "it's $(odd) [x].md",
    ];
    const tree = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
    const files = await job(tree, (directory) => {
      for (const name of names) writeFiles(directory, { [name]: `changed ${name}\n` });
    });
    assert.deepEqual([...files.keys()].sort(), [...names].sort());
    for (const name of names) assert.equal(files.get(name), `changed ${name}`);
  });

  it('takes very long paths', async () => {
    // 255 bytes a name and about 2,000 a path: what Linux and git allow with room for the workspace before it.
    const deep = `${Array.from({ length: 8 }, (_, level) => `${level}${'d'.repeat(230)}`).join('/')}/p.md`;
    const files = await job({ [deep]: 'deep\n', 'a.md': 'a\n' }, (directory) =>
      writeFiles(directory, { [deep]: 'deeper\n', [`${'l'.repeat(252)}.md`]: 'long\n' }),
    );
    assert.equal(files.get(deep), 'deeper');
    assert.equal(files.get(`${'l'.repeat(252)}.md`), 'long');
  });

  it('takes a base branch whose name is longer than a file may be', async () => {
    using folder = temporaryFolder();
    const branch = `${'日本語の長い枝'.repeat(6)}/next`;
    const { origin, clone } = originAndClone(folder.path, { 'a.md': 'a\n' }, branch);
    await using service = gitService(folder.path);
    const { base, head } = await pushedJob(service, clone, { 'a.md': 'b\n' });
    assert.equal(base, git(clone, 'rev-parse', 'HEAD'));
    assert.equal(git(origin, 'rev-parse', 'docs-agent/j'), head);
  });

  it('names objects as its repository does, known from a clone or from the remote alone', async () => {
    using folder = temporaryFolder();
    const [origin, clone] = [path.join(folder.path, 'origin.git'), path.join(folder.path, 'clone')];
    const init = ['init', '--quiet', '--object-format=sha256', '--initial-branch=main'];
    git(folder.path, ...init, '--bare', origin);
    git(folder.path, ...init, clone);
    commitFiles(clone, { 'a.md': 'a\n' });
    await using service = gitService(folder.path);
    const alone = projectOf(clone);
    const { head } = await pushedJob(service, clone, { 'a.md': 'alone\n' });
    assert.deepEqual(await service.workspaces.checkOut(alone, 'docs-agent/j', head), {
      kind: 'checked_out',
    });
    assert.equal(git(clone, 'rev-parse', 'HEAD'), head);
    git(clone, 'remote', 'add', 'origin', origin);
    git(clone, 'push', '--quiet', 'origin', 'main');
    await using cloned = gitService(path.join(folder.path, 'cloned'));
    await using known = gitService(path.join(folder.path, 'known'));
    for (const [address, one, branch] of [
      [clone, cloned, 'docs-agent/cloned'],
      [`file://${origin}`, known, 'docs-agent/known'],
    ] as const) {
      const pushed = await pushedJob(one, address, { 'a.md': `${branch}\n` }, branch);
      assert.match(pushed.head, /^[0-9a-f]{64}$/);
      assert.equal(git(origin, 'rev-parse', branch), pushed.head);
    }
  });

  it('refuses what is no file in the place of a page', async () => {
    const pipe = (directory: string): void => {
      writeFiles(directory, { 'a.md': undefined });
      execFileSync('mkfifo', [path.join(directory, 'a.md'), path.join(directory, 'b')]);
    };
    await assert.rejects(job({ 'a.md': 'a\n' }, pipe), failsWith('protected_path', /a\.md.*no file/));
  });

  it('works in a submodule, a sparse checkout and a linked work tree, at a detached HEAD', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    const above = path.join(folder.path, 'above');
    git(folder.path, 'init', '--quiet', '--initial-branch=main', above);
    git(above, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'part');
    commitFiles(above, {});
    const part = path.join(above, 'part');
    git(part, 'checkout', '--quiet', '--detach');
    git(clone, 'sparse-checkout', 'set', 'docs');
    const linked = path.join(folder.path, 'linked here');
    git(clone, 'worktree', 'add', '--quiet', '--detach', linked);
    const before = [above, clone, linked].map(snapshotRepository);
    await using service = gitService(folder.path);
    for (const [index, place] of [part, path.join(clone, 'docs'), linked].entries()) {
      const branch = `docs-agent/${index}`;
      const { head } = await pushedJob(service, place, { 'README.md': `${index}\n` }, branch);
      assert.equal(git(origin, 'rev-parse', branch), head);
      assert.equal(git(origin, 'diff', '--name-only', 'main', branch), 'README.md');
    }
    assert.deepEqual([above, clone, linked].map(snapshotRepository), before);
  });

  it('takes over from a clone with very many branches only the newest and the main one', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    const old = git(clone, 'rev-parse', 'HEAD');
    const later = { GIT_COMMITTER_DATE: '2038-01-01T00:00:00Z' };
    const commit = ['commit-tree', `${old}^{tree}`, '-p', old];
    const newest = gitWith(clone, { input: 'New', env: later }, ...commit);
    const refs = Array.from(
      { length: 300 },
      (_, index) => `create refs/remotes/origin/b/${index} ${newest}\n`,
    );
    gitWith(clone, { input: refs.join('') }, 'update-ref', '--stdin');
    git(clone, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    await using service = gitService(folder.path);
    const { base, head } = await pushedJob(service, clone, { 'README.md': 'x\n' });
    assert.deepEqual([base, git(origin, 'rev-parse', 'docs-agent/j')], [old, head]);
    const mirrors = path.join(service.folders.cache, 'mirrors');
    const mirror = path.join(mirrors, readdirSync(mirrors).find((name) => name.endsWith('.git')) ?? '');
    const seeds = git(mirror, 'for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/seed');
    assert.equal(seeds.split('\n').length, 51);
    assert.ok(seeds.includes(`HEAD ${old}`), seeds);
  });

  it('says so when nothing was committed yet, with a remote or without', async () => {
    using folder = temporaryFolder();
    const origin = emptyOrigin(folder.path);
    const clone = path.join(folder.path, 'clone');
    git(folder.path, 'clone', '--quiet', origin, clone);
    await using service = gitService(folder.path);
    const open = service.workspaces.open({ jobId: 'j', project: projectOf(clone), signal: noSignal });
    await assert.rejects(open, failsWith('repository_empty', /no commit yet/));
  });

  it('is not confused by a base that moved, also past the pages that it changed', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, { 'docs/setup.md': 'Ours\n' });
    const theirs = commitFiles(clone, { 'docs/setup.md': 'Theirs\n' });
    git(clone, 'push', '--quiet');
    const commit = (await workspace.commit('Change', {})) ?? '';
    await service.workspaces.push(project, 'docs-agent/j', commit, noSignal);
    assert.equal(git(origin, 'rev-parse', 'docs-agent/j^'), workspace.baseCommit);
    assert.equal(git(origin, 'rev-parse', 'main'), theirs);
    const { files } = await service.workspaces.change(project, workspace.baseCommit, commit);
    assert.deepEqual(
      files.map((file) => file.path),
      ['docs/setup.md'],
    );
    assert.equal(readFileSync(path.join(clone, 'docs/setup.md'), 'utf8'), 'Theirs\n');
  });
});
