import {
  CodeHostServer,
  type HostedProject,
  type HostedPull,
  type PlannedAnswer,
  type RestRequest,
} from './code-host.ts';
import { RequestBodies } from './request-bodies.ts';

const bodies = new RequestBodies('bitbucket-cloud.openapi.json');

interface Account {
  readonly uuid: string;
  readonly account_id: string;
  readonly nickname: string;
  readonly display_name: string;
}

function account(number: number, nickname: string, displayName: string): Account {
  return {
    uuid: `{0000000${number}-0000-4000-8000-000000000000}`,
    account_id: `557058:${number}`,
    nickname,
    display_name: displayName,
  };
}

/** Bitbucket Cloud on loopback, REST below `/2.0`. */
export class BitbucketCloudServer extends CodeHostServer {
  readonly kind = 'bitbucket';
  override token = 'ATCTT3xFfGN0123456789abcdefghijklmno';
  members = [
    account(1, 'kim', 'Kim Berg'),
    account(2, 'lee', 'Alex'),
    account(3, 'sam', 'Alex'),
    account(4, 'author', 'Author'),
  ];
  /** E-mail address of the account that the token belongs to; absent: an access token, which stands for itself. */
  account: string | undefined;
  /** As for an access token of one repository. */
  membersRefused = false;
  /** Members on one page. */
  pageLimit = 100;
  /** Scopes that the token has beside reading. */
  scopes: readonly string[] = ['repository:write', 'pullrequest:write'];
  /** Of the account or access token that asks; it cannot review its own work. */
  readonly author = 'author';
  /** As before drafts came to everybody. */
  draftsSupported = true;

  static start(folder: string): Promise<BitbucketCloudServer> {
    return new BitbucketCloudServer(folder).listen();
  }

  protected isRest(url: URL): boolean {
    return url.pathname.startsWith('/2.0/');
  }

  protected override admits(username: string, secret: string): boolean {
    const wanted = this.account === undefined ? 'x-token-auth' : 'x-bitbucket-api-token-auth';
    return username === wanted && super.admits(username, secret);
  }

  protected override pushRefusal(project: HostedProject): string | undefined {
    return project.archived || project.permission === 'read'
      ? 'Your credentials lack one or more required privilege scopes.'
      : undefined;
  }

  protected async rest({ method, url, headers, body }: RestRequest): Promise<PlannedAnswer> {
    const basic = Buffer.from(`${this.account}:${this.token}`).toString('base64');
    const wanted = this.account === undefined ? `Bearer ${this.token}` : `Basic ${basic}`;
    if (headers.authorization !== wanted) {
      return refuse(401, 'Token is invalid, expired, or not supported for this endpoint.');
    }
    const inside = url.pathname.slice('/2.0'.length);
    if (inside.startsWith('/workspaces/')) return this.#listMembers(url);
    const [, workspace = '', slug = '', rest = ''] =
      /^\/repositories\/([^/]+)\/([^/]+)(\/.*)?$/.exec(inside) ?? [];
    const name = `${decodeURIComponent(workspace)}/${decodeURIComponent(slug)}`;
    const project = this.project(name);
    const template = templateOf(rest);
    if (!project || template === undefined) {
      return refuse(
        404,
        'You may not have access to this repository or it no longer exists in this workspace.',
      );
    }
    if (method !== 'GET') {
      const complaint = bodies.complaint(method, template, body);
      if (complaint !== undefined) return refuse(400, 'Bad request', { body: [complaint] });
      if (project.permission === 'read' || !this.scopes.includes('pullrequest:write')) {
        return refuse(403, 'Your credentials lack one or more required privilege scopes.');
      }
    }
    if (rest === '') return this.#repository(project);
    if (rest === '/refs/branches') return this.#listBranches(project, url);
    const fields = body as Record<string, unknown>;
    if (rest === '/pullrequests') {
      return method === 'GET' ? this.#listPulls(project, url) : this.#createPull(project, fields);
    }
    return this.#onePull(project, Number(/\d+$/.exec(rest)), method, fields);
  }

