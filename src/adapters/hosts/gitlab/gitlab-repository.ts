import * as z from 'zod/v4';
import type { PullRequestRef } from '../../../service/job.ts';
import type {
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../../service/ports/code-host.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { ownLink } from '../own-site.ts';
import { closedWhenGone, HostRefusal, notListedYet } from '../refusals.ts';
import { readAnswer, type RestCall } from '../rest.ts';
import { type GitLabApi, gitlabApi } from './gitlab-api.ts';
import { gitlabTitle, isDraftTitle } from './gitlab-draft.ts';
import { type GitLabProject, testProject } from './gitlab-project.ts';
import { createRefused, refused } from './gitlab-refusals.ts';

/** GitLab takes 1,048,576 characters; nobody reads the half of it. */
const bodyLimit = 1_000_000;

const mergeRequestSchema = z.object({
  iid: z.int().positive(),
  web_url: z.string(),
  title: z.string(),
  state: z.string(),
  source_project_id: z.number().nullish(),
  reviewers: z.array(z.object({ id: z.number() })).catch([]),
});
type MergeRequest = z.infer<typeof mergeRequestSchema>;

const userSchema = z.object({ id: z.number(), username: z.string() });

export interface GitLabPlace {
  /** Groups and name: `group/sub/docs`. */
  readonly path: string;
  readonly webUrl: string;
}

/** One project at GitLab, open to the credential that was tested with it. */
export class GitLabRepository implements HostedRepository {
  readonly kind = 'gitlab';
  readonly bodyLimit = bodyLimit;
  readonly keepsComments = true;
  readonly #call: RestCall;
  readonly #place: GitLabPlace;
  readonly #project: GitLabProject;

  private constructor(call: RestCall, place: GitLabPlace, project: GitLabProject) {
    this.#call = call;
    this.#place = place;
    this.#project = project;
  }

  /** Fails with a sentence for each reason why a merge request could not be opened later. */
  static async open(
    call: RestCall,
    place: GitLabPlace,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<GitLabRepository> {
    const project = await testProject(gitlabApi(call, signal), place.path, baseBranch);
    return new GitLabRepository(call, place, project);
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    const data = await this.#ask(signal, ({ mergeRequests }) =>
      mergeRequests.all({ projectId: this.#project.id, sourceBranch: branch, state: 'opened', perPage: 20 }),
    );
    // A fork may have a branch of the same name.
    const found = read(z.array(mergeRequestSchema), data).find(
      ({ source_project_id: source }) => source === this.#project.id,
    );
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { title, body, branch, baseBranch, draft } = request;
    // An earlier attempt may have got this far.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    const { id, squash, removeSourceBranch } = this.#project;
    try {
      const data = await gitlabApi(this.#call, signal).mergeRequests.create(
        id,
        branch,
        baseBranch,
        gitlabTitle(title, draft),
        { description: body, squash, removeSourceBranch },
      );
      return this.#reference(read(mergeRequestSchema, data));
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      if (error.status === 409 || error.says(/already exists/i)) {
        const found = await this.findOpen(branch, signal);
        if (found) return found;
        throw notListedYet('GitLab', error);
      }
      throw createRefused(error, this.#place.path, branch, baseBranch);
    }
  }

  /** A draft is told by its title, so it stays one as long as nobody has changed that. */
  async update(
    pullRequest: PullRequestRef,
    { title, body }: PullRequestContent,
    signal: AbortSignal,
  ): Promise<void> {
    const draft = isDraftTitle((await this.#read(pullRequest, signal)).title);
    await this.#edit(pullRequest, { title: gitlabTitle(title, draft), description: body }, signal);
  }

  async addLabels(
    pullRequest: PullRequestRef,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    // The published description wants a list; the library's types know only the older text with commas.
    const addLabels = [...labels] as unknown as string;
    await this.#edit(pullRequest, { addLabels }, signal);
  }

  /** Whoever is known is asked; the error names the others. */
  async requestReviewers(
    pullRequest: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const ids: number[] = [];
    const unknown: string[] = [];
    for (const name of reviewers) {
      const id = await this.#userId(name, signal);
      if (id === undefined) unknown.push(name);
      else ids.push(id);
    }
    if (ids.length > 0) {
      const { reviewers: asked } = await this.#edit(pullRequest, { reviewerIds: ids }, signal);
      if (asked.length < ids.length) {
        const text = `GitLab took only ${asked.length} of ${ids.length} reviewers; more than one needs a paid plan.`;
        throw new ServiceError('pull_request_failed', text);
      }
    }
    if (unknown.length === 0) return;
    const text = `GitLab knows no account to review it by the name of ${unknown.join(', ')}.`;
    throw new ServiceError('pull_request_failed', text);
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    try {
      const { state } = await this.#read(pullRequest, signal);
      // `locked` is the moment in which it is being merged.
      return state === 'merged' || state === 'closed' ? state : 'open';
    } catch (error) {
      return closedWhenGone(error);
    }
  }

  compareUrl(branch: string, baseBranch: string): string {
    const query = new URLSearchParams({
      'merge_request[source_branch]': branch,
      'merge_request[target_branch]': baseBranch,
    });
    return `${this.#address()}/-/merge_requests/new?${query.toString()}`;
  }

  async #userId(name: string, signal: AbortSignal): Promise<number | undefined> {
    const username = name.replace(/^@/, '');
    const data = await this.#ask(signal, ({ users }) => users.all({ username }));
    const found = read(z.array(userSchema), data);
    return found.find((user) => user.username.toLowerCase() === username.toLowerCase())?.id;
  }

  async #read({ number }: PullRequestRef, signal: AbortSignal): Promise<MergeRequest> {
    const data = await this.#ask(signal, ({ mergeRequests }) => mergeRequests.show(this.#project.id, number));
    return read(mergeRequestSchema, data);
  }

  async #edit(
    { number }: PullRequestRef,
    change: Parameters<GitLabApi['mergeRequests']['edit']>[2],
    signal: AbortSignal,
  ): Promise<MergeRequest> {
    const data = await this.#ask(signal, ({ mergeRequests }) =>
      mergeRequests.edit(this.#project.id, number, change),
    );
    return read(mergeRequestSchema, data);
  }

  async #ask(signal: AbortSignal, question: (api: GitLabApi) => Promise<unknown>): Promise<unknown> {
    try {
      return await question(gitlabApi(this.#call, signal));
    } catch (error) {
      throw error instanceof HostRefusal ? refused(error, this.#place.path) : error;
    }
  }

  #reference({ iid, web_url: link }: MergeRequest): PullRequestRef {
    const known = `${this.#address()}/-/merge_requests/${iid}`;
    return { number: iid, link: ownLink(link, this.#place.webUrl, known) };
  }

  #address(): string {
    const { path, webUrl } = this.#place;
    return `${webUrl}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

function read<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  return readAnswer(schema, data, 'GitLab');
}
