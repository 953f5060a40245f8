import type { JobErrorCode } from '../../contract/errors.ts';
import { foreignCommits } from '../../service/foreign-commits.ts';
import { ServiceError } from '../../service/service-error.ts';
import { isLockConflict, translateGitError } from './git-errors.ts';
import type { Location } from './locate.ts';
import type { Mirror } from './mirror.ts';
import { transferTimeLimitMs } from './run-git.ts';

/** Throws when git would not take the name, or would take it for something else than a branch. */
export async function checkBranchName(
  mirror: Mirror,
  branch: string,
  code: JobErrorCode = 'push_rejected',
): Promise<void> {
  const { exitCode } = await mirror.run(['check-ref-format', `refs/heads/${branch}`], { accept: [1] });
  if (exitCode === 0 && !branch.startsWith('-')) return;
  throw new ServiceError(code, `"${branch}" cannot be the name of a branch.`);
}

/** Makes the branch point at the commit, forwards only. Done already is done. */
export async function pushBranch(
  mirror: Mirror,
  location: Location,
  branch: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await checkBranchName(mirror, branch);
  await mirror.need(commit, signal);
  if (!location.remote) {
    await moveOwnBranch(mirror, branch, commit);
    return;
  }
  try {
    await pushToRemote(mirror, branch, commit, signal);
  } catch (error) {
    const translated = translateGitError(error);
    // The answer to an earlier push may have been lost, somebody may have built on it since, or the push of a
    // process that was killed goes on and was a moment faster.
    const rejected = translated instanceof ServiceError && translated.code === 'push_rejected';
    if (rejected || isLockConflict(error)) {
      const head = await mirror.fetchBranch(branch, signal);
      if (head !== undefined && (await mirror.isAncestor(commit, head))) return;
    }
    throw translated;
  }
}

/** A plain push: the other side refuses what is no fast-forward. */
export async function pushToRemote(
  mirror: Mirror,
  branch: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const args = ['push', '--no-verify', '--no-follow-tags', '--no-signed', '--no-recurse-submodules'];
  const refspec = `${commit}:refs/heads/${branch}`;
  await mirror.remote([...args, '--', mirror.access.remote.url, refspec], signal, transferTimeLimitMs);
}

/** Without a remote the job's branch is the mirror's own. The old value keeps two processes apart. */
async function moveOwnBranch(mirror: Mirror, branch: string, commit: string): Promise<void> {
  const before = await mirror.ownHead(branch);
  if (before !== undefined && (await mirror.isAncestor(commit, before))) return;
  if (before !== undefined && !(await mirror.isAncestor(before, commit))) {
    throw new ServiceError('push_rejected', foreignCommits);
  }
  await mirror.run(['update-ref', `refs/heads/${branch}`, commit, before ?? '']);
}
