import * as z from 'zod/v4';
import type { PullRequestRef } from '../../../service/job.ts';
import type {
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../../service/ports/code-host.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { type Answer, GitHubRefusal, type Request } from './github-request.ts';

/** GitHub takes 65,536; the difference is room for what it counts otherwise. */
const bodyLimit = 58_000;
/** GitHub cuts nothing: a longer title is refused. */
const titleLimit = 256;

const repositorySchema = z.object({
  archived: z.boolean().catch(false),
  disabled: z.boolean().catch(false),
  full_name: z.string(),
  permissions: z.object({ push: z.boolean() }).optional().catch(undefined),
});

const pullSchema = z.object({
  number: z.int().positive(),
  html_url: z.string().regex(/^https?:\/\//),
  state: z.string(),
  merged_at: z.string().nullish(),
});

export interface GitHubPlace {
  readonly owner: string;
  readonly name: string;
  readonly webUrl: string;
}

/** One repository at GitHub, open to the credential that was tested with it. */
export class GitHubRepository implements HostedRepository {
  readonly bodyLimit = bodyLimit;
  readonly keepsComments = true;
  readonly #request: Request;
  readonly #place: GitHubPlace;

  private constructor(request: Request, place: GitHubPlace) {
    this.#request = request;
    this.#place = place;
  }

  /** Fails with a sentence for each reason why a pull request could not be opened later. */
  static async open(
    request: Request,
    place: GitHubPlace,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<GitHubRepository> {
    const repository = new GitHubRepository(request, place);
    await repository.#test(baseBranch, signal);
    return repository;
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    const { data } = await this.#call(
      'GET /repos/{owner}/{repo}/pulls',
      { head: `${this.#place.owner}:${branch}`, state: 'open', per_page: 1 },
      signal,
    );
    const found = parse(z.array(pullSchema), data)[0];
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { title, body, branch, baseBranch } = request;
    // An earlier attempt may have got this far.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    try {
      const { data } = await this.#request(
        'POST /repos/{owner}/{repo}/pulls',
        { ...this.#names(), title: cutTitle(title), body, head: branch, base: baseBranch },
        signal,
      );
      return this.#reference(parse(pullSchema, data));
    } catch (error) {
      if (!(error instanceof GitHubRefusal)) throw error;
      if (error.status === 422 && error.reasons.some((reason) => /already exists/i.test(reason))) {
        const found = await this.findOpen(branch, signal);
        if (found) return found;
      }
      throw createRefused(error, branch, baseBranch);
    }
  }

  async update(
    pullRequest: PullRequestRef,
    { title, body }: PullRequestContent,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#call(
      'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
      { pull_number: pullRequest.number, title: cutTitle(title), body },
      signal,
    );
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    const { data } = await this.#call(
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      { pull_number: pullRequest.number },
      signal,
    );
    const { state, merged_at: mergedAt } = parse(pullSchema, data);
    if (state === 'open') return 'open';
    return mergedAt ? 'merged' : 'closed';
  }

  compareUrl(branch: string, baseBranch: string): string {
    const range = [baseBranch, branch]
      .map((name) => name.split('/').map(encodeURIComponent).join('/'))
      .join('...');
    return `${this.#place.webUrl}/compare/${range}?expand=1`;
  }

  async #test(baseBranch: string, signal: AbortSignal): Promise<void> {
    const { data } = await this.#call('GET /repos/{owner}/{repo}', {}, signal);
    const found = parse(repositorySchema, data);
    const name = `${this.#place.owner}/${this.#place.name}`;
    if (found.archived || found.disabled) {
      const state = found.archived ? 'archived' : 'disabled';
      throw new ServiceError(
        'permission_denied',
        `${name} is ${state} at GitHub, so nothing can be changed in it.`,
      );
    }
    if (found.permissions?.push === false) {
      throw new ServiceError(
        'permission_denied',
        `Your GitHub account may read ${name} but not push to it. Ask its owner for write access.`,
      );
    }
    await this.#testBase(name, baseBranch, signal);
  }

  async #testBase(name: string, baseBranch: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#request(
        'GET /repos/{owner}/{repo}/git/ref/{+ref}',
        {
          ...this.#names(),
          // `+`: the slashes of a branch name are part of the path here.
          ref: `heads/${baseBranch}`,
        },
        signal,
      );
    } catch (error) {
      if (!(error instanceof GitHubRefusal)) throw error;
      if (error.status === 409) {
        throw new ServiceError('repository_empty', `${name} has no commit yet. Push the docs to it first.`, {
          cause: error,
        });
      }
      if (error.status === 404) {
        const message = `The branch ${baseBranch} does not exist in ${name}. Choose another one in the settings.`;
        throw new ServiceError('base_branch_missing', message, { cause: error });
      }
      throw refused(error, name);
    }
  }

  async #call(route: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#request(route, { ...this.#names(), ...parameters }, signal);
    } catch (error) {
      if (!(error instanceof GitHubRefusal)) throw error;
      throw refused(error, `${this.#place.owner}/${this.#place.name}`);
    }
  }

  #names(): { owner: string; repo: string } {
    return { owner: this.#place.owner, repo: this.#place.name };
  }

  #reference({ number, html_url: link }: z.infer<typeof pullSchema>): PullRequestRef {
    return { number, link };
  }
}

function createRefused(error: GitHubRefusal, branch: string, baseBranch: string): ServiceError {
  const says = (pattern: RegExp): boolean => error.reasons.some((reason) => pattern.test(reason));
  const options = { cause: error };
  if (error.status === 403) return refused(error, 'the repository');
  if (says(/no commits between/i)) {
    const text = `${branch} has nothing that ${baseBranch} does not have, so there is nothing to propose.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  if (says(/field.*base|base.*invalid|invalid.*base/i)) {
    return new ServiceError(
      'base_branch_missing',
      `The branch ${baseBranch} does not exist at GitHub.`,
      options,
    );
  }
  return new ServiceError(
    'pull_request_failed',
    `GitHub did not open the pull request: ${error.reasons.join('; ') || `answer ${error.status}`}.`,
    options,
  );
}

function refused(error: GitHubRefusal, name: string): ServiceError {
  const options = { cause: error };
  if (error.status === 404) {
    const text = `${name} was not found at GitHub, or your account may not see it. Check the remote and the sign-in.`;
    return new ServiceError('repository_unavailable', text, options);
  }
  if (error.status === 403 && error.reasons.some((reason) => /archived/i.test(reason))) {
    return new ServiceError('permission_denied', `${name} is archived at GitHub.`, options);
  }
  if (error.status === 403) {
    const text = `GitHub does not allow this in ${name}: ${error.reasons[0] ?? 'no reason given'}. The sign-in needs write access to contents and pull requests.`;
    return new ServiceError('permission_denied', text, options);
  }
  return new ServiceError('pull_request_failed', `GitHub refused: ${error.reasons.join('; ')}.`, options);
}

function parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const message = 'The code host answered something that GitHub would not answer. Check its address.';
  throw new ServiceError('pull_request_failed', message, { cause: parsed.error });
}

function cutTitle(title: string): string {
  const characters = [...title];
  return characters.length <= titleLimit ? title : `${characters.slice(0, titleLimit - 1).join('')}…`;
}
