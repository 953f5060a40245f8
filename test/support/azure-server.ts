import {
  CodeHostServer,
  type HostedProject,
  type HostedPull,
  type PlannedAnswer,
  type RestRequest,
} from './code-host.ts';
import { RequestBodies } from './request-bodies.ts';

const bodies = new RequestBodies('azure-git.openapi.json');

interface Identity {
  readonly id: string;
  /** What a search finds it by. */
  readonly names: readonly string[];
  readonly isActive: boolean;
}

function identity(number: number, ...names: string[]): Identity {
  return { id: `0000000${number}-0000-4000-8000-000000000000`, names, isActive: number < 8 };
}

/** Azure DevOps Server on loopback; projects are named `collection/project/repository`. */
export class AzureServer extends CodeHostServer {
  readonly kind = 'azure';
  override token = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop';
  /** How a token is refused that it does not know. */
  refusal: 'page' | 'redirect' | 'status' = 'page';
  identities: Identity[] = [
    identity(1, 'kim', 'Kim Berg', 'kim@example.org'),
    identity(2, 'lee', 'Alex'),
    identity(3, 'sam', 'Alex'),
    identity(4, 'onlooker'),
    identity(9, 'gone'),
  ];
  /** Who may not see the repository. */
  readonly outside = '00000004-0000-4000-8000-000000000000';
  /** A token for code alone. */
  identitiesRefused = false;

  static start(folder: string): Promise<AzureServer> {
    return new AzureServer(folder).listen();
  }

  protected override cloneUrl(projectPath: string): string {
    const parts = projectPath.split('/').map(encodeURIComponent);
    const name = parts.pop();
    return `${this.origin}/${parts.join('/')}/_git/${name}`;
  }

  protected override gitPath(url: URL): { path: string; rest: string } | undefined {
    const [, project, name, rest] =
      /^\/(.+)\/_git\/([^/]+)(\/.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    return project && name && rest ? { path: `${project}/${name}`, rest } : undefined;
  }

  protected override pushRefusal(project: HostedProject): string | undefined {
    return project.archived || project.permission === 'read'
      ? "TF401027: You need the Git 'GenericContribute' permission to perform this action."
      : undefined;
  }

  protected isRest(url: URL): boolean {
    return url.pathname.includes('/_apis/');
  }

  protected async rest({ method, url, headers, body }: RestRequest): Promise<PlannedAnswer> {
    if (headers.authorization !== `Basic ${Buffer.from(`:${this.token}`).toString('base64')}`) {
      return this.#unknownToken();
    }
    const inside = decodeURIComponent(url.pathname);
    const version = url.searchParams.get('api-version') ?? '';
    if (!/^6\.0(?:-preview\.1)?$/.test(version)) return refuse(400, 'VssVersionNotSpecifiedException');
    if (inside.endsWith('/_apis/identities')) return this.#search(url);
    const [, collection = '', name = '', slug = '', rest = ''] =
      /^\/([^/]+)\/([^/]+)\/_apis\/git\/repositories\/([^/]+)(\/.*)?$/.exec(inside) ?? [];
    const project = this.project(`${collection}/${name}/${slug}`);
    const template = templateOf(rest);
    if (!project || template === undefined) {
      return refuse(
        404,
        `TF401019: The Git repository with name or identifier ${slug} does not exist or you do not have permissions for the operation you are attempting.`,
      );
    }
    const preview = rest.endsWith('/labels');
    if (preview !== version.endsWith('-preview.1')) return refuse(400, 'The resource is under preview.');
    if (method !== 'GET') {
      const complaint = bodies.complaint(method, template, body);
      if (complaint !== undefined) return refuse(400, complaint);
      if (project.permission === 'read') {
        return refuse(
          403,
          "TF401027: You need the Git 'PullRequestContribute' permission to perform this action.",
        );
      }
    }
    if (rest === '') return answer(200, { id: 'r1', name: slug, isDisabled: project.archived });
    if (rest === '/refs') return this.#listRefs(project, url);
    const fields = body as Record<string, unknown>;
    if (rest === '/pullRequests') {
      return method === 'GET' ? this.#listPulls(project, url) : this.#createPull(project, fields);
    }
    return this.#onePull(project, rest, method, fields);
  }

  #unknownToken(): PlannedAnswer {
    const page = '<!DOCTYPE html><title>Azure DevOps Services | Sign In</title>';
    switch (this.refusal) {
      case 'page':
        return { status: 203, headers: { 'content-type': 'text/html' }, body: page };
      case 'redirect':
        return { status: 302, headers: { location: `${this.origin}/_signin` }, body: page };
      case 'status':
        return refuse(401, 'TF400813: The user is not authorized to access this resource.');
    }
  }

