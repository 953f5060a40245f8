import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Project } from '../../src/contract/project.ts';
import type { HostedProject } from './code-host.ts';
import { GitHubServer } from './github-server.ts';
import { GitGate } from './git-gate.ts';
import {
  commitFiles,
  type Files,
  git,
  makeMessy,
  originAndClone,
  repositoryWithoutRemote,
  snapshotRepository,
  temporaryFolder,
} from './repositories.ts';
import { KillableService } from './killable-service.ts';

/** Where the work goes: GitHub, a bare repository of no known host, or nowhere because there is no remote. */
export type Place = 'github' | 'origin' | 'alone';

const projectId = 'docs';

/** Two terms, in prose and in code: what a prompt changes, and what it must leave alone. */
const docs: Files = {
  'README.md': '# Sample\n\nNothing to see.\n',
  'mkdocs.yml': 'site_name: Sample\nnav:\n  - index.md\n  - setup.md\n',
  'docs/index.md': '# Start\n\nFirst log in to the dashboard. See [set-up](setup.md) and [more](gone.md).\n',
  'docs/setup.md': '# Set-up\n\nTo log in, run:\n\n```sh\ntool log in\n```\n',
};

export interface Change {
  readonly prompt: string;
  /** What a page of the docs says afterwards. */
  readonly apply: (text: string) => string;
}

export const signIn: Change = {
  prompt: 'replace "log in" with "sign in"',
  apply: (text) => text.replace('First log in', 'First sign in').replace('To log in', 'To sign in'),
};

export const newWord: Change = {
  prompt: 'replace "dashboard" with "console"',
  apply: (text) => text.replace('dashboard', 'console'),
};

export interface Expected {
  readonly id: string;
  /** One commit each. */
  readonly changes: readonly Change[];
}

/** A service process, a writer's repository with everything lying around in it, and ways to stop both. */
export class KillStand implements AsyncDisposable {
  readonly service: KillableService;
  readonly git: GitGate;
  readonly host: GitHubServer;
  readonly #folder: ReturnType<typeof temporaryFolder>;
  readonly #place: Place;
  readonly #hosted: HostedProject;
  /** The bare repository that the work goes to; undefined when there is none. */
  readonly #origin: string | undefined;
  readonly #repository: string;
  readonly #before: string;
  /** Everything that the service answered. */
  #answers = '';

  static async start(entry: string, place: Place, config: object = {}): Promise<KillStand> {
    const folder = temporaryFolder();
    const host = await GitHubServer.start(path.join(folder.path, 'host'));
    const hosted = host.addProject('writers/docs');
    const { repository, origin } = makeRepository(folder.path, place, hosted);
    makeMessy(repository);
    const gate = new GitGate(path.join(folder.path, 'gate'));
    const service = await KillableService.start(path.join(folder.path, 'home'), {
      entry,
      binFolder: gate.binFolder,
      compiled: path.join(path.dirname(entry), 'compiled'),
      config: { hosts: host.configuration, ...config },
    });
    const stand = new KillStand({ folder, place, host, hosted, repository, origin, gate, service });
    const project: Omit<Project, 'id'> = { repository };
    await service.client.putProject(projectId, project);
    return stand;
  }

  private constructor(parts: {
    folder: ReturnType<typeof temporaryFolder>;
    place: Place;
    host: GitHubServer;
    hosted: HostedProject;
    repository: string;
    origin: string | undefined;
    gate: GitGate;
    service: KillableService;
  }) {
    this.#folder = parts.folder;
    this.#place = parts.place;
    this.host = parts.host;
    this.#hosted = parts.hosted;
    this.#repository = parts.repository;
    this.#origin = parts.origin;
    this.git = parts.gate;
    this.service = parts.service;
    this.#before = snapshotRepository(parts.repository);
  }

  /** Creates a job; the same key again finds it again. */
  async create(change: Change, idempotencyKey: string = randomUUID()): Promise<string> {
    return (await this.service.client.create(projectId, change.prompt, { idempotencyKey })).id;
  }

  async followUp(id: string, change: Change): Promise<void> {
    await this.service.client.message(projectId, id, change.prompt);
  }

  async cancel(id: string): Promise<void> {
    await this.service.client.cancel(projectId, id);
  }

  /**
   * Waits until a query of the service's database answers a row. SQLite tells nobody of others' writes, so
   * it is looked at; an event stream would be served by the very process that may stand still.
   */
  async stored(query: string, ...values: string[]): Promise<void> {
    using database = this.service.database();
    const statement = database.prepare(query);
    while (statement.get(...values) === undefined) await delay(5);
  }

  /**
   * Makes the service stand still at a write to its database that fits, before it is committed: for half a
   * minute and more, as long as SQLite needs to count so far. `restart` takes it back.
   *
   * @param write such as `INSERT ON events WHEN new.type = 'checks'`
   */
  standStillAt(write: string): void {
    using database = this.service.database();
    // A trigger takes no recursive query, a view does.
    database.exec(
      `CREATE VIEW long AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300000000) SELECT x FROM n;
       CREATE TRIGGER stand_still BEFORE ${write} BEGIN SELECT count(*) FROM long; END`,
    );
  }

  async restart(): Promise<void> {
    using database = this.service.database();
    database.exec('DROP TRIGGER IF EXISTS stand_still; DROP VIEW IF EXISTS long');
    await this.service.restart();
  }

  /** The kinds of what is in the store about a job, oldest first. */
  steps(id: string): string[] {
    using database = this.service.database();
    const rows = database.prepare('SELECT type FROM events WHERE job_id = ? ORDER BY id').all(id);
    return rows.map((row) => String(row['type']));
  }

