import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { gitService, leftWorkspaces, noSignal, projectOf } from '../support/git-service.ts';
import {
  commitFiles,
  git,
  gitWith,
  makeMessy,
  originAndClone,
  repositoryWithoutRemote,
  snapshotRepository,
  temporaryFolder,
  writeFiles,
} from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

const read = (directory: string, file: string): string => readFileSync(path.join(directory, file), 'utf8');

describe("a job's workspace", () => {
  it('is a plain directory with the committed files of the base, and leaves the writer untouched', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    makeMessy(clone);
    const before = snapshotRepository(clone);
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    {
      await using workspace = await service.workspaces.open({ jobId: 'j1', project, signal: noSignal });
      assert.deepEqual(readdirSync(workspace.directory).sort(), ['README.md', 'docs']);
      assert.equal(read(workspace.directory, 'README.md'), '# Sample\n\nHow to log in.\n');
      assert.equal(workspace.baseCommit, git(clone, 'rev-parse', 'origin/main'));
      assert.equal(workspace.parentCommit, workspace.baseCommit);
      assert.deepEqual(await workspace.changes(), { files: [], patchBytes: 0 });
      assert.equal(await workspace.commit('Nothing', {}), undefined);
      writeFiles(workspace.directory, { 'docs/setup.md': '# Set-up\n\nSign in.\n', 'docs/new.md': 'New\n' });
      const commit = await workspace.commit('Sign in', { 'Generated-By': 'Docs Agent' });
      assert.ok(commit);
      await service.workspaces.push(project, 'docs-agent/j1', commit, noSignal);
    }
    assert.equal(snapshotRepository(clone), before);
    assert.deepEqual(leftWorkspaces(service.folders.cache), []);
  });

  it('tells what changed: added, modified, deleted, renamed, with counts', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path, {
      'a.md': 'one\ntwo\nthree\nfour\n',
      'gone.md': 'gone\n',
      'moved.md': 'long enough\nto be\nrecognised\nas the same\n',
      'picture.bin': Buffer.from([0, 1, 2, 255]),
      '.gitignore': 'build/\n',
    });
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, {
      'a.md': 'one\n2\nthree\nfour\nfive\n',
      'gone.md': undefined,
      'moved.md': undefined,
      'deep/er/moved.md': 'long enough\nto be\nrecognised\nas the same\n',
      'new.md': 'new\n',
      'picture.bin': Buffer.from([0, 9]),
      'build/out.html': 'ignored\n',
      // What a tool leaves that is killed while it writes.
      'deep/.docs-agent-0a1b2c3d4e5f6a7b8c.tmp': 'ne',
    });
    const { files, patchBytes } = await workspace.changes();
    assert.deepEqual(
      files.map((file) => [file.change, file.previousPath, file.path, file.addedLines, file.removedLines]),
      [
        ['modified', undefined, 'a.md', 2, 1],
        ['renamed', 'moved.md', 'deep/er/moved.md', 0, 0],
        ['deleted', undefined, 'gone.md', 0, 1],
        ['added', undefined, 'new.md', 1, 0],
        ['modified', undefined, 'picture.bin', 0, 0],
      ],
    );
    const commit = (await workspace.commit('All kinds\n\nText', { 'Generated-By': 'Docs\nAgent' })) ?? '';
    const diff = await service.workspaces.diff(project, workspace.baseCommit, commit);
    assert.equal(patchBytes, Buffer.byteLength(diff));
    assert.match(diff, /rename from moved\.md\nrename to deep\/er\/moved\.md/);
    assert.deepEqual((await service.workspaces.change(project, workspace.baseCommit, commit)).files, files);
    const [info, ...rest] = await service.workspaces.commits(project, workspace.baseCommit, commit);
    assert.deepEqual(rest, []);
    assert.deepEqual({ ...info, at: 0 }, { id: commit, subject: 'All kinds', author: 'Docs Agent', at: 0 });
    assert.ok(Math.abs((info?.at ?? 0) - Date.now()) < 60_000);
  });

  it('shows its parent as text and as a second directory', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path, {
      'a.md': '\uFEFFä\r\n',
      'b.bin': Buffer.from([255, 254]),
      'd/e.md': 'e',
    });
    await using service = gitService(folder.path);
    await using workspace = await service.workspaces.open({
      jobId: 'j',
      project: projectOf(clone),
      signal: noSignal,
    });
    writeFiles(workspace.directory, { 'a.md': 'changed' });
    assert.equal(await workspace.readParent(['a.md'], 100), '\uFEFFä\r\n');
    assert.equal(await workspace.readParent(['a.md'], 6), undefined);
    for (const none of ['b.bin', 'd', 'd/', 'missing', '', '../a.md', '*.md', ':/a.md']) {
      assert.equal(await workspace.readParent([none], 100), undefined, none);
    }
    assert.equal(await workspace.readParent(['', 'missing', 'b.bin', 'd', 'd/e.md', 'a.md'], 100), 'e');
    let directory: string;
    {
      await using parent = await workspace.openCopy(workspace.parentCommit);
      ({ directory } = parent);
      assert.equal(read(directory, 'a.md'), '\uFEFFä\r\n');
      assert.equal(read(workspace.directory, 'a.md'), 'changed');
    }
    assert.equal(existsSync(directory), false);
    assert.deepEqual(
      (await workspace.changes()).files.map((file) => file.path),
      ['a.md'],
    );
  });

  it('keeps bytes, names and modes as they are, whatever .gitattributes says', async () => {
    using folder = temporaryFolder();
    const long = `${'ü'.repeat(100)}.md`;
    const files = {
      '.gitattributes':
        '*.md text eol=crlf ident\n*.txt working-tree-encoding=UTF-16 text\n*.x filter=evil\n',
      'crlf.md': 'a\r\nb\r\n$Id$\r\n',
      'lf.md': 'a\nb\n',
      'bom.md': '\uFEFFx\r\n',
      't.txt': 'plain\n',
      'f.x': 'filtered\n',
      'Ünï cødé/日本語 page.md': 'x\n',
      [long]: 'long\n',
      'with\ttab "and" quotes.md': 'q\n',
      'run.sh': '#!/bin/sh\n',
    };
    const { clone } = originAndClone(folder.path, { 'README.md': 'x' });
    writeFiles(clone, files);
    // Stored raw, as a repository that was made elsewhere may hold them.
    for (const name of Object.keys(files)) {
      const id = git(clone, 'hash-object', '-w', '--no-filters', name);
      const mode = name === 'run.sh' ? '100755' : '100644';
      git(clone, 'update-index', '--add', '--cacheinfo', `${mode},${id},${name}`);
    }
    git(clone, 'commit', '--quiet', '-m', 'Raw');
    git(clone, 'push', '--quiet');
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    for (const [name, content] of Object.entries(files))
      assert.equal(read(workspace.directory, name), content);
    assert.deepEqual((await workspace.changes()).files, []);
    writeFiles(workspace.directory, {
      'crlf.md': 'a\r\nc\r\n$Id$\r\n',
      'run.sh': '#!/bin/sh\nls\n',
      'f.x': 'y\n',
    });
    const commit = (await workspace.commit('x', {})) ?? '';
    await service.workspaces.push(project, 'job', commit, noSignal);
    git(clone, 'fetch', '--quiet');
    assert.equal(gitWith(clone, {}, 'cat-file', 'blob', `${commit}:crlf.md`), 'a\r\nc\r\n$Id$\r');
    assert.match(git(clone, 'ls-tree', commit, 'run.sh'), /^100755/);
    const change = await service.workspaces.change(project, workspace.baseCommit, commit);
    assert.deepEqual(
      change.files.map(({ path: name, addedLines, removedLines }) => [name, addedLines, removedLines]),
      [
        ['crlf.md', 1, 1],
        ['f.x', 1, 1],
        ['run.sh', 1, 0],
      ],
    );
  });

  it('writes links as plain files, so that nothing leads out, and commits them as links again', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    symlinkSync('/etc/passwd', path.join(clone, 'passwd.md'));
    symlinkSync('../..', path.join(clone, 'docs', 'up'));
    commitFiles(clone, {}, 'Links');
    git(clone, 'push', '--quiet');
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    assert.equal(lstatSync(path.join(workspace.directory, 'passwd.md')).isFile(), true);
    assert.equal(read(workspace.directory, 'docs/up'), '../..');
    assert.equal(await workspace.readParent(['passwd.md'], 1000), undefined);
    writeFiles(workspace.directory, { 'README.md': 'changed\n' });
    const commit = (await workspace.commit('x', {})) ?? '';
    await service.workspaces.push(project, 'job', commit, noSignal);
    git(clone, 'fetch', '--quiet');
    assert.match(git(clone, 'ls-tree', commit, 'passwd.md'), /^120000/);
    assert.equal(git(clone, 'diff', '--name-only', 'HEAD', commit), 'README.md');
  });

  it('refuses new links, repositories inside and names that mean .git, with nothing committed', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    const attempt = async (make: (directory: string) => void, words: RegExp): Promise<void> => {
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      make(workspace.directory);
      await assert.rejects(workspace.commit('x', {}), failsWith('protected_path', words));
      await assert.rejects(workspace.changes(), failsWith('protected_path', words));
    };
    await attempt(
      (directory) => symlinkSync('/etc/passwd', path.join(directory, 'x.md')),
      /x\.md a symbolic link/,
    );
    await attempt((directory) => {
      writeFiles(directory, { docs: undefined });
      symlinkSync('/etc', path.join(directory, 'docs'));
    }, /docs a symbolic link/);
    const trap = path.join(folder.path, 'trap');
    await attempt((directory) => {
      git(directory, 'init', '--quiet', 'sub');
      commitFiles(path.join(directory, 'sub'), { 'x.md': 'x' });
      git(path.join(directory, 'sub'), 'config', 'core.fsmonitor', `touch ${trap}`);
    }, /sub\/\.git/);
    for (const name of ['.git/config', 'docs/.GIT/x', 'git~1/x', '.git./x', '.g\u200cit/config']) {
      await attempt((directory) => writeFiles(directory, { [name]: 'x' }), /belongs to git/);
    }
    assert.equal(existsSync(trap), false);
  });

  it('refuses a link that points elsewhere, and lets one be moved or deleted', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    symlinkSync('../README.md', path.join(clone, 'docs', 'link.md'));
    commitFiles(clone, {}, 'Link');
    git(clone, 'push', '--quiet');
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    for (const target of ['/etc/passwd', '../README.md\n']) {
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      writeFiles(workspace.directory, { 'docs/link.md': target });
      await assert.rejects(
        workspace.commit('x', {}),
        failsWith('protected_path', /link\.md.*point elsewhere/),
      );
    }
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, { 'docs/link.md': undefined });
    assert.ok(await workspace.commit('x', {}));
  });

  it('leaves a submodule alone, and what is put into it', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    const id = git(clone, 'rev-parse', 'HEAD');
    git(clone, 'update-index', '--add', '--cacheinfo', `160000,${id},sub`);
    git(clone, 'commit', '--quiet', '-m', 'Submodule');
    git(clone, 'push', '--quiet');
    await using service = gitService(folder.path);
    await using workspace = await service.workspaces.open({
      jobId: 'j',
      project: projectOf(clone),
      signal: noSignal,
    });
    assert.deepEqual((await workspace.changes()).files, []);
    writeFiles(workspace.directory, { 'README.md': 'x\n' });
    assert.deepEqual(
      (await workspace.changes()).files.map((file) => file.path),
      ['README.md'],
    );
  });

  it('works for a shallow clone and for one that lacks files, fetching the rest itself', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    commitFiles(clone, { 'README.md': 'second\n' });
    git(clone, 'push', '--quiet');
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    await using service = gitService(folder.path);
    for (const [index, option] of ['--depth=1', '--filter=blob:none'].entries()) {
      const partial = path.join(folder.path, option);
      git(folder.path, 'clone', '--quiet', option, `file://${origin}`, partial);
      const before = snapshotRepository(partial);
      const project = projectOf(partial);
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      assert.equal(read(workspace.directory, 'README.md'), 'second\n');
      writeFiles(workspace.directory, { 'README.md': `${option}\n` });
      const commit = (await workspace.commit('x', {})) ?? '';
      await service.workspaces.push(project, `job-${index}`, commit, noSignal);
      assert.equal(git(origin, 'rev-parse', `job-${index}`), commit);
      assert.equal(snapshotRepository(partial), before);
    }
    const alone = path.join(folder.path, '--depth=1');
    git(alone, 'remote', 'remove', 'origin');
    await using workspace = await service.workspaces.open({
      jobId: 'k',
      project: projectOf(alone),
      signal: noSignal,
    });
    assert.equal(read(workspace.directory, 'README.md'), 'second\n');
  });

  it('says that the base branch is missing', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    for (const baseBranch of ['nope', '-x', 'a..b', '../x', 'refs/heads/*', 'main:evil']) {
      const project = projectOf(clone, { baseBranch });
      await assert.rejects(
        service.workspaces.open({ jobId: 'j', project, signal: noSignal }),
        failsWith('base_branch_missing', /does not exist|cannot be the name/),
        baseBranch,
      );
    }
  });

  it('ends at once, with nothing left, when its signal says so', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const controller = new AbortController();
    const project = projectOf(clone);
    const workspace = await service.workspaces.open({ jobId: 'j', project, signal: controller.signal });
    controller.abort(new Error('stop now'));
    await assert.rejects(workspace.changes(), /stop now/);
    await workspace[Symbol.asyncDispose]();
    await assert.rejects(
      service.workspaces.open({ jobId: 'k', project, signal: controller.signal }),
      /stop now/,
    );
    assert.deepEqual(leftWorkspaces(service.folders.cache), []);
  });

  it('works on a repository without a remote and leaves it byte for byte alone', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    makeMessy(alone);
    const before = snapshotRepository(alone);
    await using service = gitService(folder.path);
    const project = projectOf(alone);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, { 'README.md': 'job\n' });
    const commit = (await workspace.commit('x', {})) ?? '';
    await service.workspaces.push(project, 'docs-agent/j', commit, noSignal);
    await service.workspaces.push(project, 'docs-agent/j', commit, noSignal);
    assert.equal(await service.workspaces.branchHead(project, 'docs-agent/j', noSignal), commit);
    assert.match(await service.workspaces.diff(project, workspace.baseCommit, commit), /\+job/);
    assert.equal(snapshotRepository(alone), before);
  });
});
