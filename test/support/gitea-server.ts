import {
  CodeHostServer,
  type HostedProject,
  type HostedPull,
  type PlannedAnswer,
  type RestRequest,
} from './code-host.ts';
import { RequestBodies } from './request-bodies.ts';

const bodies = new RequestBodies('gitea-pulls.openapi.json');

/** People who may review here. */
const collaborators = new Set(['kim', 'lee', 'sam']);
const teams = new Set(['writers']);

interface Label {
  readonly id: number;
  readonly name: string;
}

/** Gitea or Forgejo on loopback, REST below `/api/v1`. */
export class GiteaServer extends CodeHostServer {
  readonly kind = 'gitea';
  override token = '0123456789abcdef0123456789abcdef01234567';
  /** Folder of the site, with a slash before it: `/git`. */
  site = '';
  /** Of the repository, then of the organisation that owns it. */
  labels: Label[] = [
    { id: 7, name: 'docs' },
    { id: 8, name: 'Agent' },
  ];
  organisationLabels: Label[] | undefined = [{ id: 31, name: 'company-wide' }];
  /** What an administrator chose as marks of drafts. */
  draftMarks = ['WIP:', '[WIP]'];
  /** Old servers do not tell drafts apart from their titles. */
  tellsDrafts = true;
  mirror = false;
  pullRequestsOff = false;
  /** `MAX_RESPONSE_ITEMS` of the server. */
  pageLimit = 50;

  static start(folder: string): Promise<GiteaServer> {
    return new GiteaServer(folder).listen();
  }

  protected override cloneUrl(projectPath: string): string {
    return `${this.origin}${this.site}/${projectPath}.git`;
  }

  protected override gitPath(url: URL): { path: string; rest: string } | undefined {
    const found = super.gitPath(url);
    return found && { ...found, path: found.path.slice(Math.max(0, this.site.length)) };
  }

  protected override pushRefusal(project: HostedProject): string | undefined {
    if (project.archived) return 'This repo is archived. You can view files and clone it, but cannot push.';
    return project.permission === 'write' ? undefined : 'User permission denied for writing.';
  }

  protected isRest(url: URL): boolean {
    return url.pathname.startsWith(`${this.site}/api/`);
  }

  protected async rest({ method, url, headers, body }: RestRequest): Promise<PlannedAnswer> {
    if (!this.#signedIn(headers.authorization)) {
      return refuse(401, 'invalid username, password or token');
    }
    const inside = url.pathname.slice(`${this.site}/api/v1`.length);
    if (inside.startsWith('/orgs/')) return this.#listed(this.organisationLabels, url);
    const [, owner = '', name = '', rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(inside) ?? [];
    const project = this.project(`${decodeURIComponent(owner)}/${decodeURIComponent(name)}`);
    const template = templateOf(rest);
    // Gitea hides what an account may not see.
    if (!project || template === undefined) return notFound();
    if (method !== 'GET') {
      const complaint = bodies.complaint(method, template, body);
      if (complaint !== undefined) return refuse(422, complaint);
      if (project.archived) return refuse(423, `${project.path} is archived`);
      if (project.permission === 'read') {
        return refuse(403, 'token does not have at least one of required scope(s): [write:repository]');
      }
    }
    const fields = body as Record<string, unknown>;
    if (rest === '') return this.#repository(project);
    if (rest === '/labels') return this.#listed(this.labels, url);
    if (rest.startsWith('/branches/')) return this.#branch(project, rest.slice('/branches/'.length));
    if (rest === '/pulls') {
      return method === 'GET' ? this.#listPulls(project, url) : this.#createPull(project, fields);
    }
    return this.#onePull(project, rest, method, fields);
  }

  #signedIn(authorization: string | undefined): boolean {
    const [, token] = /^(?:token|bearer) (.+)$/i.exec(authorization ?? '') ?? [];
    const [, basic = ''] = /^Basic (.+)$/i.exec(authorization ?? '') ?? [];
    const password = Buffer.from(basic, 'base64').toString().split(':')[1];
    return (token ?? password) === this.token;
  }