  /** Waits for the job's end. How it ended: its status, or the code of its error. */
  async ended(id: string): Promise<string> {
    const events = await this.service.ended(projectId, id);
    const job = await this.service.client.get(projectId, id);
    this.#answers += JSON.stringify([events, job]);
    return job.error?.code ?? job.status;
  }

  /** Ends the service, then looks at everything that it has left behind. */
  async assertWhole(jobs: readonly Expected[]): Promise<void> {
    for (const job of jobs) await this.#assertLink(job.id);
    assert.equal(await this.service.stop(), 0, 'the service ends by itself');
    const branches = this.#branches();
    assert.equal(branches.length, jobs.length, `one branch a job: ${branches.join(', ')}`);
    assert.deepEqual(this.#pullRequests().sort(), branches.sort(), 'one pull request a branch');
    for (const { id, changes } of jobs) this.#assertChange(this.#branchOf(id, branches), changes);
    assert.equal(snapshotRepository(this.#repository), this.#before, "the writer's repository is untouched");
    this.#assertNothingLeft();
    this.#assertNoToken();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.git[Symbol.dispose]();
    await this.service[Symbol.asyncDispose]();
    await this.host[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  async #assertLink(id: string): Promise<void> {
    const job = await this.service.client.get(projectId, id);
    if (this.#place === 'github') {
      assert.match(job.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/writers\/docs\/pull\/\d+$/);
      return;
    }
    const page = await fetch(job.prLink ?? '');
    assert.equal(page.status, 200, 'the review page is there');
    assert.match(await page.text(), /Merge/);
  }

  /** The jobs' branches where the work goes. */
  #branches(): string[] {
    const all = git(this.#target(), 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
    return all.filter((name) => name !== 'main' && name !== '');
  }

  #target(): string {
    if (this.#origin !== undefined) return this.#origin;
    const folder = path.join(this.service.folders.data, 'repositories');
    const [mirror = ''] = readdirSync(folder);
    return path.join(folder, mirror);
  }

  /** The head branches of the open pull requests. */
  #pullRequests(): string[] {
    if (this.#place === 'github') {
      return this.#hosted.pulls.map(({ head, state }) => (state === 'open' ? head : `${head} ${state}`));
    }
    using database = this.service.database();
    const query = "SELECT iif(state = 'open', branch, branch || ' ' || state) AS head FROM reviews";
    return database
      .prepare(query)
      .all()
      .map(({ head }) => String(head));
  }

  #branchOf(id: string, branches: readonly string[]): string {
    using database = this.service.database();
    const row = database.prepare("SELECT work ->> '$.branch' AS branch FROM jobs WHERE id = ?").get(id);
    const branch = String(row?.['branch']);
    assert.ok(branches.includes(branch), `${branch} is there`);
    return branch;
  }

  #assertChange(branch: string, changes: readonly Change[]): void {
    const main = git(this.#repository, 'rev-parse', 'main');
    const target = this.#target();
    const commits = git(target, 'rev-list', '--count', `${main}..refs/heads/${branch}`);
    assert.equal(Number(commits), changes.length, 'one commit a message');
    for (const [name, content] of Object.entries(docs)) {
      const page = name.startsWith('docs/');
      const before = String(content);
      const expected = page ? changes.reduce((text, change) => change.apply(text), before) : before;
      assert.equal(`${git(target, 'show', `refs/heads/${branch}:${name}`)}\n`, expected);
    }
    const paths = git(target, 'ls-tree', '-r', '--name-only', `refs/heads/${branch}`).split('\n');
    assert.deepEqual(paths, Object.keys(docs).sort(), 'nothing else is in the branch');
  }

  #assertNothingLeft(): void {
    const left = this.#files().filter(
      (file) =>
        file.startsWith(path.join('cache', 'work')) ||
        /\.lock$|\.tmp$|\.new-|\.old-|[/\\]tmp_/.test(file) ||
        path.basename(file) === 'service.json',
    );
    assert.deepEqual(
      left.filter((file) => file !== path.join('data', 'service.lock')),
      [],
    );
  }

  #assertNoToken(): void {
    const { token } = this.host;
    const secrets = [token, Buffer.from(`x-access-token:${token}`).toString('base64').slice(0, -4)];
    const texts = [this.#answers, this.service.stderr];
    for (const name of this.#files()) {
      if (path.basename(name) === 'config.json') continue;
      texts.push(readFileSync(path.join(this.service.home, name), 'latin1'));
    }
    for (const text of texts) for (const secret of secrets) assert.ok(!text.includes(secret), 'no token');
    assert.ok(!texts.some((text) => text.includes(this.service.key)), 'no API key');
  }

  /** Files below the service's home, by path. */
  #files(): string[] {
    const { home } = this.service;
    const all = readdirSync(home, { recursive: true, encoding: 'utf8' });
    return all.filter((name) => statSync(path.join(home, name)).isFile()).sort();
  }
}

function makeRepository(
  folder: string,
  place: Place,
  hosted: HostedProject,
): { repository: string; origin: string | undefined } {
  if (place === 'alone') return { repository: repositoryWithoutRemote(folder, docs), origin: undefined };
  if (place === 'origin') {
    const { origin, clone } = originAndClone(folder, docs);
    git(clone, 'remote', 'set-url', 'origin', `file://${origin}`);
    return { repository: clone, origin };
  }
  const clone = path.join(folder, 'clone');
  git(folder, 'clone', '--quiet', hosted.gitDir, clone);
  commitFiles(clone, docs, 'First');
  git(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  git(clone, 'remote', 'set-url', 'origin', hosted.url);
  return { repository: clone, origin: hosted.gitDir };
}
