import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gitService, noSignal, projectOf } from '../support/git-service.ts';
import {
  anotherClone,
  commitFiles,
  git,
  originAndClone,
  temporaryFolder,
  writeFiles,
} from '../support/repositories.ts';
import { failsWith } from '../support/service-errors.ts';

const read = (directory: string, file: string): string => readFileSync(path.join(directory, file), 'utf8');

describe('a job that goes on', () => {
  it('gives the same commit again when an attempt died after its commit', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    const project = projectOf(clone);
    // Another author each time: only a commit that is used again can have the same id.
    const attempt = async (text: string, name: string): Promise<string | undefined> => {
      const author = { name, email: 'a@example.org' };
      await using service = gitService(folder.path, { workspaces: { author } });
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      writeFiles(workspace.directory, { 'README.md': text });
      return await workspace.commit('Same message', { 'Generated-By': 'x' });
    };
    const first = await attempt('same\n', 'A');
    assert.ok(first);
    assert.equal(await attempt('same\n', 'B'), first);
    assert.notEqual(await attempt('other\n', 'C'), first);
  });

  it('goes on where the job stopped, on top of what a person added to its branch', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    await using service = gitService(folder.path);
    const project = projectOf(clone);
    const { workspaces } = service;
    let baseCommit: string;
    let headCommit: string;
    {
      await using workspace = await workspaces.open({ jobId: 'j', project, signal: noSignal });
      writeFiles(workspace.directory, { 'one.md': '1\n' });
      headCommit = (await workspace.commit('One', {})) ?? '';
      ({ baseCommit } = workspace);
      await workspaces.push(project, 'docs-agent/j', headCommit, noSignal);
    }
    commitFiles(clone, { 'elsewhere.md': 'base moved\n' });
    git(clone, 'push', '--quiet');
    const from = { baseCommit, branch: 'docs-agent/j', headCommit };
    {
      await using workspace = await workspaces.open({ jobId: 'j', project, signal: noSignal, from });
      assert.equal(workspace.parentCommit, headCommit);
      assert.equal(workspace.baseCommit, baseCommit);
      assert.equal(read(workspace.directory, 'one.md'), '1\n');
      assert.equal(existsSync(path.join(workspace.directory, 'elsewhere.md')), false);
    }
    const colleague = anotherClone(folder.path, origin);
    git(colleague, 'checkout', '--quiet', 'docs-agent/j');
    const theirs = commitFiles(colleague, { 'one.md': 'by hand\n' });
    git(colleague, 'push', '--quiet');
    await using workspace = await workspaces.open({ jobId: 'j', project, signal: noSignal, from });
    assert.equal(workspace.parentCommit, theirs);
    writeFiles(workspace.directory, { 'two.md': '2\n' });
    const second = (await workspace.commit('Two', {})) ?? '';
    await workspaces.push(project, 'docs-agent/j', second, noSignal);
    assert.equal(await workspaces.branchHead(project, 'docs-agent/j', noSignal), second);
    const subjects = (await workspaces.commits(project, baseCommit, second)).map((one) => one.subject);
    assert.deepEqual(subjects, ['Two', 'Change', 'One']);
  });

  it('survives the loss of the cache: what was pushed comes back', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    const project = projectOf(clone);
    let from: { baseCommit: string; branch: string; headCommit: string };
    {
      await using service = gitService(path.join(folder.path, 'first'));
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      writeFiles(workspace.directory, { 'one.md': '1\n' });
      const headCommit = (await workspace.commit('One', {})) ?? '';
      await service.workspaces.push(project, 'job', headCommit, noSignal);
      from = { baseCommit: workspace.baseCommit, branch: 'job', headCommit };
    }
    await using service = gitService(path.join(folder.path, 'second'));
    const diff = await service.workspaces.diff(project, from.baseCommit, from.headCommit);
    assert.match(diff, /\+1/);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal, from });
    assert.equal(workspace.parentCommit, from.headCommit);
    await assert.rejects(
      service.workspaces.diff(project, from.baseCommit, 'f'.repeat(40)),
      failsWith('repository_unavailable', /no longer in the repository/),
    );
    await assert.rejects(
      service.workspaces.diff(project, '--output=/tmp/x', from.headCommit),
      failsWith('repository_unavailable', /no longer/),
    );
  });
});
