import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { ServiceConfig } from '../../src/service/config.ts';
import type { HostKind } from '../../src/service/host-kinds.ts';
import { RequestGates } from './gate.ts';
import { serveGit } from './git-http-backend.ts';

/** A pull request as every host knows it. */
export interface HostedPull {
  readonly number: number;
  title: string;
  body: string;
  state: 'open' | 'closed' | 'merged';
  draft: boolean;
  readonly head: string;
  base: string;
  labels: string[];
  /** Account names. */
  reviewers: string[];
}

export interface HostedProject {
  /** Below the site, without `.git`: `team/docs`. */
  readonly path: string;
  /** Path of the bare repository behind it. */
  readonly gitDir: string;
  /** What a clone is made from; without credentials. */
  readonly url: string;
  archived: boolean;
  /** What the token of this server may do here. */
  permission: 'none' | 'read' | 'write';
  /** What the host's own hook prints when it refuses every push, line by line as a writer sees it. */
  refusePush: string | undefined;
  readonly pulls: HostedPull[];
}

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** What a REST request gets. */
export interface PlannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A request for the REST interface, its body parsed. */
export interface RestRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

const run = promisify(execFile);

/**
 * A code host on loopback: real git by `git http-backend` over bare repositories, and a REST interface that each
 * kind of host says for itself. What the real host refuses, its server refuses, in the host's own words.
 */
