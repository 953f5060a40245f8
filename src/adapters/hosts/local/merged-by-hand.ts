import type { Project } from '../../../contract/project.ts';
import type { Review } from '../../../service/ports/reviews.ts';
import type { Workspaces } from '../../../service/ports/workspaces.ts';

/** True when the base branch contains the review's commits already, because somebody merged them with git. */
export async function mergedByHand(
  workspaces: Workspaces,
  project: Project,
  review: Review,
  signal: AbortSignal,
): Promise<boolean> {
  const base = await workspaces.branchHead(project, review.baseBranch, signal);
  if (base === undefined) return false;
  return (await workspaces.commits(project, base, review.headCommit)).length === 0;
}