  async #repository(project: HostedProject): Promise<PlannedAnswer> {
    const [first] = await this.branches(project);
    const mainbranch = first === undefined ? null : { type: 'branch', name: first };
    return answer(200, { type: 'repository', full_name: project.path, mainbranch });
  }

  async #listBranches(project: HostedProject, url: URL): Promise<PlannedAnswer> {
    const wanted = readText(url.searchParams.get('q') ?? '', /^name = /);
    const found = (await this.branches(project)).filter((name) => name === wanted);
    return answer(200, { values: found.map((name) => ({ type: 'branch', name })) });
  }

  #listMembers(url: URL): PlannedAnswer {
    if (this.membersRefused) {
      return refuse(403, 'Your credentials lack one or more required privilege scopes.');
    }
    const page = Number(url.searchParams.get('page') ?? 1);
    const some = this.members.slice((page - 1) * this.pageLimit, page * this.pageLimit);
    const more = page * this.pageLimit < this.members.length;
    const next = more ? { next: 'https://evil.example/members' } : {};
    return answer(200, { values: some.map((user) => ({ user })), ...next });
  }

  #listPulls(project: HostedProject, url: URL): PlannedAnswer {
    const q = url.searchParams.get('q') ?? '';
    if (!q.endsWith(' AND state = "OPEN"')) return refuse(400, 'Invalid query');
    const branch = readText(q.replace(/ AND state = "OPEN"$/, ''), /^source\.branch\.name = /);
    const found = this.listable(project).filter((pull) => pull.state === 'open' && pull.head === branch);
    return answer(200, { values: found.map((pull) => this.#show(project, pull)) });
  }

  async #createPull(project: HostedProject, fields: Record<string, unknown>): Promise<PlannedAnswer> {
    const {
      title,
      description = '',
      draft = false,
    } = fields as {
      title: string;
      description?: string;
      draft?: boolean;
    };
    const { source, destination } = fields as Record<string, { branch: { name: string } } | undefined>;
    const head = source?.branch.name ?? '';
    const base = destination?.branch.name ?? 'main';
    const branches = await this.branches(project);
    for (const [field, name] of [
      ['source', head],
      ['destination', base],
    ] as const) {
      if (!branches.includes(name))
        return refuse(400, 'Bad request', { [field]: ['branch not found: ' + name] });
    }
    const tooLong = tooLongText(title, description);
    if (tooLong) return tooLong;
    if ((await this.ahead(project, base, head)) === 0) {
      return refuse(400, 'There are no changes to be pulled');
    }
    const open = this.open(project, head, base);
    // It does not refuse a second one: it rewrites the first.
    if (open) Object.assign(open, { title, body: description });
    const pull =
      open ??
      this.addPull(project, { title, body: description, head, base, draft: draft && this.draftsSupported });
    return answer(201, this.#show(project, pull));
  }

  #onePull(
    project: HostedProject,
    number: number,
    method: string,
    fields: Record<string, unknown>,
  ): PlannedAnswer {
    const pull = project.pulls[number - 1];
    if (!pull) return refuse(404, `Pull request ${number} not found.`);
    if (method === 'PUT') {
      const {
        title = pull.title,
        description = pull.body,
        draft = pull.draft,
      } = fields as {
        title?: string;
        description?: string;
        draft?: boolean;
      };
      const tooLong = tooLongText(title, description);
      if (tooLong) return tooLong;
      // Who is not named is sent away.
      const asked = (fields['reviewers'] ?? []) as { uuid: string }[];
      const people = asked.map(({ uuid }) => this.members.find((member) => member.uuid === uuid));
      if (people.includes(undefined)) return refuse(400, 'Malformed reviewers list');
      const reviewers = people.flatMap((person) => person?.nickname ?? []);
      if (reviewers.includes(this.author)) {
        return refuse(400, 'Bad request', {
          reviewers: [`${this.author} is the author and cannot be included as a reviewer.`],
        });
      }
      Object.assign(pull, { title, body: description, draft, reviewers });
    }
    return answer(200, this.#show(project, pull));
  }

  #show(project: HostedProject, pull: HostedPull): object {
    const states = { open: 'OPEN', merged: 'MERGED', closed: 'DECLINED' };
    return {
      type: 'pullrequest',
      id: pull.number,
      title: pull.title,
      description: pull.body,
      state: states[pull.state],
      ...(this.draftsSupported && { draft: pull.draft }),
      reviewers: pull.reviewers.map((name) => this.members.find(({ nickname }) => nickname === name)),
      source: { branch: { name: pull.head }, repository: { full_name: project.path } },
      links: { html: { href: `${this.origin}/${project.path}/pull-requests/${pull.number}` } },
    };
  }
}

/** The text of a condition in Bitbucket's query language. */
function readText(condition: string, start: RegExp): string | undefined {
  const [, text] = /^"((?:[^"\\]|\\.)*)"$/.exec(condition.replace(start, '')) ?? [];
  return text?.replace(/\\(.)/g, '$1');
}

function templateOf(rest: string): string | undefined {
  const repository = '/repositories/{workspace}/{repo_slug}';
  if (['', '/refs/branches', '/pullrequests'].includes(rest)) return repository + rest;
  return /^\/pullrequests\/\d+$/.test(rest) ? `${repository}/pullrequests/{pull_request_id}` : undefined;
}

function tooLongText(title: string, description: string): PlannedAnswer | undefined {
  const tooLong = (field: string, limit: number): PlannedAnswer =>
    refuse(400, 'Bad request', { [field]: [`Ensure this value has at most ${limit} characters.`] });
  if ([...title].length > 255) return tooLong('title', 255);
  return description.length > 250_000 ? tooLong('description', 250_000) : undefined;
}

function answer(status: number, body: unknown): PlannedAnswer {
  return { status, body };
}

function refuse(status: number, message: string, fields: object = {}): PlannedAnswer {
  return { status, body: { type: 'error', error: { message, fields } } };
}
