import type { JobError, JobStatus } from '../contract/job.ts';

/** A job as the service keeps it. Times are milliseconds since the epoch. */
export interface Job {
  readonly id: string;
  readonly projectId: string;
  readonly status: JobStatus;
  readonly title: string;
  /** The first message's prompt. */
  readonly prompt: string;
  /** Which agent runs it; the name that the last attempt told. */
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
  readonly branch?: string;
  /** The last commit of the job on its branch. */
  readonly headCommit?: string;
  /** The message that {@link headCommit} answers, until that message is settled: the agent is not asked again. */
  readonly answer?: MessageAnswer;
  readonly pullRequest?: PullRequestRef;
  readonly filesChanged?: number;
  /** A change that was refused (too large, a protected path): never pushed, kept for reading. */
  readonly refusedCommit?: string;
}

/** What the agent said about a message whose commit is recorded. */
export interface MessageAnswer {
  readonly message: number;
  readonly title: string;
  readonly summary: string;
  /** What the checks of the changed pages told, one sentence each. */
  readonly problems: readonly string[];
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
