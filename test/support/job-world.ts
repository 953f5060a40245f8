import assert from 'node:assert/strict';
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { SqliteJobStore } from '../../src/adapters/sqlite/sqlite-job-store.ts';
import { SqliteProjectStore } from '../../src/adapters/sqlite/sqlite-project-store.ts';
import type { JobEvent } from '../../src/contract/events.ts';
import { attemptJob } from '../../src/service/attempt-job.ts';
import { JobSignals } from '../../src/service/job-signals.ts';
import type { Job } from '../../src/service/job.ts';
import { defaultJobLimits, type JobLimits } from '../../src/service/limits.ts';
import type { Agent, AgentResult, AgentTask } from '../../src/service/ports/agent.ts';
import type { Claim, NewJob } from '../../src/service/ports/job-store.ts';
import type { LogFields } from '../../src/service/ports/log.ts';
import type { RunJobDeps } from '../../src/service/run-job.ts';
import { freeSeat } from './free-seat.ts';
import { storedJob } from './job-store-place.ts';
import { newJob } from './new-job.ts';
import { ScriptedHost } from './scripted-host.ts';
import { ScriptedRepository, type Files } from './scripted-repository.ts';

/** What a scripted agent does with the files of its workspace. */
export type AgentScript = (files: Files, task: AgentTask) => Promise<AgentResult> | AgentResult;

/** Says `Changed` after the prompt `PATH=TEXT` has been done; a prompt of another form changes nothing. */
export const obedient: AgentScript = (files, { prompt }) => {
  const [path, text] = prompt.split('=');
  if (path !== undefined && text !== undefined) files.set(path, text);
  return { title: `Change ${path}`, summary: text === undefined ? 'Nothing to do.' : `Wrote ${text}.` };
};

/** A service without its process: real job store, everything else in memory. */
export class JobWorld implements AsyncDisposable {
  now = Date.UTC(2026, 0, 1);
  readonly #database = openDatabase(':memory:');
  readonly stores = {
    jobs: new SqliteJobStore(this.#database, () => this.now),
    projects: new SqliteProjectStore(this.#database),
  };
  readonly repository = new ScriptedRepository({ 'a.md': 'a', 'b.md': 'b' });
  readonly host = new ScriptedHost(this.repository);
  readonly signals = new JobSignals();
  readonly logged: { readonly message: string; readonly fields: LogFields | undefined }[] = [];
  agent: AgentScript = obedient;
  /** Whether it is given what the checks found. */
  repairs = false;
  /** What happens before the agent is there. */
  openAgent: ((signal: AbortSignal, tell: (step: string) => Promise<void>) => Promise<void>) | undefined;
  /** The agents that were asked for, by their ids. */
  readonly opened: string[] = [];
  /** How often the agent was started. */
  agentRuns = 0;

  deps(limits: Partial<JobLimits> = {}): RunJobDeps {
    const log = (message: string, fields?: LogFields): void => void this.logged.push({ message, fields });
    return {
      store: this.stores.jobs,
      projects: this.stores.projects,
      workspaces: this.repository,
      agents: {
        open: async (id, signal, tell) => {
          this.opened.push(id);
          await this.openAgent?.(signal, tell);
          return this.#scriptedAgent();
        },
      },
      hosts: [{ connect: async () => undefined }, this.host],
      check: async () => [],
      signals: this.signals,
      seat: freeSeat,
      limits: { ...defaultJobLimits, letGoMs: 10, ...limits },
      log: { info: log, warn: log, error: log },
      redact: (text) => text.replaceAll('hunter2hunter2', '[redacted]'),
      holdsSecret: (text) => text.includes('hunter2hunter2'),
      branchPrefix: 'docs-agent/',
      outsideDocsRoot: false,
      version: '9.9.9',
    };
  }

  async create(prompt: string, fields: Partial<NewJob> = {}): Promise<string> {
    await this.stores.projects.put({ id: 'docs', repository: 'https://code.example/r.git' });
    return storedJob(await this.stores.jobs.create(newJob({ prompt, title: prompt, ...fields }))).id;
  }

  #scriptedAgent(): Agent {
    return {
      name: 'scripted',
      repairs: this.repairs,
      run: async (task) => {
        this.agentRuns++;
        const files = this.repository.directories.get(task.directory);
        assert.ok(files, 'the agent has no workspace');
        return this.agent(files, task);
      },
    };
  }

  async followUp(id: string, prompt: string): Promise<void> {
    storedJob(await this.stores.jobs.addMessage('docs', id, prompt));
  }

  async claim(): Promise<Claim> {
    const claim = await this.stores.jobs.claim('worker', 60_000);
    assert.ok(claim, 'there is nothing to claim');
    return claim;
  }

  /** Claims the next job and does one attempt. */
  async attempt(deps = this.deps(), signal = new AbortController().signal): Promise<void> {
    await attemptJob(await this.claim(), deps, signal);
  }

  /** Stores a prompt and does one attempt at it. */
  async run(prompt: string, deps = this.deps()): Promise<Job> {
    const id = await this.create(prompt);
    await this.attempt(deps);
    return this.job(id);
  }

  async job(id: string): Promise<Job> {
    const job = await this.stores.jobs.get('docs', id);
    assert.ok(job);
    return job;
  }

  events(id: string): Promise<JobEvent[]> {
    return this.stores.jobs.events(id, 0, 1000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    assert.equal(this.repository.directories.size, 0, 'a workspace was left behind');
    await this.stores.jobs[Symbol.asyncDispose]();
    this.#database.close();
  }
}
