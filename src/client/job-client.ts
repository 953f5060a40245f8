import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentList, AgentSettings, ModelProvider, ProviderCheck } from '../contract/agents.ts';
import type { EditorAnswer, EditorRequest, EditorWindow } from '../contract/editor-models.ts';
import type { JobEvent } from '../contract/events.ts';
import type { JobStatus, ReceivedJob } from '../contract/job.ts';
import type { ProjectRequest } from '../contract/project.ts';
import type { Health } from '../contract/requests.ts';
import { headers, routes } from '../contract/routes.ts';
import {
  readAgentList,
  readEditorRequest,
  readEventPage,
  readJobPage,
  readProviderCheck,
  usableJob,
} from './answers.ts';
import { ApiError } from './api-error.ts';
import { readApiKey } from './api-key.ts';
import { lostSentence } from './failures.ts';
import { redactorOf, type Redact } from './secrets.ts';
import { checkHealth } from './check-health.ts';
import { withQuery } from './query.ts';
import { readServiceUrl } from './service-url.ts';
import { send, type Answer, type Call, type Effect, type Fetch } from './transport.ts';

export interface JobClientOptions {
  /** `https:`, or `http:` on loopback; see {@link readServiceUrl}. */
  readonly baseUrl: string;
  /** As the person saved it; see {@link readApiKey}. Goes to `baseUrl` and nowhere else. */
  readonly apiKey: string;
  readonly fetch: Fetch;
  /**
   * True when the server is known to take a repeated `Idempotency-Key` for the same request, as ours does:
   * only then is a create or follow-up whose answer was lost sent again. Also learned from answers.
   */
  readonly honoursIdempotency?: boolean;
  /** For tests: milliseconds since the epoch. */
  readonly now?: () => number;
  /** For tests: the pause before a repetition. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface SendOptions extends CallOptions {
  /** Pass the same one to repeat a request on a person's wish; a new one is made otherwise. */
  readonly idempotencyKey?: string;
}

export interface CreateOptions extends SendOptions {
  /** Which agent does it, by the ids of `contract/agents.ts`. Only a service of ours knows them. */
  readonly agent?: string | undefined;
}