  async #repository(project: HostedProject): Promise<PlannedAnswer> {
    return answer(200, {
      full_name: project.path,
      archived: project.archived,
      mirror: this.mirror,
      empty: (await this.branches(project)).length === 0,
      has_pull_requests: !this.pullRequestsOff,
      default_branch: 'main',
      permissions: { admin: false, push: project.permission === 'write', pull: true },
    });
  }

  async #branch(project: HostedProject, name: string): Promise<PlannedAnswer> {
    const branch = decodeURIComponent(name);
    return (await this.branches(project)).includes(branch) ? answer(200, { name: branch }) : notFound();
  }

  #listPulls(project: HostedProject, url: URL): PlannedAnswer {
    const state = url.searchParams.get('state') ?? 'open';
    const found = this.listable(project).filter(
      (pull) => state === 'all' || (pull.state === 'open') === (state === 'open'),
    );
    return this.#listed(
      found.map((pull) => this.#show(project, pull)),
      url,
    );
  }

  #listed(all: readonly unknown[] | undefined, url: URL): PlannedAnswer {
    if (all === undefined) return notFound();
    const page = Number(url.searchParams.get('page') ?? 1);
    const limit = Math.min(this.pageLimit, Number(url.searchParams.get('limit') ?? 30));
    const some = all.slice((page - 1) * limit, page * limit);
    return { status: 200, headers: { 'x-total-count': String(all.length) }, body: some };
  }

  async #createPull(project: HostedProject, fields: Record<string, unknown>): Promise<PlannedAnswer> {
    const { title, head, base, body = '' } = fields as Record<string, string>;
    if (!title || !head || !base) return refuse(422, '[Title]: Required');
    if (head === base) {
      return refuse(422, 'Invalid PullRequest: There are no changes between the head and the base');
    }
    const branches = await this.branches(project);
    if (!branches.includes(head) || !branches.includes(base)) return notFound();
    const open = this.open(project, head, base);
    if (open) {
      return refuse(
        409,
        `pull request already exists for these targets [id: 9${open.number}, issue_id: ${open.number}, head_repo_id: 1, base_repo_id: 1, head_branch: ${head}, base_branch: ${base}]`,
      );
    }
    const tooLong = tooLongText(title, body);
    if (tooLong) return tooLong;
    const pull = this.addPull(project, { title, body, head, base, draft: this.#isDraft(title) });
    return answer(201, this.#show(project, pull));
  }

  #onePull(
    project: HostedProject,
    rest: string,
    method: string,
    fields: Record<string, unknown>,
  ): PlannedAnswer {
    const [, number, part] =
      /^\/(?:pulls|issues)\/(\d+)(?:\/(labels|requested_reviewers))?$/.exec(rest) ?? [];
    if (number === undefined) return this.#ofBranches(project, rest);
    const pull = project.pulls[Number(number) - 1];
    if (!pull) return notFound();
    if (part === 'labels') return this.#addLabels(pull, fields);
    if (part === 'requested_reviewers') return addReviewers(pull, fields);
    if (method === 'PATCH') {
      const { title = pull.title, body = pull.body } = fields as { title?: string; body?: string };
      const tooLong = tooLongText(title, body);
      if (tooLong) return tooLong;
      Object.assign(pull, { title, body, draft: this.#isDraft(title) });
      return answer(201, this.#show(project, pull));
    }
    return answer(200, this.#show(project, pull));
  }

  /** The oldest of these branches, whatever became of it. */
  #ofBranches(project: HostedProject, rest: string): PlannedAnswer {
    const [, base = '', head = ''] = /^\/pulls\/([^/]+)\/(.+)$/.exec(rest) ?? [];
    const names = { base: decodeURIComponent(base), head: decodeURIComponent(head) };
    const found = this.listable(project).find((pull) => pull.head === names.head && pull.base === names.base);
    return found ? answer(200, this.#show(project, found)) : notFound();
  }

  #addLabels(pull: HostedPull, fields: Record<string, unknown>): PlannedAnswer {
    const known = [...this.labels, ...(this.organisationLabels ?? [])];
    const found = (fields['labels'] as number[]).map((id) => known.find((label) => label.id === id));
    if (found.includes(undefined)) return notFound();
    pull.labels.push(...found.flatMap((label) => label?.name ?? []));
    return answer(200, found);
  }

  #isDraft(title: string): boolean {
    return this.draftMarks.some((mark) => title.toUpperCase().startsWith(mark.toUpperCase()));
  }

  #show(project: HostedProject, pull: HostedPull): object {
    return {
      number: pull.number,
      html_url: `${this.origin}${this.site}/${project.path}/pulls/${pull.number}`,
      state: pull.state === 'open' ? 'open' : 'closed',
      merged: pull.state === 'merged',
      ...(this.tellsDrafts && { draft: pull.draft }),
      title: pull.title,
      body: pull.body,
      head: { ref: pull.head, repo_id: 1 },
      base: { ref: pull.base, repo_id: 1 },
    };
  }
}

function addReviewers(pull: HostedPull, fields: Record<string, unknown>): PlannedAnswer {
  const asked = (fields['reviewers'] ?? []) as string[];
  const askedTeams = (fields['team_reviewers'] ?? []) as string[];
  const stranger =
    asked.find((name) => !collaborators.has(name)) ?? askedTeams.find((name) => !teams.has(name));
  if (stranger !== undefined) return refuse(404, `user does not exist [uid: 0, name: ${stranger}]`);
  pull.reviewers.push(...asked, ...askedTeams);
  return answer(201, []);
}

/** The path of the description that a request belongs to. */
function templateOf(rest: string): string | undefined {
  const repository = '/repos/{owner}/{repo}';
  if (rest === '' || rest === '/labels' || rest === '/pulls') return repository + rest;
  if (rest.startsWith('/branches/')) return `${repository}/branches/{branch}`;
  if (/^\/pulls\/\d+$/.test(rest)) return `${repository}/pulls/{index}`;
  if (/^\/pulls\/\d+\/requested_reviewers$/.test(rest)) {
    return `${repository}/pulls/{index}/requested_reviewers`;
  }
  if (/^\/issues\/\d+\/labels$/.test(rest)) return `${repository}/issues/{index}/labels`;
  return /^\/pulls\/[^/]+\/.+$/.test(rest) ? `${repository}/pulls/{base}/{head}` : undefined;
}

/** Gitea itself cuts; a title that is cut by it loses its end without a word. */
function tooLongText(title: string, body: string): PlannedAnswer | undefined {
  if ([...title].length > 255) return refuse(422, '[Title]: MaxSize');
  return body.length > 1_000_000 ? refuse(422, '[Body]: MaxSize') : undefined;
}

function answer(status: number, body: unknown): PlannedAnswer {
  return { status, body };
}

function refuse(status: number, message: string): PlannedAnswer {
  return { status, body: { message, url: 'http://127.0.0.1/api/swagger' } };
}

function notFound(): PlannedAnswer {
  return refuse(404, 'The target could not be found.');
}
