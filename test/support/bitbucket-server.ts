import {
  CodeHostServer,
  type HostedProject,
  type HostedPull,
  type PlannedAnswer,
  type RestRequest,
} from './code-host.ts';
import { RequestBodies } from './request-bodies.ts';

const bodies = new RequestBodies('bitbucket-server.openapi.json');

interface User {
  readonly name: string;
  readonly slug: string;
  readonly emailAddress: string;
  /** May see the repository. */
  readonly reads: boolean;
}

/** Bitbucket Data Center on loopback, REST below `/rest/api/1.0`. */
export class BitbucketServer extends CodeHostServer {
  readonly kind = 'bitbucket-server';
  override token = 'BBDC-MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODk';
  /** Context path of the site, with a slash before it: `/bitbucket`. */
  site = '';
  users: User[] = [
    { name: 'kim', slug: 'kim', emailAddress: 'kim@example.org', reads: true },
    { name: 'Lee@corp', slug: 'lee_corp', emailAddress: 'lee@example.org', reads: true },
    { name: 'stranger', slug: 'stranger', emailAddress: 'stranger@example.org', reads: false },
    { name: 'kimberley', slug: 'kimberley', emailAddress: 'kim.b@example.org', reads: true },
  ];
  /** Since version 8.18. */
  draftsSupported = true;
  /** Tokens of one repository are kept from lists. */
  listsRefused = false;
  /** Somebody changes the pull request so often between a look and a write. */
  quickerPeople = 0;
  pageLimit = 100;
  readonly #listed: HostedProject[] = [];
  readonly #versions = new Map<HostedPull, number>();

  static start(folder: string): Promise<BitbucketServer> {
    return new BitbucketServer(folder).listen();
  }

  override addProject(projectPath: string, branch?: string): HostedProject {
    const project = super.addProject(projectPath, branch);
    this.#listed.push(project);
    return project;
  }

  protected override cloneUrl(projectPath: string): string {
    return `${this.origin}${this.site}/scm/${projectPath}.git`;
  }

  protected override gitPath(url: URL): { path: string; rest: string } | undefined {
    const found = super.gitPath(url);
    const start = `${this.site}/scm/`.slice(1);
    return found?.path.startsWith(start) ? { ...found, path: found.path.slice(start.length) } : undefined;
  }

  protected override pushRefusal(project: HostedProject): string | undefined {
    if (project.archived) return 'This repository is archived and is read-only.';
    return project.permission === 'read' ? 'You are not permitted to push to this repository.' : undefined;
  }

  protected isRest(url: URL): boolean {
    return url.pathname.startsWith(`${this.site}/rest/`);
  }

  protected async rest({ method, url, headers, body }: RestRequest): Promise<PlannedAnswer> {
    if (headers.authorization !== `Bearer ${this.token}`) {
      return refuse(
        401,
        'auth.IncorrectPasswordAuthentication',
        'Authentication failed. Please check your credentials.',
      );
    }
    const inside = url.pathname.slice(`${this.site}/rest/api/1.0`.length);
    if (inside === '/users') return this.#listUsers(url);
    if (inside === '/repos') return this.#listWritable(url);
    const [, key = '', slug = '', rest = ''] =
      /^\/projects\/([^/]+)\/repos\/([^/]+)(\/.*)?$/.exec(inside) ?? [];
    const project = this.project(`${decodeURIComponent(key)}/${decodeURIComponent(slug)}`);
    const template = templateOf(rest);
    if (!project || template === undefined) {
      return refuse(404, 'repository.NoSuchRepository', `Repository ${slug} does not exist.`);
    }
    if (method !== 'GET') {
      const complaint = bodies.complaint(method, template, body);
      if (complaint !== undefined) return refuse(400, 'validation.ArgumentValidation', complaint);
      if (project.archived)
        return refuse(409, 'repository.RepositoryReadOnly', 'The repository is archived.');
    }
    if (rest === '') {
      return answer(200, { slug, name: slug, archived: project.archived, project: { key } });
    }
    if (rest === '/branches') return this.#listBranches(project, url);
    const fields = body as Record<string, unknown>;
    if (rest === '/pull-requests') {
      return method === 'GET' ? this.#listPulls(project, url) : this.#createPull(project, fields);
    }
    return this.#onePull(project, Number(/\d+$/.exec(rest)), method, fields);
  }

