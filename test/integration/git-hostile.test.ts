import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import {
  git,
  gitWith,
  installHook,
  originAndClone,
  snapshotRepository,
  temporaryFolder,
} from '../support/repositories.ts';

/** Every key of a repository's own configuration that names a command for what the service does. */
const commandKeys = [
  'core.fsmonitor',
  'core.sshCommand',
  'core.gitProxy',
  'core.alternateRefsCommand',
  'core.askPass',
  'core.editor',
  'core.pager',
  'credential.helper',
  'diff.external',
  'filter.evil.clean',
  'filter.evil.smudge',
  'filter.evil.process',
  'merge.evil.driver',
  'remote.origin.uploadpack',
  'remote.origin.receivepack',
  'remote.origin.vcs',
  'uploadpack.packObjectsHook',
  'gpg.program',
];

describe('a repository that means harm', () => {
  it('runs nothing on the way from looking to merging, and stays as it is', async () => {
    using folder = temporaryFolder();
    const files = { '.gitattributes': '* filter=evil merge=evil diff=evil\n', 'a.md': 'a\n' };
    const { origin, clone } = originAndClone(folder.path, files);
    const trap = path.join(folder.path, 'trap');
    const command = `touch ${trap};`;
    for (const name of [
      'post-checkout',
      'pre-commit',
      'commit-msg',
      'post-commit',
      'pre-push',
      'post-merge',
      'reference-transaction',
      'post-index-change',
      'fsmonitor-watchman',
    ]) {
      installHook(path.join(clone, '.git'), name, command);
    }
    for (const key of commandKeys) if (key !== 'remote.origin.vcs') git(clone, 'config', key, command);
    git(clone, 'config', 'filter.evil.required', 'true');
    git(clone, 'config', 'core.hooksPath', '.git/hooks');
    git(clone, 'config', 'core.worktree', clone);
    const before = snapshotRepository(clone);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, clone, { 'a.md': 'b\n' });
    await service.workspaces.diff(projectOf(clone), head, head);
    const merged = await service.workspaces.merge(projectOf(clone), 'docs-agent/j', head, 'Merge');
    assert.equal(merged.kind, 'merged');
    assert.equal(git(origin, 'show', 'main:a.md'), 'b');
    assert.equal(existsSync(trap), false);
    assert.equal(snapshotRepository(clone), before);
  });

  it('cannot write outside the workspace by what its trees name', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    const blob = gitWith(clone, { input: 'evil\n' }, 'hash-object', '-w', '--stdin');
    const treeOf = (lines: string): string => gitWith(clone, { input: lines }, 'mktree');
    const inner = treeOf(`100644 blob ${blob}\tconfig\n`);
    const evil: string[] = ['.git', '.GIT', 'git~1', '.git ', '.g\u200cit', '..'];
    await using service = gitService(folder.path);
    for (const [index, name] of evil.entries()) {
      const tree = treeOf(`100644 blob ${blob}\tpage.md\n040000 tree ${inner}\t${name}\n`);
      const commit = gitWith(clone, { input: 'x' }, 'commit-tree', tree);
      const branch = `evil-${index}`;
      git(clone, 'push', '--quiet', 'origin', `${commit}:refs/heads/${branch}`);
      const project = projectOf(clone, { baseBranch: branch });
      await assert.rejects(
        service.workspaces.open({ jobId: 'j', project, signal: noSignal }),
        (error: unknown) => error instanceof Error && /cannot hold|could not do/.test(error.message),
        name,
      );
    }
    // A link to outside, and then a file through it: the link is a plain file here, so the path is refused.
    const link = gitWith(clone, { input: folder.path }, 'hash-object', '-w', '--stdin');
    const linked = treeOf(`120000 blob ${link}\tdocs\n100644 blob ${blob}\tpage.md\n`);
    const commit = gitWith(clone, { input: 'x' }, 'commit-tree', linked);
    git(clone, 'push', '--quiet', 'origin', `${commit}:refs/heads/linked`);
    const project = projectOf(clone, { baseBranch: 'linked' });
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    assert.equal(existsSync(path.join(workspace.directory, 'docs', 'origin.git')), false);
    assert.equal(existsSync(origin), true);
  });
});
