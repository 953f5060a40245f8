import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cleanCache } from '../../src/adapters/git/cache.ts';
import { gitService, noSignal, projectOf, pushedJob } from '../support/git-service.ts';
import {
  commitFiles,
  git,
  gitWith,
  originAndClone,
  repositoryWithoutRemote,
  snapshotRepository,
  temporaryFolder,
  writeFiles,
} from '../support/repositories.ts';

const program = path.join(import.meta.dirname, '..', 'support', 'workspace-process.ts');

function start(...args: readonly string[]): {
  child: ChildProcess;
  line: Promise<string>;
  ended: Promise<unknown>;
} {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    line: once(lines, 'line').then(([line]) => String(line)),
    ended: once(child, 'exit'),
  };
}

const hour = 3_600_000;

/** Tells each name that goes from a folder. */
function watched(folder: string, tell: (name: string) => void): Disposable & { readonly folder: string } {
  const watcher = watch(folder, (_kind, name) => {
    if (name !== null && name !== path.basename(folder) && !existsSync(path.join(folder, name))) tell(name);
  });
  return { folder, [Symbol.dispose]: () => watcher.close() };
}

describe('several processes on one cache', () => {
  it('make one mirror together and push a branch each', async () => {
    using folder = temporaryFolder();
    const { origin, clone } = originAndClone(folder.path);
    const before = snapshotRepository(clone);
    const jobs = ['a', 'b', 'c'];
    const processes = jobs.map((job) => start(folder.path, clone, job));
    const commits = await Promise.all(processes.map(({ line }) => line));
    // They remove their workspaces after they have spoken.
    await Promise.all(processes.map(({ ended }) => ended));
    for (const [index, job] of jobs.entries()) {
      assert.equal(git(origin, 'rev-parse', `docs-agent/${job}`), commits[index]);
    }
    assert.equal(readdirSync(path.join(folder.path, 'cache', 'mirrors')).length, 1);
    assert.equal(snapshotRepository(clone), before);
  });

  it('fetch the same branch at the same time', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    await using one = gitService(folder.path);
    await using two = gitService(folder.path);
    const project = projectOf(clone);
    await one.workspaces.branchHead(project, 'main', noSignal);
    for (let round = 0; round < 5; round++) {
      const head = commitFiles(clone, { 'x.md': `${round}\n` });
      git(clone, 'push', '--quiet');
      const heads = await Promise.all(
        [one, two, one, two].map(({ workspaces }) => workspaces.branchHead(project, 'main', noSignal)),
      );
      assert.deepEqual(new Set(heads), new Set([head]));
    }
  });

  it('lose them also when the one that cleans up is killed in the middle: whose they were goes last', async () => {
    using folder = temporaryFolder();
    const left = path.join(folder.path, 'cache', 'work', '01234567');
    const { pid } = spawnSync(process.execPath, ['--version']);
    const owner = JSON.stringify({ host: os.hostname(), pid });
    writeFiles(left, { owner, 'a/tree/page.md': '# A\n', 'z/tree/page.md': '# Z\n' });
    const gone: string[] = [];
    const all = Promise.withResolvers<void>();
    using watcher = watched(left, (name) => {
      gone.push(name);
      if (gone.length === 3) all.resolve();
    });
    await cleanCache({ cache: path.join(folder.path, 'cache'), data: folder.path }, 0);
    await all.promise;
    assert.equal(gone[2], 'owner', `${gone.join(', ')} in ${watcher.folder}`);
    assert.equal(existsSync(left), false);
  });

  it('keep their own workspaces when they clean up after the machine has slept for long', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    const project = projectOf(clone);
    await using service = gitService(folder.path);
    await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    const before = new Date(Date.now() - 8 * hour);
    utimesSync(path.join(workspace.directory, '..', '..', 'owner'), before, before);
    await service.workspaces.cleanUp();
    assert.equal(existsSync(path.join(workspace.directory, 'README.md')), true);
  });

  it('lose their workspaces when killed, and only then', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    const { child, line, ended } = start(folder.path, clone, 'held', 'hold');
    try {
      const directory = await line;
      await using service = gitService(folder.path);
      await service.workspaces.cleanUp();
      assert.equal(existsSync(path.join(directory, 'README.md')), true, 'its process lives');
      child.kill('SIGKILL');
      await ended;
      await service.workspaces.cleanUp();
      assert.equal(existsSync(directory), false);
      assert.deepEqual(readdirSync(path.join(folder.path, 'cache', 'work')), []);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('a mirror that broke', () => {
  const breaks: [string, (mirror: string) => void][] = [
    ['lost its HEAD', (mirror) => rmSync(path.join(mirror, 'HEAD'))],
    [
      'has a damaged pack',
      (mirror) => {
        const packs = path.join(mirror, 'objects', 'pack');
        for (const name of readdirSync(packs)) {
          chmodSync(path.join(packs, name), 0o644);
          writeFileSync(path.join(packs, name), Buffer.alloc(100));
        }
      },
    ],
    ['has an empty ref', (mirror) => writeFileSync(path.join(mirror, 'refs', 'base', 'main'), '')],
  ];
  for (const [what, damage] of breaks) {
    it(`is made again when it ${what}`, async () => {
      using folder = temporaryFolder();
      const { clone } = originAndClone(folder.path);
      const project = projectOf(clone);
      {
        await using service = gitService(folder.path);
        await service.workspaces.branchHead(project, 'main', noSignal);
      }
      const mirrors = path.join(folder.path, 'cache', 'mirrors');
      damage(path.join(mirrors, readdirSync(mirrors)[0] ?? ''));
      const head = commitFiles(clone, { 'later.md': 'x\n' });
      git(clone, 'push', '--quiet');
      await using service = gitService(folder.path);
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      assert.equal(workspace.baseCommit, head);
      assert.equal(existsSync(path.join(workspace.directory, 'later.md')), true);
      assert.equal(readdirSync(mirrors).length, 1);
    });
  }
});

describe('a mirror that a power cut left locked', () => {
  const locks: [string, (jobId: string) => string][] = [
    ['a branch', () => path.join('refs', 'base', 'main.lock')],
    ["the job's commit", (jobId) => path.join('refs', 'docs-agent', 'jobs', `${jobId}.lock`)],
  ];
  for (const [what, fileOf] of locks) {
    it(`is used again: the lock of ${what}`, async () => {
      using folder = temporaryFolder();
      const { clone } = originAndClone(folder.path);
      const project = projectOf(clone);
      await using service = gitService(folder.path);
      await service.workspaces.branchHead(project, 'main', noSignal);
      const mirrors = path.join(folder.path, 'cache', 'mirrors');
      const lock = path.join(mirrors, readdirSync(mirrors)[0] ?? '', fileOf('j'));
      writeFiles(path.dirname(lock), { [path.basename(lock)]: '' });
      const before = new Date(Date.now() - 60_000);
      utimesSync(lock, before, before);
      const head = commitFiles(clone, { 'later.md': 'x\n' });
      git(clone, 'push', '--quiet');
      await using workspace = await service.workspaces.open({ jobId: 'j', project, signal: noSignal });
      assert.equal(workspace.baseCommit, head);
      writeFiles(workspace.directory, { 'README.md': 'changed\n' });
      assert.match((await workspace.commit('Change', {})) ?? '', /^[0-9a-f]{40}$/);
      assert.equal(existsSync(lock), false);
    });
  }

  it('waits for a lock that somebody may hold', async () => {
    using folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    const project = projectOf(clone);
    await using service = gitService(folder.path);
    await service.workspaces.branchHead(project, 'main', noSignal);
    const mirrors = path.join(folder.path, 'cache', 'mirrors');
    const lock = path.join(mirrors, readdirSync(mirrors)[0] ?? '', 'refs', 'base', 'main.lock');
    writeFileSync(lock, '');
    commitFiles(clone, { 'later.md': 'x\n' });
    git(clone, 'push', '--quiet');
    await assert.rejects(service.workspaces.branchHead(project, 'main', noSignal), {
      code: 'network',
      retryable: true,
    });
    assert.equal(existsSync(lock), true);
  });
});

describe('tending', () => {
  it('packs what many fetches left, and keeps work that is nowhere else', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    const project = projectOf(alone);
    await using service = gitService(folder.path);
    const { head } = await pushedJob(service, alone, { 'README.md': 'x\n' });
    const parent = path.join(service.folders.data, 'repositories');
    const mirror = path.join(parent, readdirSync(parent)[0] ?? '');
    const env = { GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z' };
    const old = gitWith(mirror, { input: 'old', env }, 'commit-tree', `${head}^{tree}`);
    git(mirror, 'update-ref', 'refs/docs-agent/jobs/old', old);
    for (let number = 0; number < 60; number++) {
      const id = gitWith(mirror, { input: `${number}` }, 'hash-object', '-w', '--stdin');
      gitWith(mirror, { input: `${id}\n` }, 'pack-objects', '--quiet', 'objects/pack/pack');
    }
    const packs = (): number =>
      readdirSync(path.join(mirror, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
    assert.ok(packs() >= 60);
    await service.workspaces.cleanUp();
    assert.ok(packs() <= 2, `${packs()} packs`);
    assert.equal(await service.workspaces.branchHead(project, 'docs-agent/j', noSignal), head);
    assert.match(git(mirror, 'for-each-ref', 'refs/docs-agent/'), /jdocs-agent/);
    assert.doesNotMatch(git(mirror, 'for-each-ref', 'refs/docs-agent/'), /old/);
  });
});

describe('the size of the cache', () => {
  const mirror = (cache: string, name: string, bytes: number, usedHoursAgo: number): string => {
    const directory = path.join(cache, 'mirrors', name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'pack'), Buffer.alloc(bytes));
    const used = path.join(directory, 'docs-agent-used');
    writeFileSync(used, '');
    const time = new Date(Date.now() - usedHoursAgo * hour);
    utimesSync(used, time, time);
    return directory;
  };

  it('is bounded by the least recently used mirrors, without those in use', async () => {
    using folder = temporaryFolder();
    const cache = path.join(folder.path, 'cache');
    const folders = { cache, data: path.join(folder.path, 'data') };
    const old = mirror(cache, 'old.git', 1000, 50);
    const held = mirror(cache, 'held.git', 1000, 40);
    const middle = mirror(cache, 'middle.git', 1000, 30);
    const recent = mirror(cache, 'recent.git', 1000, 20);
    const now = mirror(cache, 'now.git', 5000, 0);
    const workspace = path.join(cache, 'work', 'alive', 'w');
    mkdirSync(workspace, { recursive: true });
    writeFileSync(
      path.join(cache, 'work', 'alive', 'owner'),
      JSON.stringify({ host: os.hostname(), pid: process.pid }),
    );
    writeFileSync(path.join(workspace, 'mirror'), 'held.git');
    assert.deepEqual(await cleanCache(folders, 7000), { workspaces: 0, mirrors: 2 });
    assert.deepEqual(
      [old, held, middle, recent, now].map((one) => existsSync(one)),
      [false, true, false, true, true],
    );
    assert.deepEqual(await cleanCache(folders, 0), { workspaces: 0, mirrors: 1 });
    assert.deepEqual(
      [held, recent, now].map((one) => existsSync(one)),
      [true, false, true],
    );
  });

  it('forgets what a killed process had begun to make, at once and in both places', async () => {
    using folder = temporaryFolder();
    const folders = { cache: path.join(folder.path, 'cache'), data: path.join(folder.path, 'data') };
    const dead = spawnSync('git', ['--version']).pid;
    const drafts = [
      path.join(folders.cache, 'mirrors', 'x.git.new-1'),
      path.join(folders.cache, 'mirrors', 'x.git.new-2'),
      path.join(folders.data, 'repositories', 'y.git.new-1'),
      path.join(folders.data, 'repositories', 'y.git'),
    ];
    for (const [index, draft] of drafts.entries()) {
      mkdirSync(draft, { recursive: true });
      const pid = index === 1 ? process.pid : dead;
      writeFileSync(path.join(draft, 'owner'), JSON.stringify({ host: os.hostname(), pid }));
    }
    await cleanCache(folders, 1000);
    assert.deepEqual(
      drafts.map((one) => existsSync(one)),
      [false, true, false, true],
    );
  });

  it('forgets half-made mirrors and what silent processes of other machines left', async () => {
    using folder = temporaryFolder();
    const cache = path.join(folder.path, 'cache');
    const folders = { cache, data: path.join(folder.path, 'data') };
    const draft = mirror(cache, 'x.git.new-1', 10, 2);
    const fresh = mirror(cache, 'y.git.new-2', 10, 0);
    const foreign = path.join(cache, 'work', 'foreign');
    const silent = path.join(cache, 'work', 'silent');
    for (const one of [foreign, silent]) {
      mkdirSync(one, { recursive: true });
      writeFileSync(path.join(one, 'owner'), JSON.stringify({ host: 'another', pid: 1 }));
    }
    const past = new Date(Date.now() - hour);
    utimesSync(path.join(silent, 'owner'), past, past);
    await cleanCache(folders, 1000);
    assert.deepEqual(
      [draft, fresh, foreign, silent].map((one) => existsSync(one)),
      [false, true, true, false],
    );
  });

  it('never counts work of repositories without a remote, which is nowhere else', async () => {
    using folder = temporaryFolder();
    const alone = repositoryWithoutRemote(folder.path);
    await using service = gitService(folder.path, { workspaces: { cacheLimitBytes: 0 } });
    await service.workspaces.branchHead(projectOf(alone), 'main', noSignal);
    const kept = path.join(folder.path, 'data', 'repositories');
    const [name = ''] = readdirSync(kept);
    const past = new Date(Date.now() - 1000 * hour);
    utimesSync(path.join(kept, name, 'docs-agent-used'), past, past);
    await service.workspaces.cleanUp();
    assert.deepEqual(readdirSync(kept), [name]);
  });
});