  #search(url: URL): PlannedAnswer {
    if (this.identitiesRefused) return this.#unknownToken();
    const wanted = url.searchParams.get('filterValue')?.toLowerCase();
    const found = this.identities.filter(({ names }) => names.some((name) => name.toLowerCase() === wanted));
    return answer(200, { count: found.length, value: found.map(({ id, isActive }) => ({ id, isActive })) });
  }

  async #listRefs(project: HostedProject, url: URL): Promise<PlannedAnswer> {
    const filter = `refs/${url.searchParams.get('filter') ?? ''}`;
    const refs = (await this.branches(project)).map((name) => `refs/heads/${name}`);
    const value = refs.filter((name) => name.startsWith(filter)).map((name) => ({ name }));
    return answer(200, { value, count: value.length });
  }

  #listPulls(project: HostedProject, url: URL): PlannedAnswer {
    const status = url.searchParams.get('searchCriteria.status') ?? 'active';
    const source = url.searchParams.get('searchCriteria.sourceRefName');
    const value = this.listable(project)
      .filter((pull) => statusOf(pull) === status && (!source || source === `refs/heads/${pull.head}`))
      .map((pull) => show(pull));
    return answer(200, { value, count: value.length });
  }

  async #createPull(project: HostedProject, fields: Record<string, unknown>): Promise<PlannedAnswer> {
    const { sourceRefName, targetRefName, title, description = '' } = fields as Record<string, string>;
    const head = sourceRefName?.replace(/^refs\/heads\//, '') ?? '';
    const base = targetRefName?.replace(/^refs\/heads\//, '') ?? '';
    const branches = await this.branches(project);
    const named = [sourceRefName, targetRefName].every((name) => name?.startsWith('refs/heads/'));
    if (!named || !branches.includes(head) || !branches.includes(base)) {
      return refuse(
        400,
        'TF401398: The pull request cannot be activated because the source and/or the target branch no longer exists, or the requested refs are not branches',
      );
    }
    const tooLong = tooLongText(title ?? '', description);
    if (tooLong) return tooLong;
    if (this.open(project, head, base)) {
      return refuse(409, 'TF401179: An active pull request for the source and target branch already exists.');
    }
    const draft = fields['isDraft'] === true;
    const pull = this.addPull(project, { title: title ?? '', body: description, head, base, draft });
    return answer(201, show(pull));
  }

  #onePull(
    project: HostedProject,
    rest: string,
    method: string,
    fields: Record<string, unknown>,
  ): PlannedAnswer {
    const [, number, part, id] =
      /^\/pullRequests\/(\d+)(?:\/(labels|reviewers)(?:\/(.+))?)?$/.exec(rest) ?? [];
    const pull = project.pulls[Number(number) - 1];
    if (!pull) return refuse(404, `TF401180: The requested pull request was not found.`);
    if (part === 'labels') {
      const name = String(fields['name']);
      if (!pull.labels.includes(name)) pull.labels.push(name);
      return answer(200, { id: 'l1', name, active: true });
    }
    if (part === 'reviewers') {
      const person = this.identities.find((one) => one.id === id && one.id !== this.outside);
      if (!person || fields['id'] !== id) {
        return refuse(400, 'TF401186: The reviewer does not have permission to read the repository.');
      }
      pull.reviewers.push(person.names[0] ?? '');
      return answer(200, { id, vote: 0 });
    }
    if (method === 'PATCH') {
      const { title = pull.title, description = pull.body } = fields as {
        title?: string;
        description?: string;
      };
      const tooLong = tooLongText(title, description);
      if (tooLong) return tooLong;
      Object.assign(pull, { title, body: description });
      if (typeof fields['isDraft'] === 'boolean') pull.draft = fields['isDraft'];
    }
    return answer(200, show(pull));
  }
}

function show(pull: HostedPull): object {
  return {
    pullRequestId: pull.number,
    status: statusOf(pull),
    isDraft: pull.draft,
    title: pull.title,
    description: pull.body,
    sourceRefName: `refs/heads/${pull.head}`,
    targetRefName: `refs/heads/${pull.base}`,
    url: 'https://evil.example/_apis/git/pullRequests/1',
  };
}

function statusOf(pull: HostedPull): string {
  return { open: 'active', merged: 'completed', closed: 'abandoned' }[pull.state];
}

/** The path of the description that a request belongs to. */
function templateOf(rest: string): string | undefined {
  const repository = '/{organization}/{project}/_apis/git/repositories/{repositoryId}';
  if (['', '/refs', '/pullRequests'].includes(rest)) return repository + rest;
  const [, part] = /^\/pullRequests\/\d+(\/labels|\/reviewers\/[^/]+)?$/.exec(rest) ?? [undefined, null];
  if (part === null) return undefined;
  const below = part?.startsWith('/reviewers') ? '/reviewers/{reviewerId}' : (part ?? '');
  return `${repository}/pullRequests/{pullRequestId}${below}`;
}

function tooLongText(title: string, description: string): PlannedAnswer | undefined {
  if (title.length > 400) return refuse(400, 'Invalid argument value. Parameter name: title is too long');
  if (description.length <= 4000) return undefined;
  return refuse(
    400,
    'Invalid argument value. Parameter name: A description may have at most 4000 characters',
  );
}

function answer(status: number, body: unknown): PlannedAnswer {
  return { status, body };
}

function refuse(status: number, message: string): PlannedAnswer {
  return {
    status,
    body: { $id: '1', innerException: null, message, typeKey: 'GitException', errorCode: 0, eventId: 3000 },
  };
}
