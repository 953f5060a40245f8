import type { PullRequestState } from './code-host.ts';
import type { ChangedFile, CommitInfo } from './workspaces.ts';

/** A pull request of the local code host. Times are milliseconds since the epoch. */
export interface Review {
  /** Unguessable; whoever has it may see, merge and close. It is all that the page's address holds. */
  readonly token: string;
  /** Counts within a project, from 1. */
  readonly number: number;
  readonly jobId: string;
  readonly projectId: string;
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly headCommit: string;
  readonly state: PullRequestState;
  readonly mergeCommit: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ReviewStore {
  /** Finds the open one of the branch instead of making a second. */
  createReview(
    review: Omit<Review, 'number' | 'state' | 'mergeCommit' | 'createdAt' | 'updatedAt'>,
  ): Promise<Review>;
  openReview(projectId: string, branch: string): Promise<Review | undefined>;
  reviewByNumber(projectId: string, number: number): Promise<Review | undefined>;
  reviewByToken(token: string): Promise<Review | undefined>;
  updateReview(
    token: string,
    change: Partial<Pick<Review, 'title' | 'body' | 'headCommit' | 'state' | 'mergeCommit'>>,
  ): Promise<void>;
}

export interface ReviewView {
  readonly review: Review;
  readonly repository: string;
  readonly files: readonly ChangedFile[];
  readonly commits: readonly CommitInfo[];
  /** Unified diff of the whole change. */
  readonly diff: string;
  /** True when the repository has no remote, so that the branch can be checked out by a click. */
  readonly canCheckOut: boolean;
}

/** `done: false` says in one sentence why nothing was changed and what to do. */
export interface ReviewActionResult {
  readonly done: boolean;
  readonly message: string;
}

/** What the review page shows and does. Undefined: no such review. */
export interface Reviews {
  view(token: string): Promise<ReviewView | undefined>;
  merge(token: string): Promise<ReviewActionResult | undefined>;
  close(token: string): Promise<ReviewActionResult | undefined>;
  checkOut(token: string): Promise<ReviewActionResult | undefined>;
}