export abstract class CodeHostServer implements AsyncDisposable {
  abstract readonly kind: HostKind;
  /** The one secret that is accepted, until a test changes it: then what was handed out has expired. */
  token = 'secret-0123456789abcdefghijABCDEFGHIJ01';
  readonly requests: ReceivedRequest[] = [];
  /** What the next REST requests get instead of their answers. */
  readonly planned: PlannedAnswer[] = [];
  /** Looks at each REST request first; what it answers is sent instead. */
  intercept: ((request: RestRequest) => PlannedAnswer | undefined) | undefined;
  /** Looks at each request of git first: a status is answered, a reset breaks the connection. */
  gitTrouble: ((method: string, url: URL) => number | 'reset' | undefined) | undefined;
  /** The lists come from a copy that lags behind: what is open already is not in them. */
  listsLag = false;
  /** Requests that a test wants to stand still. */
  readonly gates = new RequestGates();
  protected readonly folder: string;
  readonly #server: Server;
  readonly #projects = new Map<string, HostedProject>();

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(JSON.stringify({ message: `the test's code host failed: ${String(error)}` }));
      });
    });
    // Never, before it is disposed: a connection that is closed under a request would fail a test.
    this.#server.keepAliveTimeout = 0;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Host name and port, as the service's configuration names a host. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** The service's configuration for this server. */
  get configuration(): ServiceConfig['hosts'] {
    return { [this.host]: { kind: this.kind, token: this.token } };
  }

  addProject(projectPath: string, branch = 'main'): HostedProject {
    const gitDir = path.join(this.folder, `${projectPath}.git`);
    // What `git init --bare` would make, without a process for each of some hundred tests.
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'hooks']) {
      mkdirSync(path.join(gitDir, name), { recursive: true });
    }
    writeFileSync(path.join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`);
    const config = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[http]\n\treceivepack = true\n';
    writeFileSync(path.join(gitDir, 'config'), config);
    const project: HostedProject = {
      path: projectPath,
      gitDir,
      url: this.cloneUrl(projectPath),
      archived: false,
      permission: 'write',
      refusePush: undefined,
      pulls: [],
    };
    this.#projects.set(projectPath, project);
    return project;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Whether a request is one for {@link rest}; everything else is git's. */
  protected abstract isRest(url: URL): boolean;

  protected abstract rest(request: RestRequest): Promise<PlannedAnswer> | PlannedAnswer;

  protected cloneUrl(projectPath: string): string {
    return `${this.origin}/${projectPath}.git`;
  }

  /** The project that an address of git means, and what git wants of it. */
  protected gitPath(url: URL): { path: string; rest: string } | undefined {
    const [, found, rest] = /^\/(.+?)\.git(\/.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    return found === undefined || rest === undefined ? undefined : { path: found, rest };
  }

  /** Whether git may come in with this user name and secret. */
  protected admits(_username: string, secret: string): boolean {
    return secret === this.token;
  }

  /** In the host's words: why a push is refused before git is asked. */
  protected pushRefusal(project: HostedProject): string | undefined {
    if (project.archived) return 'This repository was archived so it is read-only.';
    if (project.permission === 'write') return undefined;
    return `Permission to ${project.path}.git denied to someone.`;
  }

  /** Hidden when the token may not see it. */
  protected project(projectPath: string): HostedProject | undefined {
    const project = this.#projects.get(projectPath);
    return project?.permission === 'none' ? undefined : project;
  }

  protected async branches(project: HostedProject): Promise<readonly string[]> {
    const names = await this.#git1(project, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads');
    return names.split('\n').filter((name) => name !== '');
  }

  protected async commit(project: HostedProject, branch: string): Promise<string | undefined> {
    try {
      return await this.#git1(project, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return undefined;
    }
  }

  /** How many commits `head` has that `base` does not have. */
  protected async ahead(project: HostedProject, base: string, head: string): Promise<number> {
    const range = `refs/heads/${base}..refs/heads/${head}`;
    return Number(await this.#git1(project, 'rev-list', '--count', range));
  }

  /** What a list of the project's pull requests is made from. */
  protected listable({ pulls }: HostedProject): readonly HostedPull[] {
    return this.listsLag ? [] : pulls;
  }

  protected open(project: HostedProject, head: string, base: string): HostedPull | undefined {
    return project.pulls.find((pull) => pull.state === 'open' && pull.head === head && pull.base === base);
  }

  protected addPull(
    project: HostedProject,
    pull: Pick<HostedPull, 'title' | 'body' | 'head' | 'base'> & Partial<HostedPull>,
  ): HostedPull {
    const made: HostedPull = {
      number: project.pulls.length + 1,
      state: 'open',
      draft: false,
      labels: [],
      reviewers: [],
      ...pull,
    };
    project.pulls.push(made);
    return made;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    if (!this.isRest(url)) return this.#git(request, response, url);
    const text = (await buffer(request)).toString('utf8');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const { headers, method = 'GET' } = request;
    const { authorization } = headers;
    this.requests.push({ method, path: url.pathname + url.search, authorization, body });
    const stop = this.gates.take(method, url);
    if (!(await stop('before'))) return void response.destroy();
    const received = { method, url, headers, body };
    const answer = this.planned.shift() ?? this.intercept?.(received) ?? (await this.rest(received));
    if (!(await stop('after'))) return void response.destroy();
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(answer.status === 204 ? undefined : JSON.stringify(answer.body ?? {}));
  }

  async #git1(project: HostedProject, ...args: string[]): Promise<string> {
    return (await run('git', [`--git-dir=${project.gitDir}`, ...args])).stdout.trim();
  }

  async #git(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { authorization } = request.headers;
    const method = request.method ?? '';
    this.requests.push({ method, path: url.pathname + url.search, authorization, body: undefined });
    const trouble = this.gitTrouble?.(method, url);
    if (trouble === 'reset') return void request.socket.resetAndDestroy();
    if (trouble !== undefined) return void response.writeHead(trouble).end('Not now.');
    const [, basic = ''] = /^Basic (.+)$/i.exec(authorization ?? '') ?? [];
    const [username = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':');
    if (!this.admits(username, secret.join(':'))) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Git"' }).end('HTTP Basic: Access denied.');
      return;
    }
    const found = this.gitPath(url);
    const project = found && this.project(found.path);
    if (!found || !project) {
      response.writeHead(404).end('Repository not found.');
      return;
    }
    const pushing =
      url.searchParams.get('service') === 'git-receive-pack' || found.rest === '/git-receive-pack';
    const refusal = pushing ? this.pushRefusal(project) : undefined;
    if (refusal !== undefined) {
      response.writeHead(403).end(refusal);
      return;
    }
    setHook(project);
    const stop = this.gates.take(method, url);
    // Git finds the repository by its folder, whatever the host's addresses look like.
    const place = new URL(url);
    place.pathname = `/${found.path.split('/').map(encodeURIComponent).join('/')}.git${found.rest}`;
    await serveGit(this.folder, request, response, place, stop);
  }
}

function setHook({ gitDir, refusePush }: HostedProject): void {
  const file = path.join(gitDir, 'hooks', 'pre-receive');
  if (refusePush === undefined) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  const script = `#!/bin/sh\ncat >&2 <<'END OF WORDS'\n${refusePush}\nEND OF WORDS\nexit 1\n`;
  writeFileSync(file, script, { mode: 0o755 });
}
