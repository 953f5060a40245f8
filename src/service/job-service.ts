import { createHash } from 'node:crypto';
import type { EventList, JobEvent } from '../contract/events.ts';
import { hasEnded, type AgentJob } from '../contract/job.ts';
import type { Project, ProjectRequest } from '../contract/project.ts';
import { projectIdSchema } from '../contract/project.ts';
import type { CreateRequest, JobList, ListQuery, PromptRequest } from '../contract/requests.ts';
import { toAgentJob } from './agent-job.ts';
import { isJobId, newJobId } from './job-id.ts';
import type { JobSignals } from './job-signals.ts';
import type { Job } from './job.ts';
import type { RequestLimits } from './limits.ts';
import type { Idempotency, JobStore, Stored } from './ports/job-store.ts';
import type { ProjectStore } from './ports/project-store.ts';
import type { Workspaces } from './ports/workspaces.ts';
import { projectOf } from './project-request.ts';
import { RequestError } from './request-error.ts';
import { titleOf } from './title.ts';

export interface JobServiceDeps {
  readonly store: JobStore;
  readonly projects: ProjectStore;
  readonly workspaces: Pick<Workspaces, 'diff'>;
  readonly signals: JobSignals;
  readonly limits: RequestLimits;
  /** The agent of jobs that ask for none. */
  readonly defaultAgent: string;
  /** Where this service is reached now: completes the links of the local code host. */
  readonly baseUrl: () => string;
  /** Keeps a project's `hostToken` in memory. */
  readonly rememberHostToken: (projectId: string, token: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface CreatedJob {
  readonly job: AgentJob;
  /** An earlier request with the same idempotency key got this job already. */
  readonly replayed: boolean;
}

/** Of a stream that waits for events of another process: the store is looked at this often, in milliseconds. */
const streamPollMs = 1000;
/** Events of one read while a stream catches up. */
const streamPage = 200;
/** Far above every generator of such keys (a UUID has 36 characters). */
const maxIdempotencyKey = 255;

/**
 * What one can do with jobs, in the words of the contract. Every refusal is a {@link RequestError}. Runs
 * nothing itself: the store wakes the worker.
 */
export class JobService {
  readonly #deps: JobServiceDeps;
  readonly #now: () => number;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Stores a new job durably. `not_found` for an unknown project, `conflict`, `rate_limited`. */
  async create(projectId: string, request: CreateRequest, idempotencyKey?: string): Promise<CreatedJob> {
    const project = await this.#project(projectId);
    const agent = request.agent ?? this.#deps.defaultAgent;
    const stored = await this.#deps.store.create(
      {
        id: newJobId(this.#now()),
        projectId,
        title: titleOf(request.prompt),
        prompt: requirePrompt(request.prompt),
        agent,
        // Until the agent has told its own name.
        model: agent,
        repository: project.repository,
      },
      idempotency(idempotencyKey, request),
      { most: this.#deps.limits.createsPerHour, withinMs: this.#deps.limits.hourMs },
    );
    return this.#created(stored);
  }

  /** Adds a follow-up to a job, which becomes active again. `conflict` when it is archived. */
  async followUp(
    projectId: string,
    id: string,
    request: PromptRequest,
    idempotencyKey?: string,
  ): Promise<CreatedJob> {
    const stored = await this.#deps.store.addMessage(
      projectId,
      id,
      requirePrompt(request.prompt),
      idempotency(idempotencyKey, request),
      { most: this.#deps.limits.messagesPerHour, withinMs: this.#deps.limits.hourMs },
    );
    if (stored === undefined) throw await this.#missing(projectId);
    if (stored.kind === 'archived') {
      throw new RequestError('conflict', 'This job is archived. Start a new one with your prompt.');
    }
    this.#deps.signals.changed(id);
    return this.#created(stored);
  }

  async get(projectId: string, id: string): Promise<AgentJob> {
    return this.#wire(await this.#job(projectId, id));
  }

  /** Newest first. */
  async list(projectId: string, query: ListQuery): Promise<JobList> {
    await this.#project(projectId);
    const { cursor, status } = query;
    if (cursor !== undefined && !isJobId(cursor)) {
      throw new RequestError('invalid_request', 'The cursor is not one that this service answered.');
    }
    const page = await this.#deps.store.list(projectId, {
      limit: query.limit,
      ...(cursor !== undefined && { cursor }),
      ...(status !== undefined && { status }),
    });
    return { jobs: page.jobs.map((job) => this.#wire(job)), nextCursor: page.cursor ?? null };
  }

  /** Ends an active job as `failed` with code `cancelled`. `conflict` when it has ended already. */
  async cancel(projectId: string, id: string): Promise<AgentJob> {
    const cancelled = await this.#deps.store.cancel(projectId, id, {
      code: 'cancelled',
      message: 'The job was cancelled.',
      retryable: false,
    });
    if (cancelled) {
      this.#deps.signals.cancelled(id);
      this.#deps.signals.changed(id);
    }
    const job = await this.get(projectId, id);
    if (!cancelled) throw new RequestError('conflict', 'This job has ended already; nothing was cancelled.');
    return job;
  }

  /** Archives an ended job; a second time changes nothing. `conflict` while it is active. */
  async archive(projectId: string, id: string): Promise<AgentJob> {
    const archived = await this.#deps.store.archive(projectId, id);
    const job = await this.get(projectId, id);
    if (!archived) {
      throw new RequestError('conflict', 'This job is still active. Cancel it first, or wait for its end.');
    }
    this.#deps.signals.changed(id);
    return job;
  }

  /** What happened, in order, after event number `after` (0: from the start). */
  async events(
    projectId: string,
    id: string,
    query: { readonly after: number; readonly limit: number },
  ): Promise<EventList> {
    // Read before the events: when it says that the job has ended, its last event is there to be read.
    const job = await this.#job(projectId, id);
    const events = await this.#deps.store.events(id, query.after, query.limit);
    const atEnd = hasEnded(job.status) && events.length < query.limit;
    return { events, nextCursor: atEnd ? null : String(events.at(-1)?.id ?? query.after) };
  }

  /**
   * The job's events after number `after` as they come, until the job has ended and all were told, or
   * `signal` fires. Throws `not_found` before the first event.
   */
  async *subscribe(
    projectId: string,
    id: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<JobEvent, void, undefined> {
    using watch = this.#deps.signals.watch(id);
    let last = after;
    while (!signal.aborted) {
      const page = await this.events(projectId, id, { after: last, limit: streamPage });
      for (const event of page.events) {
        if (signal.aborted) return;
        yield event;
        last = event.id;
      }
      if (page.nextCursor === null) return;
      if (page.events.length < streamPage) await watch.next(streamPollMs, signal);
    }
  }

  /** The job's whole change as a unified diff; empty while there is none. A refused change is shown too. */
  async diff(projectId: string, id: string): Promise<string> {
    const { work } = await this.#job(projectId, id);
    const head = work.refusedCommit ?? work.headCommit;
    if (work.baseCommit === undefined || head === undefined) return '';
    return this.#deps.workspaces.diff(await this.#project(projectId), work.baseCommit, head);
  }

  /** Tells what a project id stands for. Repeating it changes nothing. */
  async putProject(id: string, request: ProjectRequest): Promise<Project> {
    const parsed = projectIdSchema.safeParse(id);
    if (!parsed.success) {
      throw new RequestError('invalid_request', parsed.error.issues[0]?.message ?? 'Bad project id.');
    }
    const project = projectOf(id, request);
    await this.#deps.projects.put(project);
    if (request.hostToken !== undefined) this.#deps.rememberHostToken(id, request.hostToken);
    return project;
  }

  /** Active jobs of all projects, held or waiting: zero means that the service is idle. */
  activeCount(): Promise<number> {
    return this.#deps.store.activeCount();
  }

  #wire(job: Job): AgentJob {
    return toAgentJob(job, this.#deps.baseUrl());
  }

  #created(stored: Stored): CreatedJob {
    switch (stored.kind) {
      case 'conflict':
        throw new RequestError(
          'conflict',
          'This Idempotency-Key was used with another prompt or agent. Send the new request with a new key.',
        );
      case 'over_quota':
        throw new RequestError(
          'rate_limited',
          'This project has reached its hourly limit. Wait, then send the prompt again.',
          Math.max(1, Math.ceil(stored.retryAfterMs / 1000)),
        );
      case 'stored':
      case 'replayed':
        return { job: this.#wire(stored.job), replayed: stored.kind === 'replayed' };
    }
  }

  async #project(id: string): Promise<Project> {
    const project = await this.#deps.projects.get(id);
    if (project === undefined) {
      throw new RequestError(
        'not_found',
        'This service does not know the project id. Check it, or tell the service the repository with ' +
          'PUT /v2/projects/{projectId}.',
      );
    }
    return project;
  }

  async #job(projectId: string, id: string): Promise<Job> {
    const job = await this.#deps.store.get(projectId, id);
    if (job === undefined) throw await this.#missing(projectId);
    return job;
  }

  /** Says which of the two is missing, the project or the job. */
  async #missing(projectId: string): Promise<RequestError> {
    await this.#project(projectId);
    return new RequestError('not_found', 'There is no such job in this project.');
  }
}

function requirePrompt(prompt: string): string {
  if (prompt.trim() === '') {
    throw new RequestError('invalid_request', 'The prompt is empty. Say what should change.');
  }
  return prompt;
}

function idempotency(key: string | undefined, { prompt, agent }: CreateRequest): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (key === '' || key.length > maxIdempotencyKey) {
    throw new RequestError(
      'invalid_request',
      `The Idempotency-Key must have 1 to ${maxIdempotencyKey} characters.`,
    );
  }
  // What names no agent has the fingerprint that it always had: a key may be older than the service's update.
  const body = agent === undefined ? prompt : JSON.stringify([agent, prompt]);
  return { key, fingerprint: createHash('sha256').update(body, 'utf8').digest('hex') };
}
