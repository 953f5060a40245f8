import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import { invalid, notFound, openApiPath, type PlannedAnswer } from './code-host-answers.ts';
import { RequestGates } from './gate.ts';
import { serveGit } from './git-http-backend.ts';
import { git } from './repositories.ts';

export interface HostedPull {
  readonly number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  mergedAt: string | null;
  readonly head: string;
  readonly base: string;
}

export interface HostedProject {
  readonly owner: string;
  readonly name: string;
  /** Path of the bare repository behind it. */
  readonly gitDir: string;
  /** What a clone is made from; without credentials. */
  readonly url: string;
  archived: boolean;
  /** What the token of this server may do here. */
  permission: 'none' | 'read' | 'write';
  /** Words of a ruleset that refuses every push, as `GH013: …`. */
  refusePush: string | undefined;
  readonly pulls: HostedPull[];
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: object }> } }>
  >;
}

const openApi = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'github-pulls.openapi.json'), 'utf8'),
) as OpenApi;

const run = promisify(execFile);

/**
 * A code host on loopback with the interface of GitHub Enterprise: git by `git http-backend` over bare
 * repositories, REST below `/api/v3`. Request bodies are held against GitHub's published description,
 * and what GitHub refuses is refused here, in its words.
 */
export class CodeHostServer implements AsyncDisposable {
  readonly token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  readonly requests: ReceivedRequest[] = [];
  readonly planned: PlannedAnswer[] = [];
  /** Requests that a test wants to stand still. */
  readonly gates = new RequestGates();
  readonly #folder: string;
  readonly #server: Server;
  readonly #projects = new Map<string, HostedProject>();
  readonly #ajv = new Ajv({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(JSON.stringify({ message: `the test's code host failed: ${String(error)}` }));
      });
    });
  }

  static async start(folder: string): Promise<CodeHostServer> {
    const host = new CodeHostServer(folder);
    mkdirSync(folder, { recursive: true });
    await new Promise<void>((resolve) => host.#server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  /** Host name and port, as the service's configuration names a host. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** The service's configuration for this server. */
  get configuration(): Record<string, { kind: 'github'; token: string }> {
    return { [this.host]: { kind: 'github', token: this.token } };
  }

  addProject(owner: string, name: string, branch = 'main'): HostedProject {
    const gitDir = path.join(this.#folder, owner, `${name}.git`);
    mkdirSync(gitDir, { recursive: true });
    git(gitDir, 'init', '--quiet', '--bare', `--initial-branch=${branch}`);
    git(gitDir, 'config', 'http.receivepack', 'true');
    const url = `${this.origin}/${owner}/${name}.git`;
    const project: HostedProject = {
      owner,
      name,
      gitDir,
      url,
      archived: false,
      permission: 'write',
      refusePush: undefined,
      pulls: [],
    };
    this.#projects.set(`${owner}/${name}`, project);
    return project;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const route = /^\/api\/v3\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(url.pathname);
    if (!url.pathname.startsWith('/api/')) return this.#git(request, response, url);
    const text = (await buffer(request)).toString('utf8');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const { authorization } = request.headers;
    const method = request.method ?? 'GET';
    this.requests.push({ method, path: url.pathname + url.search, authorization, body });
    const stop = this.gates.take(method, url);
    if (!(await stop('before'))) return void response.destroy();
    const answer =
      this.planned.shift() ??
      (route ? await this.#rest(method, route, url, authorization, body) : notFound());
    if (!(await stop('after'))) return void response.destroy();
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(JSON.stringify(answer.body ?? {}));
  }

  async #rest(
    method: string,
    [, owner = '', name = '', rest = '']: RegExpExecArray,
    url: URL,
    authorization: string | undefined,
    body: unknown,
  ): Promise<PlannedAnswer> {
    if (!/^(?:token|bearer) /i.test(authorization ?? '') || authorization?.split(' ')[1] !== this.token) {
      return { status: 401, body: { message: 'Bad credentials' } };
    }
    const project = this.#projects.get(`${owner}/${decodeURIComponent(name)}`);
    // GitHub hides what an account may not see.
    if (!project || project.permission === 'none') return notFound();
    const template = openApiPath(rest);
    const operations = template && openApi.paths[template];
    if (!template || !operations) return notFound();
    const schema = operations[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
    if (schema) {
      const validate = this.#validator(`${method} ${template}`, schema);
      if (!validate(body)) return invalid(this.#ajv.errorsText(validate.errors));
    }
    if (method !== 'GET') {
      if (project.archived) {
        return { status: 403, body: { message: 'Repository was archived so is read-only.' } };
      }
      if (project.permission === 'read') {
        return { status: 403, body: { message: 'Resource not accessible by personal access token' } };
      }
    }
    if (rest === '') return this.#repository(project);
    if (rest === '/pulls' && method === 'GET') return this.#listPulls(project, url);
    if (rest === '/pulls') return this.#createPull(project, body as Record<string, unknown>);
    const [, number] = /^\/pulls\/(\d+)$/.exec(rest) ?? [];
    if (number) return this.#onePull(project, Number(number), method, body as Record<string, string>);
    return this.#ref(project, rest);
  }

  #repository(project: HostedProject): PlannedAnswer {
    return {
      status: 200,
      body: {
        full_name: `${project.owner}/${project.name}`,
        archived: project.archived,
        disabled: false,
        default_branch: 'main',
        permissions: { admin: false, push: project.permission === 'write', pull: true },
      },
    };
  }

  async #ref(project: HostedProject, rest: string): Promise<PlannedAnswer> {
    const branches = await this.#git1(project, 'for-each-ref', '--format=%(refname)');
    if (branches === '') return { status: 409, body: { message: 'Git Repository is empty.' } };
    const ref = `refs/${decodeURIComponent(rest.slice('/git/ref/'.length))}`;
    return branches.split('\n').includes(ref) ? { status: 200, body: { ref } } : notFound();
  }

  #listPulls(project: HostedProject, url: URL): PlannedAnswer {
    const head = url.searchParams.get('head');
    const state = url.searchParams.get('state') ?? 'open';
    const found = project.pulls.filter(
      (pull) =>
        (head === null || head === `${project.owner}:${pull.head}`) &&
        (state === 'all' || pull.state === state),
    );
    return { status: 200, body: found.map((pull) => this.#show(project, pull)) };
  }

  async #createPull(project: HostedProject, body: Record<string, unknown>): Promise<PlannedAnswer> {
    const { title, head, base } = body as Record<string, string>;
    if (!title) return invalid('Title is missing', { field: 'title', code: 'missing_field' });
    if (title.length > 256) return invalid('title is too long (maximum is 256 characters)');
    const text = typeof body['body'] === 'string' ? body['body'] : '';
    if (text.length > 65_536) return invalid('body is too long (maximum is 65536 characters)');
    const branch = String(head).replace(`${project.owner}:`, '');
    const headId = await this.#commit(project, branch);
    const baseId = await this.#commit(project, String(base));
    if (!baseId) return invalid(undefined, { resource: 'PullRequest', field: 'base', code: 'invalid' });
    if (!headId) return invalid(undefined, { resource: 'PullRequest', field: 'head', code: 'invalid' });
    if ((await this.#git1(project, 'rev-list', '--count', `${baseId}..${headId}`)) === '0') {
      return invalid(`No commits between ${base} and ${head}`);
    }
    if (project.pulls.some((pull) => pull.head === branch && pull.base === base && pull.state === 'open')) {
      return invalid(`A pull request already exists for ${project.owner}:${branch}.`);
    }
    const pull: HostedPull = {
      number: project.pulls.length + 1,
      title,
      body: text,
      state: 'open',
      mergedAt: null,
      head: branch,
      base: String(base),
    };
    project.pulls.push(pull);
    return { status: 201, body: this.#show(project, pull) };
  }

  #onePull(
    project: HostedProject,
    number: number,
    method: string,
    body: Record<string, string>,
  ): PlannedAnswer {
    const pull = project.pulls[number - 1];
    if (!pull) return notFound();
    if (method === 'PATCH') {
      pull.title = body['title'] ?? pull.title;
      pull.body = body['body'] ?? pull.body;
    }
    return { status: 200, body: this.#show(project, pull) };
  }

  #show({ owner, name }: HostedProject, pull: HostedPull): object {
    return {
      number: pull.number,
      html_url: `${this.origin}/${owner}/${name}/pull/${pull.number}`,
      state: pull.state,
      title: pull.title,
      body: pull.body,
      merged_at: pull.mergedAt,
    };
  }

  #validator(name: string, schema: object): ValidateFunction {
    let validate = this.#validators.get(name);
    if (!validate) {
      // A field that GitHub does not know is a mistake of ours, although GitHub would overlook it.
      validate = this.#ajv.compile({ ...schema, additionalProperties: false });
      this.#validators.set(name, validate);
    }
    return validate;
  }

  async #commit(project: HostedProject, branch: string): Promise<string | undefined> {
    try {
      return await this.#git1(project, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return undefined;
    }
  }

  async #git1(project: HostedProject, ...args: string[]): Promise<string> {
    return (await run('git', [`--git-dir=${project.gitDir}`, ...args])).stdout.trim();
  }

  async #git(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, owner = '', name = '', rest = ''] = /^\/([^/]+)\/([^/]+?)\.git(\/.*)$/.exec(url.pathname) ?? [];
    const { authorization } = request.headers;
    this.requests.push({
      method: request.method ?? '',
      path: url.pathname + url.search,
      authorization,
      body: undefined,
    });
    const [, basic = ''] = /^Basic (.+)$/i.exec(authorization ?? '') ?? [];
    if (Buffer.from(basic, 'base64').toString().split(':')[1] !== this.token) {
      response
        .writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' })
        .end('Invalid username or token.');
      return;
    }
    const project = this.#projects.get(`${owner}/${name}`);
    if (!project || project.permission === 'none') {
      response.writeHead(404).end('Repository not found.');
      return;
    }
    const pushing = url.searchParams.get('service') === 'git-receive-pack' || rest === '/git-receive-pack';
    if (pushing && (project.archived || project.permission === 'read')) {
      const why = project.archived
        ? 'This repository was archived so it is read-only.'
        : `Permission to ${owner}/${name}.git denied to someone.`;
      response.writeHead(403).end(why);
      return;
    }
    setRuleset(project);
    await serveGit(this.#folder, request, response, url, this.gates.take(request.method ?? '', url));
  }
}

function setRuleset(project: HostedProject): void {
  const file = path.join(project.gitDir, 'hooks', 'pre-receive');
  const words = project.refusePush;
  const script = words === undefined ? 'exit 0' : `echo "error: ${words}" >&2\nexit 1`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
