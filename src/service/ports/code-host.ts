import type { Project } from '../../contract/project.ts';
import type { HostKind } from '../host-kinds.ts';
import type { PullRequestRef } from '../job.ts';
import type { Repository } from './workspaces.ts';

export interface PullRequestContent {
  readonly title: string;
  /** Markdown, already neutralised and cut to the host's limit by the caller. */
  readonly body: string;
}

export interface NewPullRequest extends PullRequestContent {
  readonly jobId: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly headCommit: string;
  readonly draft: boolean;
  /** For what was asked and this host does not have, as a sentence: it becomes a warning of the job. */
  readonly warn: (sentence: string) => void;
}

export type PullRequestState = 'open' | 'merged' | 'closed';

/** One repository at one code host, with the credential that was found for it. */
export interface HostedRepository {
  /** Whose templates of pull requests count; absent: anybody's. */
  readonly kind?: HostKind;
  /** Characters that a pull request's body may have here. */
  readonly bodyLimit: number;
  /** False where hidden comments are stripped: the job's id then stands in the visible footer. */
  readonly keepsComments: boolean;
  /**
   * Rewrites Markdown that this host shows badly or would act on. Called with the whole text before it is cut to
   * the limit.
   */
  massage?(markdown: string): string;
  /** The open pull request of a branch. */
  findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined>;
  /** Finds instead of creating when there is an open one for the branch already. */
  create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef>;
  update(
    pullRequest: PullRequestRef,
    content: PullRequestContent & { headCommit: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Absent where the host has no labels. */
  addLabels?(pullRequest: PullRequestRef, labels: readonly string[], signal: AbortSignal): Promise<void>;
  /** By account name. Absent where the host has no reviewers. */
  requestReviewers?(
    pullRequest: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void>;
  state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState>;
  /** Where a person can open a pull request by hand when `create` failed; undefined when there is no such page. */
  compareUrl(branch: string, baseBranch: string): string | undefined;
}

/** Opens pull requests. Throws `ServiceError` with a named code and a sentence. */
export interface CodeHost {
  /**
   * The repository at this host, its credential tested: fails before an agent has spent anything.
   * Undefined when the repository is not of this host; the local host takes every repository.
   */
  connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined>;
}
