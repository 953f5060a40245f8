import {
  CodeHostServer,
  type HostedProject,
  type HostedPull,
  type PlannedAnswer,
  type RestRequest,
} from './code-host.ts';
import { RequestBodies } from './request-bodies.ts';

const bodies = new RequestBodies('github-pulls.openapi.json');

/** People who may review here. */
const collaborators = new Set(['kim', 'lee', 'sam']);

/** GitHub Enterprise Server on loopback, REST below `/api/v3`. */
export class GitHubServer extends CodeHostServer {
  readonly kind = 'github';
  override token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  /** Private repositories of free plans have no drafts. */
  draftsSupported = true;
  /** The organisation wants single sign-on, and this token has not been authorised for it. */
  singleSignOn = false;

  static start(folder: string): Promise<GitHubServer> {
    return new GitHubServer(folder).listen();
  }

  protected isRest(url: URL): boolean {
    return url.pathname.startsWith('/api/');
  }

  protected async rest({ method, url, headers, body }: RestRequest): Promise<PlannedAnswer> {
    const [, owner = '', name = '', rest = ''] =
      /^\/api\/v3\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    const [, secret] = /^(?:token|bearer) (.+)$/i.exec(headers.authorization ?? '') ?? [];
    if (secret !== this.token) return { status: 401, body: { message: 'Bad credentials' } };
    const project = this.project(`${owner}/${decodeURIComponent(name)}`);
    // GitHub hides what an account may not see.
    if (!project) return notFound();
    if (this.singleSignOn) return ssoRequired(this.origin);
    const template = templateOf(rest);
    if (template === undefined) return notFound();
    if (method !== 'GET') {
      const complaint = bodies.complaint(method, template, body);
      if (complaint !== undefined) return invalid(complaint);
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
    if (rest.startsWith('/git/ref/')) return this.#ref(project, rest);
    return this.#onePull(project, rest, method, body as Record<string, unknown>);
  }

  #repository(project: HostedProject): PlannedAnswer {
    const push = project.permission === 'write';
    return {
      status: 200,
      body: {
        full_name: project.path,
        archived: project.archived,
        disabled: false,
        default_branch: 'main',
        permissions: { admin: false, push, pull: true },
      },
    };
  }