  #listUsers(url: URL): PlannedAnswer {
    const filter = url.searchParams.get('filter')?.toLowerCase() ?? '';
    const readers = url.searchParams.get('permission.1') === 'REPO_READ';
    const found = this.users.filter(
      (user) =>
        (user.reads || !readers) && `${user.name} ${user.emailAddress}`.toLowerCase().includes(filter),
    );
    return answer(200, page(found, url, this.pageLimit));
  }

  #listWritable(url: URL): PlannedAnswer {
    if (this.listsRefused) {
      return refuse(401, 'AuthorisationException', 'You are not permitted to access this resource.');
    }
    const name = url.searchParams.get('name') ?? '';
    const found = this.#listed.filter(
      (project) => project.permission === 'write' && project.path.endsWith(`/${name}`),
    );
    const shown = found.map(({ path }) => {
      const [key = '', slug = ''] = path.split('/');
      return { slug, name: slug, project: { key } };
    });
    return answer(200, page(shown, url, this.pageLimit));
  }

  async #listBranches(project: HostedProject, url: URL): Promise<PlannedAnswer> {
    const filter = url.searchParams.get('filterText')?.toLowerCase() ?? '';
    const found = (await this.branches(project)).filter((name) => name.toLowerCase().includes(filter));
    const shown = found.map((name) => ({ id: `refs/heads/${name}`, displayId: name, type: 'BRANCH' }));
    return answer(200, page(shown, url, this.pageLimit));
  }

  #listPulls(project: HostedProject, url: URL): PlannedAnswer {
    const { searchParams: query } = url;
    if (query.get('direction') !== 'OUTGOING')
      return refuse(400, 'validation.ArgumentValidation', 'direction');
    const found = this.listable(project).filter(
      (pull) => pull.state === 'open' && `refs/heads/${pull.head}` === query.get('at'),
    );
    const shown = found.map((pull) => this.#show(project, pull));
    return answer(200, page(shown, url, this.pageLimit));
  }

  async #createPull(project: HostedProject, fields: Record<string, unknown>): Promise<PlannedAnswer> {
    const { title, description = '' } = fields as Record<string, string>;
    const { fromRef, toRef } = fields as Record<string, { id: string }>;
    const head = fromRef?.id.replace('refs/heads/', '') ?? '';
    const base = toRef?.id.replace('refs/heads/', '') ?? '';
    const branches = await this.branches(project);
    const missing = [head, base].find((name) => !branches.includes(name));
    if (missing !== undefined) {
      return refuse(
        404,
        'commit.NoSuchCommit',
        `Branch "refs/heads/${missing}" does not exist in repository.`,
      );
    }
    const tooLong = tooLongText(title ?? '', description);
    if (tooLong) return tooLong;
    if (this.open(project, head, base)) {
      return refuse(
        409,
        'pull.DuplicatePullRequest',
        'Only one pull request may be open for a given source and target branch',
      );
    }
    if ((await this.ahead(project, base, head)) === 0) {
      return refuse(409, 'pull.EmptyPullRequest', `${head} is already up-to-date with ${base}.`);
    }
    const draft = this.draftsSupported && fields['draft'] === true;
    const pull = this.addPull(project, { title: title ?? '', body: description, head, base, draft });
    return answer(201, this.#show(project, pull));
  }

  #onePull(
    project: HostedProject,
    number: number,
    method: string,
    fields: Record<string, unknown>,
  ): PlannedAnswer {
    const pull = project.pulls[number - 1];
    if (!pull) return refuse(404, 'pull.NoSuchPullRequest', `Pull request ${number} does not exist.`);
    if (method === 'PUT') return this.#update(project, pull, fields);
    const shown = answer(200, this.#show(project, pull));
    if (this.quickerPeople > 0) {
      this.quickerPeople--;
      this.#versions.set(pull, this.#version(pull) + 1);
    }
    return shown;
  }

  #update(project: HostedProject, pull: HostedPull, fields: Record<string, unknown>): PlannedAnswer {
    if (fields['version'] !== this.#version(pull)) {
      const message = 'You are attempting to modify a pull request based on out-of-date information.';
      return refuse(409, 'pull.PullRequestOutOfDate', message);
    }
    const {
      title = pull.title,
      description = '',
      draft = pull.draft,
    } = fields as {
      title?: string;
      description?: string;
      draft?: boolean;
    };
    const tooLong = tooLongText(title, description);
    if (tooLong) return tooLong;
    // Who is not named is sent away.
    const asked = ((fields['reviewers'] ?? []) as { user: { name: string } }[]).map(({ user }) => user.name);
    const unknown = asked.find((name) => !this.users.some((user) => user.reads && user.name === name));
    if (unknown !== undefined) {
      return refuse(409, 'pull.InvalidPullRequestReviewers', `${unknown} is not a user.`);
    }
    Object.assign(pull, { title, body: description, reviewers: asked });
    if (this.draftsSupported) pull.draft = draft;
    this.#versions.set(pull, this.#version(pull) + 1);
    return answer(200, this.#show(project, pull));
  }

  #version(pull: HostedPull): number {
    return this.#versions.get(pull) ?? 0;
  }

  #show(project: HostedProject, pull: HostedPull): object {
    const [key = '', slug = ''] = project.path.split('/');
    const repository = { slug, project: { key } };
    const states = { open: 'OPEN', merged: 'MERGED', closed: 'DECLINED' };
    return {
      id: pull.number,
      version: this.#version(pull),
      title: pull.title,
      // Left out when it is empty.
      ...(pull.body !== '' && { description: pull.body }),
      state: states[pull.state],
      ...(this.draftsSupported && { draft: pull.draft }),
      fromRef: { id: `refs/heads/${pull.head}`, repository },
      toRef: { id: `refs/heads/${pull.base}`, repository },
      reviewers: pull.reviewers.map((name) => ({ user: { name }, role: 'REVIEWER', approved: false })),
      links: {
        self: [
          {
            href: `${this.origin}${this.site}/projects/${key}/repos/${slug}/pull-requests/${pull.number}`,
          },
        ],
      },
    };
  }
}

