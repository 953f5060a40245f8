import {
  CodeHostServer,
  type HostedProject,
  type HostedPull,
  type PlannedAnswer,
  type RestRequest,
} from './code-host.ts';
import { RequestBodies } from './request-bodies.ts';

const bodies = new RequestBodies('gitlab-merge-requests.openapi.json');

/** Accounts of this server. */
const accounts = [
  { id: 11, username: 'kim' },
  { id: 12, username: 'lee' },
];

const draftMark = /^(?:\[draft\]|\(draft\)|draft:|wip:)\s*/i;

/** GitLab on loopback, REST below `/api/v4`; the site may live in a folder. */
export class GitLabServer extends CodeHostServer {
  readonly kind = 'gitlab';
  override token = 'glpat-0123456789abcdefghij';
  /** The folder of the site, as `/gitlab`, or nothing. */
  readonly root: string;
  /** Only one reviewer is kept on a free plan. */
  mostReviewers = 100;
  /** The token was made without the scope `api`. */
  scopeMissing = false;
  mergeRequestsEnabled = true;

  constructor(folder: string, root = '') {
    super(folder);
    this.root = root;
  }

  static start(folder: string, root = ''): Promise<GitLabServer> {
    return new GitLabServer(folder, root).listen();
  }

  protected isRest(url: URL): boolean {
    return url.pathname.startsWith(`${this.root}/api/`);
  }

  protected override cloneUrl(projectPath: string): string {
    return `${this.origin}${this.root}/${projectPath}.git`;
  }

  protected override gitPath(url: URL): { path: string; rest: string } | undefined {
    const { pathname } = url;
    if (!pathname.startsWith(`${this.root}/`)) return undefined;
    return super.gitPath(new URL(pathname.slice(this.root.length), this.origin));
  }

  protected override pushRefusal(project: HostedProject): string | undefined {
    if (project.archived) return 'GitLab: You cannot push to an archived project.';
    if (project.permission === 'write') return undefined;
    return 'GitLab: You are not allowed to push code to this project.';
  }

