import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { goWrong, type Fault } from './faults.ts';
import { publishedChecks, type PublishedOperation } from './published-api.ts';

/** How the next created (or continued) job goes: active for so many looks, then its end. */
interface JobScript {
  readonly looks: number;
  readonly end: 'completed' | 'failed' | 'archived' | 'active';
  readonly prLink?: string | null;
}

interface RecordedRequest {
  readonly operation: PublishedOperation | 'unknown';
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface HostedServiceOptions {
  readonly apiKey?: string;
  readonly projectId?: string;
  /** Creates and, counted apart, messages per project and hour. */
  readonly perHour?: number;
  readonly now?: () => number;
}

interface StoredJob {
  readonly id: string;
  readonly createdAt: string;
  status: 'active' | 'completed' | 'archived' | 'failed';
  prLink: string | null;
  archivedAt: string | null;
  looksLeft: number;
  script: JobScript;
}

/** A hosted provider on loopback. It keeps to the published description and knows none of our additions. */
export interface HostedService extends AsyncDisposable {
  /** The base URL. */
  readonly url: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly requests: readonly RecordedRequest[];
  /** Ids of the jobs that exist, in the order of their creation. */
  readonly jobIds: readonly string[];
  /** Scripts for the jobs to come, in order; the last one holds for all further ones. */
  script(...scripts: JobScript[]): void;
  /** Ends or reopens a job now, whatever its script says. */
  setJob(id: string, status: StoredJob['status'], prLink?: string | null): void;
  forgetJob(id: string): void;
  /** Makes the next `times` requests of an operation (or of any) go wrong. */
  fail(fault: Fault, on?: PublishedOperation | 'any', times?: number): void;
  /** Lets every request succeed again. */
  heal(): void;
  /** From now on this is the only key; undefined: none is accepted, as in an incident. */
  acceptKey(key: string | undefined): void;
  /** Resolves when so many requests of an operation (or of any) have come. */
  received(operation: PublishedOperation | 'any', count: number): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
const hourMs = 60 * 60_000;

/** Starts it on a free port. Disposing it breaks what is still open, also requests that hang. */
export async function startHostedService(options: HostedServiceOptions = {}): Promise<HostedService> {
  const service = new Stand(options);
  const server = createServer((request, response) => {
    service.serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  // Never, before it is disposed: a connection that is closed under a request would fail a test.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service.end = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error === undefined ? resolve() : reject(error)));
      server.closeAllConnections();
    });
  return service;
}

class Refused extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

class Stand implements HostedService {
  url = '';
  end: () => Promise<void> = async () => undefined;
  readonly apiKey: string;
  readonly projectId: string;
  readonly requests: RecordedRequest[] = [];
  readonly #perHour: number;
  readonly #now: () => number;
  readonly #checks = publishedChecks('strict');
  readonly #jobs = new Map<string, StoredJob>();
  readonly #spent: { operation: PublishedOperation; at: number }[] = [];
  #scripts: JobScript[] = [{ looks: 1, end: 'completed', prLink: 'https://github.com/acme/docs/pull/1' }];
  #faults: { fault: Fault; on: PublishedOperation | 'any'; times: number }[] = [];
  #key: string | undefined;
  #waiting: (() => void)[] = [];
  #ended: Promise<void> | undefined;

  constructor(options: HostedServiceOptions) {
    this.apiKey = options.apiKey ?? 'mint_0123456789abcdefghijklmnop';
    this.projectId = options.projectId ?? 'acme-docs';
    this.#perHour = options.perHour ?? 100;
    this.#now = options.now ?? Date.now;
    this.#key = this.apiKey;
  }

