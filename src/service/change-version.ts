import type { Attempt } from './attempt.ts';
import type { CheckReport } from './job.ts';
import type { OwnCheck } from './own-check.ts';
import { checkChange, type PageCheck } from './page-checks.ts';
import type { AgentResult } from './ports/agent.ts';
import type { Log } from './ports/log.ts';
import type { Change, Workspace } from './ports/workspaces.ts';

/** The change as it stood after one answer of the agent. */
export interface Version {
  /** All that it said about this message. */
  readonly result: AgentResult;
  readonly change: Change;
  readonly commit: string;
  /** Undefined: the checks broke down, so nothing is known. */
  readonly checks: CheckReport | undefined;
}

export interface CheckDeps {
  readonly check: PageCheck;
  readonly log: Log;
}

export interface CheckPlace {
  readonly attempt: Attempt;
  readonly workspace: Workspace;
  readonly ownCheck: OwnCheck;
}

/** Runs the page checks on the workspace and the repository's own check on the commit that was made of it. */
export async function checkVersion(
  { attempt, workspace, ownCheck }: CheckPlace,
  { change, commit }: Pick<Version, 'change' | 'commit'>,
  deps: CheckDeps,
  signal: AbortSignal,
): Promise<CheckReport | undefined> {
  try {
    const report = await checkChange(workspace, change, deps.check, signal);
    const { problems, note } = await ownCheck.run(commit, signal);
    return {
      ...report,
      problems: [...report.problems, ...problems],
      ...(note !== undefined && { notes: [note] }),
    };
  } catch (error) {
    signal.throwIfAborted();
    // The change stands for itself; a page that the checks stumble over must not cost the work.
    deps.log.error('The checks of a change failed', { job: attempt.claim.job.id, error });
    await attempt.tell('warning', 'The changed pages could not be checked.');
    return undefined;
  }
}
