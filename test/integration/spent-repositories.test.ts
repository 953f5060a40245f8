import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeSpentRepositories } from '../../src/adapters/git/spent-repositories.ts';
import { Git, type GitResult, type RunOptions } from '../../src/adapters/git/run-git.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { type GitService, gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import {
  git,
  repositoryWithoutRemote,
  snapshotRepository,
  temporaryFolder,
  type TemporaryFolder,
  writeFiles,
} from '../support/repositories.ts';

const day = 86_400_000;

describe('the copy of a repository without a remote', function () {
  this.timeout(60_000);
  let folder: TemporaryFolder;
  let alone: string;
  let service: GitService;
  beforeEach(() => {
    folder = temporaryFolder();
    alone = repositoryWithoutRemote(folder.path);
    service = gitService(folder.path);
  });
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const copy = (): string => {
    const parent = path.join(service.folders.data, 'repositories');
    const [name = assert.fail('there is none'), ...others] = readdirSync(parent);
    assert.deepEqual(others, []);
    return path.join(parent, name);
  };
  const used = (days: number, gitDir = copy()): void => {
    const time = new Date(Date.now() - days * day);
    utimesSync(path.join(gitDir, 'docs-agent-used'), time, time);
  };
  /** Jobs' notes of their commits go by the commits' age. */
  const forgetNotes = (gitDir = copy()): void => {
    for (const ref of git(gitDir, 'for-each-ref', '--format=%(refname)', 'refs/docs-agent/').split('\n')) {
      if (ref !== '') git(gitDir, 'update-ref', '-d', ref);
    }
  };
  const merge = (branch = 'docs-agent/j'): void => {
    git(alone, 'fetch', '--quiet', copy(), `refs/heads/${branch}`);
    git(alone, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'FETCH_HEAD');
  };
  const remove = (): Promise<number> => removeSpentRepositories(service.git, service.folders);

  it('goes when its work was merged and nobody used it for a quarter, and is made anew when needed', async () => {
    const { base, head } = await pushedJob(service, alone, { 'README.md': 'new\n' });
    const project = projectOf(alone);
    const diff = await service.workspaces.diff(project, base, head);
    merge();
    forgetNotes();
    const gone = copy();
    used(91);
    const before = snapshotRepository(alone);
    await service.workspaces.cleanUp();
    assert.equal(existsSync(gone), false);
    assert.deepEqual(readdirSync(path.dirname(gone)), []);
    assert.equal(snapshotRepository(alone), before);
    assert.equal(await service.workspaces.diff(project, base, head), diff);
    await using _workspace = await service.workspaces.open({ jobId: 'next', project, signal: noSignal });
  });

  it('goes when no job ever pushed anything', async () => {
    await service.workspaces.branchHead(projectOf(alone), 'main', noSignal);
    used(91);
    assert.equal(await remove(), 1);
  });

  it('stays while somebody may still look at it', async () => {
    await service.workspaces.branchHead(projectOf(alone), 'main', noSignal);
    used(89);
    assert.equal(await remove(), 0);
    assert.ok(existsSync(copy()));
  });

  it('stays for ever with one branch that nobody merged', async () => {
    await pushedJob(service, alone, { 'README.md': 'new\n' }, 'docs-agent/a');
    await pushedJob(service, alone, { 'docs/setup.md': 'other\n' }, 'docs-agent/b');
    merge('docs-agent/a');
    forgetNotes();
    used(9999);
    assert.equal(await remove(), 0);
    assert.match(git(copy(), 'for-each-ref', 'refs/heads/'), /docs-agent\/b/);
  });

  it('stays when its work was merged and then taken back', async () => {
    await pushedJob(service, alone, { 'README.md': 'new\n' });
    forgetNotes();
    merge();
    git(alone, 'reset', '--quiet', '--hard', 'HEAD~1');
    used(91);
    assert.equal(await remove(), 0);
  });

  it('stays while a change is kept that was not pushed', async () => {
    await using workspace = await service.workspaces.open({
      jobId: 'refused',
      project: projectOf(alone),
      signal: noSignal,
    });
    writeFiles(workspace.directory, { 'README.md': 'refused\n' });
    await workspace.commit('Refused', {});
    used(91);
    assert.equal(await remove(), 0);
  });

  it('stays when a branch is broken, so that nobody can tell what it held', async () => {
    await pushedJob(service, alone, { 'README.md': 'new\n' });
    forgetNotes();
    writeFileSync(path.join(copy(), 'refs', 'heads', 'docs-agent', 'j'), '');
    used(91);
    assert.equal(await remove(), 0);
    assert.ok(existsSync(copy()));
  });

  it('stays when the folder of the writer is gone, or is another repository now', async () => {
    await pushedJob(service, alone, { 'README.md': 'new\n' });
    forgetNotes();
    merge();
    renameSync(alone, `${alone}-moved`);
    used(91);
    assert.equal(await remove(), 0);
    repositoryWithoutRemote(folder.path, { 'another.md': '# Another\n' });
    assert.equal(await remove(), 0);
    assert.ok(existsSync(copy()));
  });

  it('stays when somebody begins to use it in this moment', async () => {
    await pushedJob(service, alone, { 'README.md': 'new\n' });
    forgetNotes();
    merge();
    used(91);
    class BusyGit extends Git {
      override async run(args: readonly string[], options?: RunOptions): Promise<GitResult> {
        const result = await super.run(args, options);
        if (args.some((arg) => arg.startsWith('--contains='))) used(0);
        return result;
      }
    }
    const env = { PATH: process.env['PATH'], HOME: folder.path, GIT_CONFIG_NOSYSTEM: '1' };
    const emptyFolder = path.join(service.folders.cache, 'empty');
    const busy = new BusyGit({ redactor: new Redactor(), env, emptyFolder });
    assert.equal(await removeSpentRepositories(busy, service.folders), 0);
    used(91);
    assert.equal(await remove(), 1, 'nothing else kept it');
  });
});