  get jobIds(): string[] {
    return [...this.#jobs.keys()];
  }

  script(...scripts: JobScript[]): void {
    assert.ok(scripts.length > 0);
    this.#scripts = scripts;
  }

  setJob(id: string, status: StoredJob['status'], prLink: string | null = null): void {
    const job = this.#jobs.get(id);
    assert.ok(job, `no job ${id}`);
    job.script = { looks: 0, end: status, prLink };
    job.looksLeft = 0;
    this.#finish(job);
  }

  forgetJob(id: string): void {
    assert.ok(this.#jobs.delete(id), `no job ${id}`);
  }

  fail(fault: Fault, on: PublishedOperation | 'any' = 'any', times = Number.POSITIVE_INFINITY): void {
    this.#faults.push({ fault, on, times });
  }

  heal(): void {
    this.#faults = [];
  }

  acceptKey(key: string | undefined): void {
    this.#key = key;
  }

  async received(operation: PublishedOperation | 'any', count: number): Promise<void> {
    while (
      this.requests.filter((each) => operation === 'any' || each.operation === operation).length < count
    ) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** May be called twice: a test that lets the service die still has its own `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.end();
    await this.#ended;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { method = '', url = '', headers } = request;
    const { operation, projectId, id } = route(method, url);
    this.requests.push({ operation, method, path: url, headers, body, at: this.#now() });
    for (const wake of this.#waiting.splice(0)) wake();

    const fault = this.#takeFault(operation);
    if (fault !== undefined && fault.performed !== true) return goWrong(fault, response);
    let status = 200;
    let answered: unknown;
    let extra: Record<string, string> = {};
    try {
      this.#authorize(headers);
      if (projectId !== undefined && projectId !== this.projectId) {
        throw new Refused(403, 'The API key has no access to this project.');
      }
      status = operation === 'create' ? 201 : 200;
      answered = this.#perform(operation, id, headers, body);
      assert.ok(this.#checks.agentJob(answered), JSON.stringify(this.#checks.agentJob.errors));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      ({ status, headers: extra } = error);
      answered = { error: error.message };
      assert.ok(this.#checks.error(answered));
    }
    const text = JSON.stringify(answered);
    if (fault !== undefined) return goWrong(fault, response, text);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...extra }).end(text);
  }

  #perform(
    operation: PublishedOperation | 'unknown',
    id: string,
    headers: IncomingHttpHeaders,
    body: string,
  ): object {
    if (operation === 'unknown') throw new Refused(404, 'Not found.');
    if (operation === 'create') {
      this.#readPrompt(headers, body);
      this.#spend(operation);
      const job = this.#newJob();
      this.#jobs.set(job.id, job);
      return shape(job);
    }
    const job = this.#jobs.get(id);
    if (job === undefined) throw new Refused(404, 'Agent job not found.');
    if (operation === 'get') {
      // The look that sees the end is the one after the scripted ones.
      if (job.status === 'active' && job.looksLeft-- <= 0) this.#finish(job);
      return shape(job);
    }
    this.#readPrompt(headers, body);
    if (job.status === 'archived') throw new Refused(400, 'The job is archived.');
    this.#spend(operation);
    job.script = this.#nextScript();
    job.looksLeft = job.script.looks;
    job.status = 'active';
    return shape(job);
  }

  #newJob(): StoredJob {
    const script = this.#nextScript();
    return {
      id: `job_${crypto.randomUUID()}`,
      createdAt: new Date(this.#now()).toISOString(),
      status: 'active',
      prLink: null,
      archivedAt: null,
      looksLeft: script.looks,
      script,
    };
  }

  #nextScript(): JobScript {
    const script = this.#scripts.length > 1 ? this.#scripts.shift() : this.#scripts[0];
    assert.ok(script);
    return script;
  }

  #finish(job: StoredJob): void {
    job.status = job.script.end;
    if (job.status === 'completed') job.prLink = job.script.prLink ?? job.prLink;
    if (job.status === 'archived') job.archivedAt = new Date(this.#now()).toISOString();
  }

  #authorize(headers: IncomingHttpHeaders): void {
    const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) throw new Refused(401, 'Missing API key.');
    if (/^mint_(?:dsc|us)_/.test(given)) throw new Refused(403, 'This operation needs an admin API key.');
    if (given !== this.#key) throw new Refused(401, 'Invalid or expired API key.');
  }

  #readPrompt(headers: IncomingHttpHeaders, body: string): void {
    if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
      throw new Refused(400, 'The body must be JSON.');
    }
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      throw new Refused(400, 'The body is not valid JSON.');
    }
    if (!this.#checks.prompt(value))
      throw new Refused(400, 'A prompt of at least one character is required.');
  }

  #spend(operation: 'create' | 'message'): void {
    const now = this.#now();
    const spent = this.#spent.filter((each) => each.operation === operation && each.at > now - hourMs);
    const [first] = spent;
    if (spent.length >= this.#perHour && first !== undefined) {
      const seconds = Math.ceil((first.at + hourMs - now) / 1000);
      throw new Refused(429, 'Rate limit exceeded.', { 'retry-after': String(seconds) });
    }
    this.#spent.push({ operation, at: now });
  }

  #takeFault(operation: PublishedOperation | 'unknown'): Fault | undefined {
    const planned = this.#faults.find((each) => each.on === 'any' || each.on === operation);
    if (planned === undefined) return undefined;
    planned.times -= 1;
    if (planned.times <= 0) this.#faults.splice(this.#faults.indexOf(planned), 1);
    return planned.fault;
  }
}

function shape(job: StoredJob): object {
  const { id, status, prLink, createdAt, archivedAt } = job;
  const source = {
    repository: 'https://github.com/acme/docs',
    ref: status === 'active' ? null : `agent/${id}`,
  };
  return { id, status, source, model: 'claude-sonnet', prLink, createdAt, archivedAt };
}

function route(
  method: string,
  url: string,
): { operation: PublishedOperation | 'unknown'; projectId: string | undefined; id: string } {
  const match = /^\/v2\/agent\/([^/?]+)\/job(?:\/([^/?]+)(\/message)?)?$/.exec(url);
  const [, projectId, id = '', message] = match?.map((part) => decodeURIComponent(part ?? '')) ?? [];
  // A verb and a depth: /job, /job/ID, /job/ID/message.
  const depth = [id, message].filter(Boolean).length;
  const operations = new Map<string, PublishedOperation>([
    ['POST 0', 'create'],
    ['GET 1', 'get'],
    ['POST 2', 'message'],
  ]);
  const operation = projectId === undefined ? undefined : operations.get(`${method} ${depth}`);
  return { operation: operation ?? 'unknown', projectId, id };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
