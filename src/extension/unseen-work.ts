/** What a repository holds that a job does not see, because a job works on what is pushed to its base branch. */
export interface UnseenWork {
  /** Pages of the project that are not saved. */
  readonly unsaved: readonly string[];
  /** Files with uncommitted changes, unsaved ones not counted twice. */
  readonly uncommitted: readonly string[];
  /** Commits that the remote does not have; undefined when it is not known. */
  readonly unpushed: number | undefined;
  /** The branch that is checked out, when it is another than the base branch. */
  readonly otherBranch: string | undefined;
  /** The job's base branch; undefined when only the service knows it. */
  readonly base: string | undefined;
  /** Without a remote, a commit is enough. */
  readonly hasRemote: boolean;
}

export interface RepositoryState {
  readonly branch: string | undefined;
  readonly ahead: number | undefined;
  readonly hasUpstream: boolean;
  readonly hasRemote: boolean;
  /** Changed paths, absolute. */
  readonly changed: readonly string[];
}

/** Undefined when a job sees everything. Paths are absolute, `isInside` says which are of the project. */
export function unseenWork(
  unsaved: readonly string[],
  repository: RepositoryState | undefined,
  base: string | undefined,
  isInside: (path: string) => boolean,
): UnseenWork | undefined {
  const pages = unsaved.filter(isInside);
  const changed = (repository?.changed ?? []).filter((path) => isInside(path) && !pages.includes(path));
  const branch = repository?.branch;
  const isOther = branch !== undefined && base !== undefined && branch !== base;
  // Commits of another branch are told by the branch; without a remote they are the base themselves.
  const unpushed = repository?.hasRemote === true && !isOther ? repository.ahead : 0;
  const neverPushed =
    repository?.hasRemote === true && !isOther && !repository.hasUpstream && base !== branch;
  const work: UnseenWork = {
    unsaved: pages,
    uncommitted: [...new Set(changed)],
    unpushed: neverPushed ? undefined : (unpushed ?? 0),
    otherBranch: isOther || neverPushed ? branch : undefined,
    base,
    hasRemote: repository?.hasRemote ?? false,
  };
  const isNone =
    work.unsaved.length === 0 &&
    work.uncommitted.length === 0 &&
    work.unpushed === 0 &&
    work.otherBranch === undefined;
  return isNone ? undefined : work;
}
