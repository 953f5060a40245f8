import * as z from 'zod/v4';
import type { PullRequestRef } from '../../../service/job.ts';
import type {
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../../service/ports/code-host.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { cutTitle } from '../host-options.ts';
import { branchInPath, ownLink } from '../own-site.ts';
import { HostRefusal, notListedYet } from '../refusals.ts';
import { readAnswer } from '../rest.ts';
import { createRefused, refused } from './github-refusals.ts';
import type { Answer, Request } from './github-request.ts';

/** GitHub takes 65,536; the difference is room for what it counts otherwise. */
const bodyLimit = 58_000;
/** GitHub cuts nothing: a longer title is refused. */
const titleLimit = 256;
const noDrafts = 'GitHub has no drafts in this repository, so the pull request is open for review.';

const repositorySchema = z.object({
  archived: z.boolean().catch(false),
  disabled: z.boolean().catch(false),
  full_name: z.string(),
  permissions: z.object({ push: z.boolean() }).optional().catch(undefined),
});

const pullSchema = z.object({
  number: z.int().positive(),
  html_url: z.string(),
  state: z.string(),
  merged_at: z.string().nullish(),
  draft: z.boolean().nullish().catch(undefined),
});

const listedPullSchema = pullSchema.extend({
  head: z.object({
    ref: z.string(),
    /** Null when the fork is gone. */
    repo: z.object({ full_name: z.string() }).nullish().catch(undefined),
  }),
});

export interface GitHubPlace {
  readonly owner: string;
  readonly name: string;
  /** Of the repository. */
  readonly webUrl: string;
}

/** One repository at GitHub, open to the credential that was tested with it. */
export class GitHubRepository implements HostedRepository {
  readonly kind = 'github';
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
      { head: `${this.#place.owner}:${branch}`, state: 'open', per_page: 50 },
      signal,
    );
    // The filter goes by the owner, who may have a fork too. And a server that overlooks it lists everybody's.
    const name = this.#name.toLowerCase();
    const found = read(z.array(listedPullSchema), data).find(
      ({ head }) => head.ref === branch && head.repo?.full_name.toLowerCase() === name,
    );
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { branch, baseBranch, draft, warn } = request;
    // An earlier attempt may have got this far.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    try {
      return await this.#create(request, draft, signal);
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      if (error.status === 422 && error.says(/already exists/i)) {
        const found = await this.findOpen(branch, signal);
        if (found) return found;
        throw notListedYet('GitHub', error);
      }
      if (draft && error.status === 422 && error.says(/draft/i)) {
        warn(noDrafts);
        return this.create({ ...request, draft: false }, signal);
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
      { pull_number: pullRequest.number, title: cutTitle(title, titleLimit), body },
      signal,
    );
  }

  async addLabels({ number }: PullRequestRef, labels: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#call(
      'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
      { issue_number: number, labels },
      signal,
    );
  }

  /** `owner/team` asks a team of the organisation. */
  async requestReviewers(
    { number }: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const people = reviewers.filter((name) => !name.includes('/'));
    const teams = reviewers.filter((name) => name.includes('/')).map((name) => name.replace(/^.*\//, ''));
    await this.#call(
      'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
      {
        pull_number: number,
        ...(people.length > 0 && { reviewers: people }),
        ...(teams.length > 0 && { team_reviewers: teams }),
      },
      signal,
    );
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    const { data } = await this.#call(
      'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      { pull_number: pullRequest.number },
      signal,
    );
    const { state, merged_at: mergedAt } = read(pullSchema, data);
    if (state === 'open') return 'open';
    return mergedAt ? 'merged' : 'closed';
  }

  compareUrl(branch: string, baseBranch: string): string {
    return `${this.#place.webUrl}/compare/${branchInPath(baseBranch)}...${branchInPath(branch)}?expand=1`;
  }

  async #test(baseBranch: string, signal: AbortSignal): Promise<void> {
    const { data } = await this.#call('GET /repos/{owner}/{repo}', {}, signal);
    const found = read(repositorySchema, data);
    const name = this.#name;
    // An old name answers with a redirect, or with the repository under its new one.
    if (found.full_name.toLowerCase() !== name.toLowerCase()) {
      throw new ServiceError(
        'repository_unavailable',
        `${name} is called ${found.full_name} at GitHub now. Set its new address with "git remote set-url".`,
      );
    }
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
      if (!(error instanceof HostRefusal)) throw error;
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

  async #create(
    { title, body, branch, baseBranch, warn }: NewPullRequest,
    draft: boolean,
    signal: AbortSignal,
  ): Promise<PullRequestRef> {
    const { data } = await this.#request(
      'POST /repos/{owner}/{repo}/pulls',
      {
        ...this.#names(),
        title: cutTitle(title, titleLimit),
        body,
        head: branch,
        base: baseBranch,
        ...(draft && { draft }),
      },
      signal,
    );
    const made = read(pullSchema, data);
    // Older Enterprise servers overlook what they do not know.
    if (draft && made.draft !== true) warn(noDrafts);
    return this.#reference(made);
  }

  async #call(route: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#request(route, { ...this.#names(), ...parameters }, signal);
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      throw refused(error, this.#name);
    }
  }

  #names(): { owner: string; repo: string } {
    return { owner: this.#place.owner, repo: this.#place.name };
  }

  get #name(): string {
    return `${this.#place.owner}/${this.#place.name}`;
  }

  #reference({ number, html_url: link }: z.infer<typeof pullSchema>): PullRequestRef {
    const { webUrl } = this.#place;
    return { number, link: ownLink(link, webUrl, `${webUrl}/pull/${number}`) };
  }
}

function read<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  return readAnswer(schema, data, 'GitHub');
}
