import type { Project } from '../../contract/project.ts';

/** What a project's repository is, found by looking at it. */
export interface Repository {
  /** Where the work is pushed; undefined: the repository has no remote, the work stays in the mirror. */
  readonly remoteUrl: string | undefined;
  /** For people and answers: the remote's URL without credentials, or the folder's path. */
  readonly displayUrl: string;
  /** Top folder of the local checkout, undefined for a project that is a URL. */
  readonly checkout: string | undefined;
  /** Folder of the docs inside the repository, with `/`; empty for the whole. */
  readonly docsRoot: string;
  readonly baseBranch: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly previousPath?: string;
  readonly addedLines: number;
  readonly removedLines: number;
}

export interface Change {
  readonly files: readonly ChangedFile[];
  /** Bytes of the patch. */
  readonly patchBytes: number;
}

/** A job's private copy. Disposing removes the directory and everything temporary beside it. */
export interface Workspace extends AsyncDisposable {
  readonly directory: string;
  readonly repository: Repository;
  readonly baseCommit: string;
  /** What stands on the job's branch already; equal to `baseCommit` in a new job. */
  readonly parentCommit: string;
  /**
   * Text of the first of these files that {@link parentCommit} has, with `/` in the paths. What is no regular file,
   * is larger than `maxBytes` or is not UTF-8 does not count. Undefined when there is none.
   */
  readParent(paths: readonly string[], maxBytes: number): Promise<string | undefined>;
  /** Another directory, with the files of a commit: to look at or to try something in. Disposing removes it. */
  openCopy(commit: string): Promise<AsyncDisposable & { readonly directory: string }>;
  /** The change of the directory since `parentCommit`. */
  changes(): Promise<Change>;
  /** New pages of the directory that are in no commit, because the repository's ignore rules leave them out. */
  leftOut(): Promise<readonly string[]>;
  /** One commit of the directory on top of `parentCommit`; undefined when nothing changed. */
  commit(message: string, trailers: Readonly<Record<string, string>>): Promise<string | undefined>;
}

export interface OpenWorkspace {
  readonly jobId: string;
  readonly project: Project;
  readonly signal: AbortSignal;
  /** Goes on where an earlier attempt or message stopped. */
  readonly from?: { readonly baseCommit: string; readonly branch: string; readonly headCommit: string };
}

/**
 * Git for the service. Reads the writer's repository, never writes to it, except `merge` of a
 * repository without a remote and `checkOut`, which a person asked for. Throws `ServiceError` with a named code.
 */
export interface Workspaces {
  inspect(project: Project, signal: AbortSignal): Promise<Repository>;
  open(request: OpenWorkspace): Promise<Workspace>;
  /** Makes `branch` point at `commit` where the work is pushed to, fast-forward only. Repeating it is fine. */
  push(project: Project, branch: string, commit: string, signal: AbortSignal): Promise<void>;
  /** The whole change of a job, as a unified diff. */
  diff(project: Project, baseCommit: string, headCommit: string): Promise<string>;
  /** The whole change of a job, as a list. */
  change(project: Project, baseCommit: string, headCommit: string): Promise<Change>;
  commits(project: Project, baseCommit: string, headCommit: string): Promise<readonly CommitInfo[]>;
  /** Merges without touching a checkout, except where the port's text says so. */
  merge(project: Project, branch: string, headCommit: string, message: string): Promise<MergeResult>;
  /** Puts a job's branch into a checkout without a remote and switches to it, because a person asked for it. */
  checkOut(project: Project, branch: string, headCommit: string): Promise<CheckOutResult>;
  /** The commit that a branch has where the work is pushed to. */
  branchHead(project: Project, branch: string, signal: AbortSignal): Promise<string | undefined>;
}

export interface CommitInfo {
  readonly id: string;
  readonly subject: string;
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type MergeResult =
  | { readonly kind: 'merged'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** Something of the writer's is in the way; `reason` says what to do. Nothing was changed. */
  | { readonly kind: 'refused'; readonly reason: string };

export type CheckOutResult =
  | { readonly kind: 'checked_out' }
  | { readonly kind: 'refused'; readonly reason: string };
