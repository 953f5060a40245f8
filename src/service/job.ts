import type { JobError, JobStatus } from '../contract/job.ts';
import type { TokensSpent } from './ports/agent.ts';

/** A job as the service keeps it. Times are milliseconds since the epoch. */
export interface Job {
  readonly id: string;
  readonly projectId: string;
  readonly status: JobStatus;
  readonly title: string;
  /** The first message's prompt. */
  readonly prompt: string;
  /** Which agent does it, by the ids of `contract/agents.ts`: chosen once, for its follow-ups too. */
  readonly agent: string;
  /** Which agent and model have worked on it, as the last attempt told; before that, {@link agent}. */
  readonly model: string;
  /** What the job works on, without credentials: a URL, or a path of this machine. */
  readonly repository: string;
  readonly step: string | undefined;
  readonly work: JobWork;
  readonly summary: string | undefined;
  readonly error: JobError | undefined;
  /** How often a worker has claimed it for the message that is to be done now. */
  readonly attempt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archivedAt: number | undefined;
}

/** What a job has brought about outside the store: written down so that a later attempt goes on from it. */
export interface JobWork {
  readonly baseBranch?: string;
  /** The commit that every diff of this job is taken against. */
  readonly baseCommit?: string;
  /** Counts the branches of this job from 1: a follow-up after a merge or a close takes a new one. */
  readonly round?: number;
  /** The message that the present round began with; absent: number 0. */
  readonly firstMessage?: number;
  readonly branch?: string;
  /** The last commit of the job on its branch. */
  readonly headCommit?: string;
  /** What of it has reached the place where the work is pushed to. */
  readonly pushedCommit?: string;
  /** The pull request's title: the one of the round's first change. */
  readonly title?: string;
  /** What the agent said when it made {@link headCommit}. */
  readonly answer?: MessageAnswer;
  /** What the agent's last result held for its next run in this job. */
  readonly conversation?: string;
  readonly pullRequest?: PullRequestRef;
  /** The extras that the pull request of this number has had: what a person takes away again stays away. */
  readonly extras?: { readonly pullRequest: number; readonly done: readonly ExtraName[] };
  /** Tokens that a model has taken for the message of this number, in all attempts. */
  readonly spent?: TokensSpent & { readonly message: number };
  readonly filesChanged?: number;
  /** A change that was refused (too large, a protected path): never pushed, kept for reading. */
  readonly refusedCommit?: string;
}

export type ExtraName = 'labels' | 'reviewers';

/** What the agent said about a message whose commit is recorded: so it is not asked a second time. */
export interface MessageAnswer {
  /** The message's number. */
  readonly message: number;
  readonly summary: string;
  readonly checks: CheckReport;
  /** True once the pull request shows it. */
  readonly delivered: boolean;
}

/** What the checks of the changed pages told. */
export interface CheckReport {
  readonly pages: number;
  /** What got worse, one sentence each. Holds text of the pages. */
  readonly problems: readonly string[];
  /** What else is to be told of them, one sentence of Markdown each. */
  readonly notes?: readonly string[];
}

/** How a pull request is found again: its number at the code host, and where a person opens it. */
export interface PullRequestRef {
  readonly number: number;
  /**
   * An absolute URL, or for the local host a path below the service's base URL, because the service
   * may have another port tomorrow.
   */
  readonly link: string;
}

/** One prompt of a job: number 0 creates it, the others are follow-ups. */
export interface JobMessage {
  readonly number: number;
  readonly prompt: string;
  /** What the agent said it did about this message; undefined while it is not done, or when it failed. */
  readonly summary: string | undefined;
}
