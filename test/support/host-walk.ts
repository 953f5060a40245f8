import assert from 'node:assert/strict';
import { fetch as undiciFetch } from 'undici';
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { SqliteJobStore } from '../../src/adapters/sqlite/sqlite-job-store.ts';
import { SqliteProjectStore } from '../../src/adapters/sqlite/sqlite-project-store.ts';
import type { HostOptions } from '../../src/adapters/hosts/host-options.ts';
import type { PullRequestExtras } from '../../src/contract/project.ts';
import { attemptJob } from '../../src/service/attempt-job.ts';
import type { ServiceConfig } from '../../src/service/config.ts';
import { JobSignals } from '../../src/service/job-signals.ts';
import type { Job } from '../../src/service/job.ts';
import { defaultJobLimits } from '../../src/service/limits.ts';
import type { Agent } from '../../src/service/ports/agent.ts';
import type { CodeHost, HostedRepository } from '../../src/service/ports/code-host.ts';
import type { JobStore } from '../../src/service/ports/job-store.ts';
import type { RunJobDeps } from '../../src/service/run-job.ts';
import type { CodeHostServer, HostedProject } from './code-host.ts';
import { freeSeat } from './free-seat.ts';
import { type GitService, gitService, noSignal, projectOf } from './git-service.ts';
import { storedJob } from './job-store-place.ts';
import { newJob } from './new-job.ts';
import { temporaryFolder, writeFiles } from './repositories.ts';
import { ClonePattern } from './writers-clone.ts';

/** Puts an adapter together as the composition root does. */
export type MakeHost = (options: HostOptions) => CodeHost;

export interface WalkSettings {
  readonly makeHost: MakeHost;
  /** Of the service; absent: the server's own, with its token. */
  readonly hosts?: ServiceConfig['hosts'];
  readonly env?: NodeJS.ProcessEnv;
  /** For tests with many walks. */
  readonly pattern?: ClonePattern;
}

/**
 * The way of a prompt to one code host: a writer's clone, real git, a real store, and an agent that writes
 * the prompt into README.md, except that the prompt `nothing` changes nothing.
 */
export class HostWalk implements AsyncDisposable {
  readonly clone: string;
  readonly service: GitService;
  readonly host: CodeHost;
  agentRuns = 0;
  /** Of the project. */
  extras: PullRequestExtras = {};
  /** Of the service. */
  defaultExtras: PullRequestExtras = {};
  /** Each look at the clock is ten minutes later: no retry is waited for. */
  #now = Date.UTC(2026, 0, 1);
  readonly #database = openDatabase(':memory:');
  readonly #jobs = new SqliteJobStore(this.#database, () => (this.#now += 600_000));
  readonly #projects = new SqliteProjectStore(this.#database);
  readonly #folder = temporaryFolder();

  constructor(server: CodeHostServer, hosted: HostedProject, settings: WalkSettings) {
    const { makeHost, hosts, env } = settings;
    const pattern = settings.pattern ?? new ClonePattern();
    this.clone = pattern.copy(this.#folder.path, hosted);
    if (settings.pattern === undefined) pattern[Symbol.dispose]();
    const known = hosts ?? server.configuration;
    this.service = gitService(this.#folder.path, { hosts: known, ...(env && { env }) });
    this.host = makeHost({
      credentials: this.service.credentials,
      redactor: this.service.redactor,
      hosts: known,
      fetch: undiciFetch as unknown as typeof fetch,
      version: '9.9.9',
    });
  }

  /** The repository at its host, as a job has it. */
  async connect(): Promise<HostedRepository> {
    const project = projectOf(this.clone, { baseBranch: 'main' });
    const repository = await this.service.workspaces.inspect(project, noSignal);
    const connected = await this.host.connect(project, repository, noSignal);
    assert.ok(connected, 'the host does not take its repository');
    return connected;
  }

  /** A commit of the agent without a job, to be pushed to any branch. */
  async commit(prompt: string): Promise<(branch: string) => Promise<void>> {
    const { workspaces } = this.service;
    const project = projectOf(this.clone, { baseBranch: 'main' });
    await using workspace = await workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, { 'README.md': `${prompt}\n` });
    const commit = (await workspace.commit('Change', {})) ?? '';
    return (branch) => workspaces.push(project, branch, commit, noSignal);
  }

  /** Stores a prompt and does one attempt at it. */
  async run(prompt: string): Promise<Job> {
    await this.#projects.put({
      id: 'docs',
      repository: this.clone,
      baseBranch: 'main',
      pullRequest: this.extras,
    });
    const { id } = storedJob(await this.#jobs.create(newJob({ prompt, title: prompt })));
    return this.attempt(id);
  }

  async followUp(id: string, prompt: string): Promise<Job> {
    storedJob(await this.#jobs.addMessage('docs', id, prompt));
    return this.attempt(id);
  }

  /** Claims the job and does one attempt. A job that waits for its retry is claimed at once. */
  async attempt(id: string): Promise<Job> {
    const claim = await this.#jobs.claim('worker', 600_000_000);
    assert.ok(claim, 'there is nothing to claim');
    await attemptJob(claim, this.#deps(this.#jobs), new AbortController().signal);
    return this.job(id);
  }

  async job(id: string): Promise<Job> {
    const job = await this.#jobs.get('docs', id);
    assert.ok(job);
    return job;
  }

  /** Messages of the job's warnings. */
  async warnings(id: string): Promise<string[]> {
    const events = await this.#jobs.events(id, 0, 1000);
    return events.filter(({ type }) => type === 'warning').map(({ message }) => message);
  }

  /** Everything that the store holds of a job, for a look at what must not be there. */
  async everything(id: string): Promise<string> {
    return JSON.stringify([await this.job(id), await this.#jobs.events(id, 0, 1000)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.#jobs[Symbol.asyncDispose]();
    this.#database.close();
    this.#folder[Symbol.dispose]();
  }

  readonly #agent: Agent = {
    name: 'scripted',
    repairs: false,
    run: async ({ prompt, directory }) => {
      this.agentRuns++;
      if (prompt !== 'nothing') writeFiles(directory, { 'README.md': `${prompt}\n` });
      return { title: `Say ${prompt}`, summary: `Wrote ${prompt}.` };
    },
  };

  #deps(store: JobStore): RunJobDeps {
    const { redactor, workspaces } = this.service;
    return {
      store,
      projects: this.#projects,
      workspaces,
      agents: { open: async () => this.#agent },
      hosts: [this.host],
      check: async () => [],
      signals: new JobSignals(),
      seat: freeSeat,
      limits: defaultJobLimits,
      log: { info: () => {}, warn: () => {}, error: () => {} },
      redact: (text) => redactor.redact(text),
      holdsSecret: (text) => redactor.holds(text),
      branchPrefix: 'docs-agent/',
      pullRequest: this.defaultExtras,
      outsideDocsRoot: false,
      version: '9.9.9',
    };
  }
}
