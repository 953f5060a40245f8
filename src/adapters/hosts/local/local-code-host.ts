import { randomBytes } from 'node:crypto';
import type { Project } from '../../../contract/project.ts';
import type { PullRequestRef } from '../../../service/job.ts';
import type {
  CodeHost,
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../../service/ports/code-host.ts';
import type { Review, ReviewStore } from '../../../service/ports/reviews.ts';
import type { Workspaces } from '../../../service/ports/workspaces.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { mergedByHand } from './merged-by-hand.ts';

export interface LocalCodeHostOptions {
  readonly store: ReviewStore;
  readonly workspaces: Workspaces;
}

/** No host cuts the text; this only keeps a page readable and a database small. */
const bodyLimit = 200_000;

/** 192 bits: nobody finds a review by guessing, however long they try. */
const tokenBytes = 24;

/**
 * The code host for repositories whose remote is no known host, or that have none: the pull request is
 * a review page of this service. Takes every repository, so it stands last.
 */
export class LocalCodeHost implements CodeHost {
  readonly #options: LocalCodeHostOptions;

  constructor(options: LocalCodeHostOptions) {
    this.#options = options;
  }

  async connect(project: Project): Promise<HostedRepository> {
    return new LocalRepository(project, this.#options);
  }
}

class LocalRepository implements HostedRepository {
  readonly bodyLimit = bodyLimit;
  readonly keepsComments = true;
  readonly #project: Project;
  readonly #store: ReviewStore;
  readonly #workspaces: Workspaces;

  constructor(project: Project, { store, workspaces }: LocalCodeHostOptions) {
    this.#project = project;
    this.#store = store;
    this.#workspaces = workspaces;
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    signal.throwIfAborted();
    const review = await this.#store.openReview(this.#project.id, branch);
    return review && reference(review);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    signal.throwIfAborted();
    const { jobId, title, body, branch, baseBranch, baseCommit, headCommit, draft, warn } = request;
    if (draft) warn('The review page of the service has no drafts.');
    const token = randomBytes(tokenBytes).toString('base64url');
    const review = await this.#store.createReview({
      token,
      jobId,
      projectId: this.#project.id,
      title,
      body,
      branch,
      baseBranch,
      baseCommit,
      headCommit,
    });
    // Found instead of made: an earlier attempt got this far, perhaps with an older commit.
    if (review.token !== token) await this.#store.updateReview(review.token, { title, body, headCommit });
    return reference(review);
  }

  async update(
    pullRequest: PullRequestRef,
    content: PullRequestContent & { headCommit: string },
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const review = await this.#find(pullRequest);
    const { title, body, headCommit } = content;
    await this.#store.updateReview(review.token, { title, body, headCommit });
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    const review = await this.#find(pullRequest);
    if (review.state !== 'open') return review.state;
    if (!(await mergedByHand(this.#workspaces, this.#project, review, signal))) return 'open';
    await this.#store.updateReview(review.token, { state: 'merged' });
    return 'merged';
  }

  compareUrl(): undefined {
    return undefined;
  }

  async #find(pullRequest: PullRequestRef): Promise<Review> {
    const review = await this.#store.reviewByNumber(this.#project.id, pullRequest.number);
    if (review) return review;
    throw new ServiceError(
      'pull_request_failed',
      `The review page number ${pullRequest.number} is gone from this service. Start a new job.`,
    );
  }
}

function reference(review: Review): PullRequestRef {
  return { number: review.number, link: `/review/${review.token}` };
}