function page(all: readonly unknown[], url: URL, most: number): object {
  const start = Number(url.searchParams.get('start') ?? 0);
  const limit = Math.min(most, Number(url.searchParams.get('limit') ?? 25));
  const isLastPage = start + limit >= all.length;
  const nextPageStart = isLastPage ? null : start + limit;
  return { values: all.slice(start, start + limit), isLastPage, nextPageStart, start, limit };
}

function templateOf(rest: string): string | undefined {
  const repository = '/projects/{projectKey}/repos/{repositorySlug}';
  if (['', '/branches', '/pull-requests'].includes(rest)) return repository + rest;
  return /^\/pull-requests\/\d+$/.test(rest) ? `${repository}/pull-requests/{pullRequestId}` : undefined;
}

function tooLongText(title: string, description: string): PlannedAnswer | undefined {
  const tooLong = (field: string, limit: number): PlannedAnswer =>
    refuse(400, 'validation.ArgumentValidation', `${field} size must be between 0 and ${limit}`);
  if (title.length > 255) return tooLong('title', 255);
  return description.length > 32_768 ? tooLong('description', 32_768) : undefined;
}

function answer(status: number, body: unknown): PlannedAnswer {
  return { status, body };
}

function refuse(status: number, exception: string, message: string): PlannedAnswer {
  const exceptionName = `com.atlassian.bitbucket.${exception.replace(/Exception$/, '')}Exception`;
  return { status, body: { errors: [{ context: null, message, exceptionName }] } };
}
