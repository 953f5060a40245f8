import type { Project } from '../contract/project.ts';
import type { Attempt } from './attempt.ts';
import { branchName, flatBranchName, namesInTheWay } from './branch-name.ts';
import type { Workspaces } from './ports/workspaces.ts';

export interface FreeBranchDeps {
  readonly workspaces: Pick<Workspaces, 'branchHead'>;
  readonly branchPrefix: string;
  readonly redact: (text: string) => string;
}

/** The branch of a round of a job: always the same one, and never below a name that is a branch itself. */
export async function freeBranch(
  { claim }: Attempt,
  round: number,
  project: Project,
  deps: FreeBranchDeps,
  signal: AbortSignal,
): Promise<string> {
  const branch = branchName({
    prefix: deps.branchPrefix,
    title: deps.redact(claim.job.title),
    jobId: claim.job.id,
    round,
  });
  for (const name of namesInTheWay(branch)) {
    const taken = await deps.workspaces.branchHead(project, name, signal);
    if (taken !== undefined) return flatBranchName(branch);
  }
  return branch;
}
