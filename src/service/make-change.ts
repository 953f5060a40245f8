import type { Project } from '../contract/project.ts';
import { askAgent, type AgentPlace, type AskDeps } from './ask-agent.ts';
import { refusedChange } from './change-rules.ts';
import { checkVersion, type CheckDeps } from './change-version.ts';
import { freeBranch, type FreeBranchDeps } from './free-branch.ts';
import { withLeftOut } from './left-out.ts';
import { OwnCheck, type OwnCheckDeps } from './own-check.ts';
import type { AgentResult } from './ports/agent.ts';
import type { Workspaces } from './ports/workspaces.ts';
import { commitMessage } from './pull-request-text.ts';
import { repairChange } from './repair-change.ts';
import { refusedSecrets } from './secrets-in-change.ts';

export interface MakeChangeDeps extends AskDeps, CheckDeps, OwnCheckDeps, FreeBranchDeps {
  readonly workspaces: Pick<Workspaces, 'change' | 'branchHead' | 'diff'>;
  /** Whether a text holds a key or token that the service works with. */
  readonly holdsSecret: (text: string) => boolean;
  /** Of Docs Agent, for commits and pull requests. */
  readonly version: string;
}

/** Problems that become events; the pull request lists more. */
const toldProblems = 20;

/**
 * Steps 8 to 10 of the walk, up to the commit: the agent works, the checks look at it, what they found goes back
 * to the agent. Nothing leaves the machine. Answers the agent's summary.
 */
export async function makeChange(
  work: AgentPlace & { readonly project: Project },
  deps: MakeChangeDeps,
  signal: AbortSignal,
): Promise<string> {
  const { attempt, agent, workspace, project } = work;
  const { docsRoot } = workspace.repository;
  const { conversation } = attempt.work;
  const begin = performance.now();
  await attempt.step('agent', `The agent ${agent.name} is at work`);
  const result = await askAgent(work, { ...(conversation !== undefined && { conversation }) }, deps, signal);
  const change = await workspace.changes();
  if (change.files.length === 0) {
    await attempt.recordWork({ refusedCommit: undefined, conversation: result.conversation });
    await attempt.tell('checks', 'The agent changed no file.');
    return withLeftOut(result.summary, workspace, deps.redact);
  }
  const trailers = { 'Generated-By': `Docs Agent ${deps.version}`, 'Docs-Agent-Job': attempt.claim.job.id };
  const commit = ({ title, summary }: AgentResult): Promise<string | undefined> =>
    workspace.commit(commitMessage(title, summary), trailers);
  const refuseLeaks = async (made: string): Promise<void> => {
    const diff = await deps.workspaces.diff(project, workspace.parentCommit, made);
    const leak = refusedSecrets(diff, deps.holdsSecret);
    if (leak === undefined) return;
    // Not even kept for reading.
    await attempt.recordWork({ refusedCommit: undefined, conversation: undefined });
    throw leak;
  };
  const refusal = refusedChange(change, { docsRoot, outsideDocsRoot: deps.outsideDocsRoot }, deps.limits);
  if (refusal !== undefined) {
    const kept = change.patchBytes <= deps.limits.keptPatchBytes ? await commit(result) : undefined;
    if (kept !== undefined) await refuseLeaks(kept);
    await attempt.recordWork({
      refusedCommit: kept,
      filesChanged: change.files.length,
      conversation: result.conversation,
    });
    throw refusal;
  }
  await attempt.step('checks', 'Checking the changed pages');
  const firstCommit = await commit(result);
  if (firstCommit === undefined) return withLeftOut(result.summary, workspace, deps.redact);
  const place = { ...work, ownCheck: new OwnCheck(workspace, project, deps) };
  const checks = await checkVersion(place, { change, commit: firstCommit }, deps, signal);
  const first = { result, change, commit: firstCommit, checks };
  const elapsedMs = (): number => performance.now() - begin;
  const best = await repairChange(place, first, { ...deps, commit, elapsedMs }, signal);

  await refuseLeaks(best.commit);
  const report = best.checks ?? { pages: 0, problems: [] };
  for (const problem of report.problems.slice(0, toldProblems)) await attempt.tell('warning', problem);
  for (const note of report.notes ?? []) await attempt.tell('checks', note);
  const summary = await withLeftOut(best.result.summary, workspace, deps.redact);
  await attempt.recordWork({
    branch:
      attempt.work.branch ?? (await freeBranch(attempt, attempt.work.round ?? 1, project, deps, signal)),
    headCommit: best.commit,
    title: attempt.work.title ?? best.result.title,
    answer: { message: attempt.claim.message.number, summary, checks: report, delivered: false },
    conversation: best.result.conversation,
    refusedCommit: undefined,
  });
  const count = best.change.files.length;
  await attempt.tell('committed', `${count} changed ${count === 1 ? 'file' : 'files'}`);
  return summary;
}
