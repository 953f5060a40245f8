import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { PullRequestRef } from '../../../service/job.ts';
import type {
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../../service/ports/code-host.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { cutTitle } from '../host-options.ts';
import { branchInPath, listed, ownLink } from '../own-site.ts';
import { closedWhenGone, HostRefusal, notListedYet } from '../refusals.ts';
import { readAnswer, type RestAnswer, type RestCall, type RestRequest } from '../rest.ts';
import { testRepository } from './gitea-connection.ts';
import { asDraft, draftMark } from './gitea-draft.ts';
import { labelIds } from './gitea-labels.ts';
import { type GiteaPlace, repositoryPath } from './gitea-place.ts';
import { createRefused, refused } from './gitea-refusals.ts';

/** The column of titles has 255 places. */
const titleLimit = 255;
/** What Gitea's servers answer at most at once. */
const pageSize = 50;
/** A thousand open pull requests; beyond them Gitea's own refusal of a second one decides. */
const maxPages = 20;

const branchSchema = z.object({ ref: z.string(), repo_id: z.number().optional() });
const pullSchema = z.object({
  number: z.int().positive(),
  html_url: z.string().nullish(),
  state: z.string(),
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  title: z.string(),
  head: branchSchema,
  base: branchSchema,
});
type Pull = z.infer<typeof pullSchema>;

/** One repository at Gitea or Forgejo, open to the credential that was tested with it. */
export class GiteaRepository implements HostedRepository {
  readonly kind = 'gitea';
  readonly bodyLimit = 1_000_000;
  readonly keepsComments = true;
  readonly #call: RestCall;
  readonly #place: GiteaPlace;
  readonly #baseBranch: string;

  private constructor(call: RestCall, place: GiteaPlace, baseBranch: string) {
    this.#call = call;
    this.#place = place;
    this.#baseBranch = baseBranch;
  }

  /** Fails with a sentence for each reason why a pull request could not be opened later. */
  static async open(
    call: RestCall,
    place: GiteaPlace,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<GiteaRepository> {
    await testRepository(call, place, baseBranch, signal);
    return new GiteaRepository(call, place, baseBranch);
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    const found = (await this.#ofBranches(branch, signal)) ?? (await this.#amongOpen(branch, signal));
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { title, body, branch, baseBranch, draft } = request;
    // An earlier attempt may have got this far.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    let created: Pull;
    try {
      const { data } = await this.#call(
        {
          method: 'POST',
          path: `${this.#path}/pulls`,
          body: {
            title: cutTitle(draft ? asDraft(title) : title, titleLimit),
            body,
            head: branch,
            base: baseBranch,
          },
        },
        signal,
      );
      created = readAnswer(pullSchema, data, hostSignIn.gitea.name);
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      if (error.status === 409) {
        const found = await this.findOpen(branch, signal);
        if (found) return found;
        throw notListedYet(hostSignIn.gitea.name, error);
      }
      throw createRefused(error, this.#name, branch, baseBranch);
    }
    if (draft && created.draft === false) {
      request.warn('This server marks drafts with other words, so the pull request is no draft.');
    }
    return this.#reference(created);
  }

  async update(
    pullRequest: PullRequestRef,
    { title, body }: PullRequestContent,
    signal: AbortSignal,
  ): Promise<void> {
    // A draft is a word of the title, so it goes with the old title unless it is said again.
    const mark = draftMark(await this.#read(pullRequest, signal));
    const { path } = this.#pull(pullRequest);
    await this.#send(
      { method: 'PATCH', path, body: { title: cutTitle(mark + title, titleLimit), body } },
      signal,
    );
  }

  async addLabels(
    pullRequest: PullRequestRef,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { ids, missing } = await labelIds((request) => this.#send(request, signal), this.#place, labels);
    if (ids.length > 0) {
      const path = `${this.#path}/issues/${pullRequest.number}/labels`;
      await this.#send({ method: 'POST', path, body: { labels: ids } }, signal);
    }
    if (missing.length > 0) {
      const text = `${this.#name} does not have the ${missing.length === 1 ? 'label' : 'labels'} ${listed(missing)}.`;
      throw new ServiceError('pull_request_failed', text);
    }
  }

  /** A name with a slash is a team of the owner: `docs/writers`. One that is refused does not keep off the others. */
  async requestReviewers(
    pullRequest: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const path = `${this.#pull(pullRequest).path}/requested_reviewers`;
    const refusedNames: string[] = [];
    for (const reviewer of reviewers) {
      const team = reviewer.split('/')[1];
      const body = team === undefined ? { reviewers: [reviewer] } : { team_reviewers: [team] };
      try {
        await this.#call({ method: 'POST', path, body }, signal);
      } catch (error) {
        if (!(error instanceof HostRefusal)) throw error;
        refusedNames.push(reviewer);
      }
    }
    if (refusedNames.length === 0) return;
    const text = `Gitea did not take ${listed(refusedNames)} as ${refusedNames.length === 1 ? 'a reviewer' : 'reviewers'}.`;
    throw new ServiceError('pull_request_failed', text);
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    try {
      const { state, merged } = await this.#read(pullRequest, signal);
      if (state === 'open') return 'open';
      return merged ? 'merged' : 'closed';
    } catch (error) {
      return closedWhenGone(error);
    }
  }

  compareUrl(branch: string, baseBranch: string): string {
    return `${this.#web}/compare/${branchInPath(baseBranch)}...${branchInPath(branch)}`;
  }

  /** One request where the base is the usual one. It answers closed ones too. */
  async #ofBranches(branch: string, signal: AbortSignal): Promise<Pull | undefined> {
    const path = `${this.#path}/pulls/${encodeURIComponent(this.#baseBranch)}/${branchInPath(branch)}`;
    try {
      const { data } = await this.#call({ path }, signal);
      const pull = readAnswer(pullSchema, data, hostSignIn.gitea.name);
      return pull.state === 'open' && pull.head.ref === branch ? pull : undefined;
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      if (error.status === 404) return undefined;
      throw refused(error, this.#name);
    }
  }

  /** Somebody may have given it another base, or closed an older one of the same branch. */
  async #amongOpen(branch: string, signal: AbortSignal): Promise<Pull | undefined> {
    let seen = 0;
    for (let page = 1; page <= maxPages; page++) {
      const query = { state: 'open', sort: 'recentupdate', limit: pageSize, page };
      const { data, headers } = await this.#send({ path: `${this.#path}/pulls`, query }, signal);
      const pulls = readAnswer(z.array(pullSchema), data, hostSignIn.gitea.name);
      const found = pulls.find(({ head, base }) => head.ref === branch && head.repo_id === base.repo_id);
      seen += pulls.length;
      if (found || pulls.length === 0 || seen >= Number(headers.get('x-total-count') ?? Infinity))
        return found;
    }
    return undefined;
  }

  async #read(pullRequest: PullRequestRef, signal: AbortSignal): Promise<Pull> {
    const { data } = await this.#send(this.#pull(pullRequest), signal);
    return readAnswer(pullSchema, data, hostSignIn.gitea.name);
  }

  async #send(request: RestRequest, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await this.#call(request, signal);
    } catch (error) {
      throw error instanceof HostRefusal ? refused(error, this.#name) : error;
    }
  }

  #pull(pullRequest: PullRequestRef): { path: string } {
    return { path: `${this.#path}/pulls/${pullRequest.number}` };
  }

  #reference({ number, html_url: link }: Pull): PullRequestRef {
    return { number, link: ownLink(link, this.#place.webUrl, `${this.#web}/pulls/${number}`) };
  }

  get #path(): string {
    return repositoryPath(this.#place);
  }

  get #web(): string {
    const { owner, name, webUrl } = this.#place;
    return `${webUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  }

  get #name(): string {
    return `${this.#place.owner}/${this.#place.name}`;
  }
}