  protected async rest({ method, url, headers, body }: RestRequest): Promise<PlannedAnswer> {
    const [, secret] = /^bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    if ((secret ?? headers['private-token']) !== this.token) return said(401, '401 Unauthorized');
    const place = url.pathname.slice(`${this.root}/api/v4`.length);
    if (this.scopeMissing && method !== 'GET') {
      return {
        status: 403,
        body: {
          error: 'insufficient_scope',
          error_description: 'The request requires higher privileges than provided by the access token.',
          scope: 'api',
        },
      };
    }
    if (place === '/users') {
      const username = url.searchParams.get('username');
      return { status: 200, body: accounts.filter((account) => account.username === username) };
    }
    const [, id = '', rest = ''] = /^\/projects\/([^/]+)(\/.*)?$/.exec(place) ?? [];
    const project = this.#find(decodeURIComponent(id));
    if (project === undefined) return said(404, '404 Project Not Found');
    if (rest === '') return { status: 200, body: this.#show(project) };
    const [, branch] = /^\/repository\/branches\/([^/]+)$/.exec(rest) ?? [];
    if (branch !== undefined) {
      const commit = await this.commit(project, decodeURIComponent(branch));
      return commit ? { status: 200, body: { name: branch } } : said(404, '404 Branch Not Found');
    }
    return this.#mergeRequests(project, method, rest, url, body as Record<string, unknown>);
  }

  /** By its number or its whole path. */
  #find(id: string): HostedProject | undefined {
    const found = this.project(/^\d+$/.test(id) ? (this.#paths[Number(id) - 100] ?? '') : id);
    if (found !== undefined && !this.#paths.includes(found.path)) this.#paths.push(found.path);
    return found;
  }
  readonly #paths: string[] = [];

  #id(project: HostedProject): number {
    return this.#paths.indexOf(project.path) + 100;
  }

  #show(project: HostedProject): object {
    return {
      id: this.#id(project),
      path_with_namespace: project.path,
      default_branch: 'main',
      archived: project.archived,
      merge_requests_access_level: this.mergeRequestsEnabled ? 'enabled' : 'disabled',
      permissions: {
        project_access: null,
        group_access: { access_level: project.permission === 'write' ? 30 : 20 },
      },
      remove_source_branch_after_merge: true,
      squash_option: 'default_off',
    };
  }

  async #mergeRequests(
    project: HostedProject,
    method: string,
    rest: string,
    url: URL,
    body: Record<string, unknown>,
  ): Promise<PlannedAnswer> {
    const [, number] = /^\/merge_requests(?:\/(\d+))?$/.exec(rest) ?? [];
    if (!rest.startsWith('/merge_requests')) return said(404, '404 Not Found');
    if (method === 'GET' && number === undefined) return this.#list(project, url);
    const pull = number === undefined ? undefined : project.pulls[Number(number) - 1];
    if (number !== undefined && pull === undefined) return said(404, '404 Not found');
    if (method === 'GET') return { status: 200, body: this.#showOne(project, pull!) };
    if (project.archived || project.permission !== 'write') return said(403, '403 Forbidden');
    const template = `/projects/{id}/merge_requests${number === undefined ? '' : '/{merge_request_iid}'}`;
    const complaint = bodies.complaint(method, template, body);
    if (complaint !== undefined) return { status: 400, body: { error: complaint } };
    const { title = '', description = '' } = body as { title?: string; description?: string };
    const refusal = tooLong(title, description);
    if (refusal !== undefined) return refusal;
    return pull === undefined ? this.#create(project, body) : this.#edit(project, pull, body);
  }

  #list(project: HostedProject, url: URL): PlannedAnswer {
    const branch = url.searchParams.get('source_branch');
    const state = url.searchParams.get('state');
    const found = this.listable(project).filter(
      (pull) =>
        (branch === null || pull.head === branch) &&
        (state === null || state === 'all' || state === stateOf(pull)),
    );
    return { status: 200, body: found.map((pull) => this.#showOne(project, pull)) };
  }

  async #create(project: HostedProject, body: Record<string, unknown>): Promise<PlannedAnswer> {
    const { title, source_branch: head, target_branch: base } = body as Record<string, string>;
    if (!(await this.commit(project, base!))) {
      return said(422, ['Target branch "' + base + '" does not exist']);
    }
    if (!(await this.commit(project, head!))) {
      return said(422, ['Source branch "' + head + '" does not exist']);
    }
    const open = this.open(project, head!, base!);
    if (open)
      return said(409, [`Another open merge request already exists for this source branch: !${open.number}`]);
    const pull = this.addPull(project, {
      title: title!,
      body: (body as { description?: string }).description ?? '',
      head: head!,
      base: base!,
      draft: draftMark.test(title!),
    });
    return { status: 201, body: this.#showOne(project, pull) };
  }

  #edit(project: HostedProject, pull: HostedPull, body: Record<string, unknown>): PlannedAnswer {
    const { title = pull.title, description = pull.body } = body as Record<string, string>;
    Object.assign(pull, { title, body: description, draft: draftMark.test(title) });
    pull.labels.push(...((body['add_labels'] ?? []) as string[]));
    const ids = body['reviewer_ids'] as number[] | undefined;
    if (ids !== undefined) {
      pull.reviewers = accounts
        .filter(({ id }) => ids.includes(id))
        .map(({ username }) => username)
        .slice(0, this.mostReviewers);
    }
    return { status: 200, body: this.#showOne(project, pull) };
  }

  #showOne(project: HostedProject, pull: HostedPull): object {
    return {
      iid: pull.number,
      web_url: `${this.origin}${this.root}/${project.path}/-/merge_requests/${pull.number}`,
      title: pull.title,
      description: pull.body,
      state: stateOf(pull),
      draft: pull.draft,
      source_project_id: this.#id(project),
      target_project_id: this.#id(project),
      reviewers: accounts.filter(({ username }) => pull.reviewers.includes(username)),
    };
  }
}

function stateOf(pull: HostedPull): string {
  return pull.state === 'open' ? 'opened' : pull.state;
}

function tooLong(title: string, description: string): PlannedAnswer | undefined {
  if ([...title].length > 255) {
    return said(400, { title: ['is too long (maximum is 255 characters)'] });
  }
  if ([...description].length > 1_048_576) {
    return said(400, { description: ['is too long (maximum is 1048576 characters)'] });
  }
  return undefined;
}

function said(status: number, message: unknown): PlannedAnswer {
  return { status, body: { message } };
}