  async #ref(project: HostedProject, rest: string): Promise<PlannedAnswer> {
    const branches = await this.branches(project);
    if (branches.length === 0) return { status: 409, body: { message: 'Git Repository is empty.' } };
    const branch = decodeURIComponent(rest.slice('/git/ref/heads/'.length));
    return branches.includes(branch) ? { status: 200, body: { ref: `refs/heads/${branch}` } } : notFound();
  }

  #listPulls(project: HostedProject, url: URL): PlannedAnswer {
    const head = url.searchParams.get('head');
    const state = url.searchParams.get('state') ?? 'open';
    const [owner] = project.path.split('/');
    const found = this.listable(project).filter(
      (pull) =>
        (head === null || head === `${owner}:${pull.head}`) &&
        (state === 'all' || (pull.state === 'open') === (state === 'open')),
    );
    return { status: 200, body: found.map((pull) => this.#show(project, pull)) };
  }

  async #createPull(project: HostedProject, body: Record<string, unknown>): Promise<PlannedAnswer> {
    const { title, head, base } = body as Record<string, string>;
    const draft = body['draft'] === true;
    const text = typeof body['body'] === 'string' ? body['body'] : '';
    if (!title) return invalid('Title is missing', { field: 'title', code: 'missing_field' });
    const tooLong = this.#tooLong(title, text);
    if (tooLong) return tooLong;
    const [owner] = project.path.split('/');
    const branch = String(head).replace(`${owner}:`, '');
    if (!(await this.commit(project, String(base)))) {
      return invalid(undefined, { resource: 'PullRequest', field: 'base', code: 'invalid' });
    }
    if (!(await this.commit(project, branch))) {
      return invalid(undefined, { resource: 'PullRequest', field: 'head', code: 'invalid' });
    }
    if ((await this.ahead(project, String(base), branch)) === 0) {
      return invalid(`No commits between ${base} and ${head}`);
    }
    if (this.open(project, branch, String(base))) {
      return invalid(`A pull request already exists for ${owner}:${branch}.`);
    }
    if (draft && !this.draftsSupported) {
      return {
        status: 422,
        body: { message: 'Draft pull requests are not supported in this repository.' },
      };
    }
    const pull = this.addPull(project, { title, body: text, draft, head: branch, base: String(base) });
    return { status: 201, body: this.#show(project, pull) };
  }

  #tooLong(title: string, text: string): PlannedAnswer | undefined {
    if ([...title].length > 256) return invalid('title is too long (maximum is 256 characters)');
    return text.length > 65_536 ? invalid('body is too long (maximum is 65536 characters)') : undefined;
  }

  #onePull(
    project: HostedProject,
    rest: string,
    method: string,
    body: Record<string, unknown>,
  ): PlannedAnswer {
    const [, number, part] = /^\/(?:pulls|issues)\/(\d+)(?:\/(\w+))?$/.exec(rest) ?? [];
    const pull = project.pulls[Number(number) - 1];
    if (!pull) return notFound();
    if (part === 'labels') {
      pull.labels.push(...((body['labels'] ?? []) as string[]));
      return { status: 200, body: pull.labels.map((name) => ({ name })) };
    }
    if (part === 'requested_reviewers') {
      const asked = (body['reviewers'] ?? []) as string[];
      const stranger = asked.find((name) => !collaborators.has(name));
      if (stranger !== undefined) {
        return {
          status: 422,
          body: {
            message: `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${project.path} repository.`,
          },
        };
      }
      pull.reviewers.push(...asked);
      return { status: 201, body: this.#show(project, pull) };
    }
    if (method === 'PATCH') {
      const { title = pull.title, body: text = pull.body } = body as { title?: string; body?: string };
      const tooLong = this.#tooLong(title, text);
      if (tooLong) return tooLong;
      Object.assign(pull, { title, body: text });
    }
    return { status: 200, body: this.#show(project, pull) };
  }

  #show(project: HostedProject, pull: HostedPull): object {
    return {
      number: pull.number,
      html_url: `${this.origin}/${project.path}/pull/${pull.number}`,
      state: pull.state === 'open' ? 'open' : 'closed',
      draft: pull.draft,
      head: { ref: pull.head, repo: { full_name: project.path } },
      title: pull.title,
      body: pull.body,
      merged_at: pull.state === 'merged' ? '2026-01-01T00:00:00Z' : null,
    };
  }
}

/** The path of the description that a request belongs to. */
function templateOf(rest: string): string | undefined {
  if (rest === '') return '/repos/{owner}/{repo}';
  if (rest === '/pulls') return '/repos/{owner}/{repo}/pulls';
  // The published slice holds the update; GitHub answers a read at the same address.
  if (/^\/pulls\/\d+$/.test(rest)) return '/repos/{owner}/{repo}/pulls/{pull_number}';
  if (/^\/issues\/\d+\/labels$/.test(rest)) return '/repos/{owner}/{repo}/issues/{issue_number}/labels';
  if (/^\/pulls\/\d+\/requested_reviewers$/.test(rest)) {
    return '/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers';
  }
  return rest.startsWith('/git/ref/heads/') ? '/repos/{owner}/{repo}/git/ref/{ref}' : undefined;
}

function notFound(): PlannedAnswer {
  return { status: 404, body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' } };
}

function ssoRequired(origin: string): PlannedAnswer {
  return {
    status: 403,
    headers: { 'x-github-sso': `required; url=${origin}/orgs/team/sso?authorization_request=A` },
    body: {
      message:
        'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
    },
  };
}

function invalid(message: string | undefined, details: object = {}): PlannedAnswer {
  const error = { resource: 'PullRequest', code: 'custom', ...details, ...(message ? { message } : {}) };
  return { status: 422, body: { message: 'Validation Failed', errors: [error] } };
}