export interface JobPage {
  readonly jobs: readonly ReceivedJob[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

export interface EventPage {
  readonly events: readonly JobEvent[];
  readonly nextCursor: string | undefined;
}

/** The provider answers a create at once and runs the job later; this is for slow networks and cold starts. */
const sendLimitMs = 60_000;
/** A look is cheap for the service, and the next one comes soon. */
const lookLimitMs = 20_000;
/** The diff of a large change is made while one waits. */
const diffLimitMs = 60_000;

/** The service tries a stranger's endpoint, and gives it a few seconds. */
const checkLimitMs = 40_000;
/** The service waits up to 25 seconds for work before it answers that there is none. */
const nextLimitMs = 40_000;

/** A job holds its prompt (32,000 characters) and a summary; this is ten times that. */
const maxJobBytes = 2 * 1024 * 1024;
/** A page has at most 100 jobs. */
const maxPageBytes = 32 * 1024 * 1024;
const maxDiffBytes = 32 * 1024 * 1024;
/** What a model is sent: the pages and searches of a long conversation. */
const maxModelRequestBytes = 32 * 1024 * 1024;

/** Pauses before the first and second repetition: a restarting service needs about a second. */
const repetitionPausesMs = [1_000, 4_000];

/**
 * Speaks the Agent Job API. Every method rejects with an {@link ApiError} and nothing else. Knows one
 * service and one key; nothing is cached.
 */
export class JobClient {
  readonly origin: string;
  readonly #base: string;
  readonly #apiKey: string;
  readonly #redact: Redact;
  readonly #fetch: Fetch;
  readonly #now: () => number;
  readonly #pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  #honoursIdempotency: boolean;

  /** @throws ApiError `invalid_base_url` or `invalid_key`, before anything is sent. */
  constructor(options: JobClientOptions) {
    const url = readServiceUrl(options.baseUrl);
    if (url.kind === 'refused') throw new ApiError('invalid_base_url', url.message);
    const key = readApiKey(options.apiKey);
    if (key.kind === 'refused') throw new ApiError('invalid_key', key.message);
    this.origin = url.origin;
    this.#base = url.base;
    this.#apiKey = key.key;
    this.#redact = redactorOf([key.key]);
    this.#fetch = options.fetch;
    this.#now = options.now ?? Date.now;
    this.#pause = options.pause ?? ((ms, signal) => wait(ms, undefined, { signal }));
    this.#honoursIdempotency = options.honoursIdempotency ?? false;
  }

  /** Whether a lost create or follow-up is repeated. */
  get honoursIdempotency(): boolean {
    return this.#honoursIdempotency;
  }

  /** Creates a job. `may_have_started` when the answer was lost; surely not started at any other error. */
  create(projectId: string, prompt: string, options: CreateOptions = {}): Promise<ReceivedJob> {
    const { agent } = options;
    const body = { prompt, ...(agent !== undefined && { agent }) };
    return this.#prompt(routes.createJob(projectId), body, 'job', options);
  }

  /** Sends a follow-up to a job, which becomes active again. Errors as of {@link create}. */
  message(projectId: string, id: string, prompt: string, options: SendOptions = {}): Promise<ReceivedJob> {
    return this.#prompt(routes.message(projectId, id), { prompt }, 'message', options);
  }

  async get(projectId: string, id: string, options: CallOptions = {}): Promise<ReceivedJob> {
    return usableJob(await this.#send({ method: 'GET', path: routes.job(projectId, id) }, options), 'none');
  }

  /** Newest first. `not_supported` at a provider that only has the published operations. */
  async list(
    projectId: string,
    query: { readonly limit?: number; readonly cursor?: string; readonly status?: JobStatus } = {},
    options: CallOptions = {},
  ): Promise<JobPage> {
    const path = withQuery(routes.jobs(projectId), query);
    return readJobPage(await this.#sendAddition({ method: 'GET', path, maxBytes: maxPageBytes }, options));
  }

  /** Stops an active job. `conflict` when it has ended, `not_supported` as for {@link list}. */
  async cancel(projectId: string, id: string, options: CallOptions = {}): Promise<ReceivedJob> {
    const call = { method: 'POST', path: routes.cancel(projectId, id) } as const;
    return usableJob(await this.#sendAddition(call, options), 'none');
  }

  /** Archives an ended job. `conflict` while it is active, `not_supported` as for {@link list}. */
  async archive(projectId: string, id: string, options: CallOptions = {}): Promise<ReceivedJob> {
    const call = { method: 'POST', path: routes.archive(projectId, id) } as const;
    return usableJob(await this.#sendAddition(call, options), 'none');
  }

  /** What happened, in order, after `cursor`. Events of kinds that are not known here are left out. */
  async events(
    projectId: string,
    id: string,
    query: { readonly cursor?: string } = {},
    options: CallOptions = {},
  ): Promise<EventPage> {
    const path = withQuery(routes.events(projectId, id), query);
    return readEventPage(await this.#sendAddition({ method: 'GET', path, maxBytes: maxPageBytes }, options));
  }

  /** The change as a unified diff. Untrusted text. */
  async diff(projectId: string, id: string, options: CallOptions = {}): Promise<string> {
    const answer = await this.#sendAddition(
      {
        method: 'GET',
        path: routes.diff(projectId, id),
        accept: 'text/x-diff',
        limitMs: diffLimitMs,
        maxBytes: maxDiffBytes,
      },
      options,
    );
    return answer.text;
  }

  /** Tells our service what a project id stands for. May be repeated. */
  async putProject(projectId: string, project: ProjectRequest, options: CallOptions = {}): Promise<void> {
    await this.#sendAddition(
      { method: 'PUT', path: routes.project(projectId), body: project },
      options,
      this.#redactorWith(project.hostToken),
    );
  }

  /** The agents of our service, also those that are not ready. `not_supported` as for {@link list}. */
  async agents(options: CallOptions = {}): Promise<AgentList> {
    const call = { method: 'GET', path: routes.agents(), limitMs: checkLimitMs } as const;
    return readAgentList(await this.#sendAddition(call, options));
  }

  /** Hands the editor's settings over, whole: they replace what the service had. */
  async putAgents(settings: AgentSettings, options: CallOptions = {}): Promise<void> {
    const call = { method: 'PUT', path: routes.agents(), body: settings } as const;
    const redact = this.#redactorWith(...settings.providers.map(({ apiKey }) => apiKey));
    await this.#sendAddition(call, options, redact);
  }

  /** Lets our service try a provider's address and key. Nothing of it is kept. */
  async checkProvider(provider: ModelProvider, options: CallOptions = {}): Promise<ProviderCheck> {
    const call = {
      method: 'POST',
      path: routes.checkProvider(),
      body: provider,
      limitMs: checkLimitMs,
    } as const;
    return readProviderCheck(await this.#sendAddition(call, options, this.#redactorWith(provider.apiKey)));
  }

  /** Asks for work for the window's models. Answers after about 25 seconds when there is none. */
  async nextEditorRequest(
    window: EditorWindow,
    options: CallOptions = {},
  ): Promise<EditorRequest | undefined> {
    const call = {
      method: 'POST',
      path: routes.nextEditorRequest(),
      body: window,
      limitMs: nextLimitMs,
      maxBytes: maxModelRequestBytes,
    } as const;
    return readEditorRequest(await this.#sendAddition(call, options));
  }

  /** Brings what a model said. `not_found` when nobody waits for it any more: the model may stop then. */
  async answerEditorRequest(
    requestId: string,
    answer: EditorAnswer,
    options: CallOptions = {},
  ): Promise<void> {
    const call = { method: 'POST', path: routes.editorAnswer(requestId), body: answer } as const;
    await this.#sendAddition(call, options);
  }

  /** Asks our service to end. `conflict` when it has work. */
  async shutdown(options: CallOptions = {}): Promise<void> {
    await this.#sendAddition({ method: 'POST', path: routes.shutdown() }, options);
  }

  /** As {@link checkHealth}, at this client's service; learns whether the service honours idempotency keys. */
  async health(options: CallOptions & { readonly challenge?: string } = {}): Promise<Health> {
    const health = await checkHealth(this.#base, this.#fetch, options);
    if (health.idempotency === true) this.#honoursIdempotency = true;
    return health;
  }

  async #prompt(
    path: string,
    body: { readonly prompt: string; readonly agent?: string },
    effect: Exclude<Effect, 'none'>,
    options: SendOptions,
  ): Promise<ReceivedJob> {
    const call = {
      method: 'POST',
      path,
      body,
      headers: { [headers.idempotencyKey]: options.idempotencyKey ?? randomUUID() },
      limitMs: sendLimitMs,
      effect,
    } as const;
    let lost: ApiError | undefined;
    for (const pauseMs of [...repetitionPausesMs, undefined]) {
      try {
        const answer = await this.#send(call, options);
        if (answer.header(headers.idempotentReplay) !== null) this.#honoursIdempotency = true;
        return usableJob(answer, effect);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // Once an answer was lost, a later refusal tells nothing about the request that it belonged to.
        if (lost !== undefined && error.code !== 'may_have_started') throw lost;
        if (error.code !== 'may_have_started') throw error;
        lost = error;
        if (!this.#honoursIdempotency || pauseMs === undefined || options.signal?.aborted) throw lost;
        try {
          await this.#pause(
            Math.max(pauseMs, Math.min(error.retryAfterMs ?? 0, sendLimitMs)),
            options.signal,
          );
        } catch {
          throw lost;
        }
      }
    }
    throw lost ?? new ApiError('may_have_started', lostSentence(effect));
  }

  #redactorWith(...secrets: readonly (string | undefined)[]): Redact {
    return redactorOf([this.#apiKey, ...secrets.filter((secret) => secret !== undefined)]);
  }

  #send(
    call: Pick<Call, 'method' | 'path'> & Partial<Call>,
    options: CallOptions,
    redact: Redact = this.#redact,
  ): Promise<Answer> {
    return send(
      { limitMs: lookLimitMs, maxBytes: maxJobBytes, effect: 'none', ...call, signal: options.signal },
      { base: this.#base, apiKey: this.#apiKey, fetch: this.#fetch, redact, now: this.#now },
    );
  }

  /** An operation that only our service has. */
  #sendAddition(
    call: Pick<Call, 'method' | 'path'> & Partial<Call>,
    options: CallOptions,
    redact?: Redact,
  ): Promise<Answer> {
    return this.#send({ ...call, addition: true }, options, redact);
  }
}
