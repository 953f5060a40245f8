import type { Project } from '../contract/project.ts';
import { Attempt } from './attempt.ts';
import { branchName, flatBranchName, namesInTheWay } from './branch-name.ts';
import { refusedChange } from './change-rules.ts';
import type { JobSignals } from './job-signals.ts';
import type { CheckReport } from './job.ts';
import type { JobLimits } from './limits.ts';
import { checkChange, type PageCheck } from './page-checks.ts';
import type { Agent, AgentResult } from './ports/agent.ts';
import type { Agents } from './ports/agents.ts';
import type { CodeHost, HostedRepository } from './ports/code-host.ts';
import type { Claim, JobStore, Outcome } from './ports/job-store.ts';
import type { Log } from './ports/log.ts';
import type { ProjectStore } from './ports/project-store.ts';
import type { Change, Repository, Workspace, Workspaces } from './ports/workspaces.ts';
import { deliver } from './deliver.ts';
import { commitMessage } from './pull-request-text.ts';
import { runAgent } from './run-agent.ts';
import { ServiceError } from './service-error.ts';
import { titleOf } from './title.ts';

/** What the walk needs of git. */
export type JobWorkspaces = Pick<Workspaces, 'inspect' | 'open' | 'push' | 'change' | 'branchHead'>;

export interface RunJobDeps {
  readonly store: JobStore;
  readonly projects: ProjectStore;
  readonly workspaces: JobWorkspaces;
  readonly agents: Pick<Agents, 'open'>;
  /** The first that takes the repository; the local host, which takes every one, comes last. */
  readonly hosts: readonly CodeHost[];
  readonly check: PageCheck;
  readonly signals: JobSignals;
  readonly limits: JobLimits;
  readonly log: Log;
  /** Blanks out secrets in everything that is written or published. */
  readonly redact: (text: string) => string;
  readonly branchPrefix: string;
  /** Whether jobs may change files outside the project's docs folder. */
  readonly outsideDocsRoot: boolean;
  /** Of Docs Agent, for commits and pull requests. */
  readonly version: string;
}

/** Far above what anybody reads in a pull request, in characters. */
const maxSummary = 20_000;
/** Of what an agent hands to its next run, in characters: beyond this it begins anew, with what was asked before. */
const maxConversation = 1_000_000;
/** Problems that become events; the pull request lists more. */
const toldProblems = 20;

/**
 * The walk of one message from the workspace to the pull request. Everything that it brings about outside
 * the store is written down first or can be repeated, so that an attempt that was killed anywhere is
 * followed by one that ends with the same branch and the same pull request.
 *
 * Throws `ServiceError`, `ClaimLost`, or the signal's reason.
 */
export async function runJob(claim: Claim, deps: RunJobDeps, signal: AbortSignal): Promise<Outcome> {
  const attempt = new Attempt(claim, deps.store, deps.signals, deps.redact);
  const given = await deps.projects.get(claim.job.projectId);
  if (given === undefined) {
    throw new ServiceError(
      'repository_unavailable',
      'The service does not know this project any more. Set it up again.',
    );
  }
  await attempt.step('workspace', 'Looking at the repository');
  const { baseBranch } = attempt.work;
  // The pull request has its base; a project that chose another one since keeps it for new jobs.
  const project = baseBranch === undefined ? given : { ...given, baseBranch };
  const repository = await deps.workspaces.inspect(project, signal);
  await attempt.recordRepository(deps.redact(repository.displayUrl));
  const host = await connect(deps.hosts, project, repository, signal);

  const done = attempt.work.answer;
  if (done?.message === claim.message.number && done.delivered) return completed(attempt, done.summary);

  await startRound(attempt, host, signal);
  const standing = await standingWork(attempt, project, deps, signal);
  const answer = attempt.work.answer;
  const resumed = answer?.message === claim.message.number ? answer : undefined;
  // Before the workspace, so that nothing is spent when something of it is missing.
  const agent = resumed === undefined ? await openAgent(attempt, deps, signal) : undefined;
  await using workspace = await deps.workspaces.open({
    jobId: claim.job.id,
    project,
    signal,
    ...(standing !== undefined && { from: standing }),
  });
  await attempt.recordWork({ baseBranch: repository.baseBranch, baseCommit: workspace.baseCommit });

  const summary =
    agent === undefined
      ? (resumed?.summary ?? '')
      : await makeChange(attempt, agent, workspace, project, deps, signal);
  const { branch, headCommit } = attempt.work;
  if (branch === undefined || headCommit === undefined) return completed(attempt, summary);

  await deliver({ attempt, workspace, project, host, summary, branch, headCommit }, deps, signal);
  return completed(attempt, summary);
}

function completed(attempt: Attempt, summary: string): Outcome {
  return { status: 'completed', summary, model: attempt.model };
}

async function openAgent(attempt: Attempt, deps: RunJobDeps, signal: AbortSignal): Promise<Agent> {
  const agent = await deps.agents.open(attempt.claim.job.agent, signal, (step) =>
    attempt.step('progress', step),
  );
  await attempt.recordModel(agent.name);
  return agent;
}

async function connect(
  hosts: readonly CodeHost[],
  project: Project,
  repository: Repository,
  signal: AbortSignal,
): Promise<HostedRepository> {
  for (const host of hosts) {
    const connected = await host.connect(project, repository, signal);
    if (connected !== undefined) return connected;
  }
  throw new ServiceError('repository_unavailable', 'No code host takes this repository.');
}

/** After somebody merged or closed the pull request, the next change gets a new branch and a new one. */
async function startRound(attempt: Attempt, host: HostedRepository, signal: AbortSignal): Promise<void> {
  const { pullRequest, round = 1 } = attempt.work;
  if (pullRequest === undefined) return;
  const state = await host.state(pullRequest, signal);
  if (state === 'open') return;
  await attempt.recordWork({
    baseCommit: undefined,
    round: round + 1,
    firstMessage: attempt.claim.message.number,
    branch: undefined,
    headCommit: undefined,
    pushedCommit: undefined,
    title: undefined,
    answer: undefined,
    pullRequest: undefined,
    filesChanged: undefined,
  });
  await attempt.tell('progress', `The pull request was ${state}, so the work goes on in a new branch.`);
}

/** What stands on the job's branch. Commits that somebody added there are kept and built upon. */
async function standingWork(
  attempt: Attempt,
  project: Project,
  deps: RunJobDeps,
  signal: AbortSignal,
): Promise<{ baseCommit: string; branch: string; headCommit: string } | undefined> {
  const { baseCommit, branch, headCommit, pushedCommit } = attempt.work;
  if (baseCommit === undefined || branch === undefined || headCommit === undefined) return undefined;
  const remote = await deps.workspaces.branchHead(project, branch, signal);
  if (remote === undefined || remote === headCommit || remote === pushedCommit) {
    return { baseCommit, branch, headCommit };
  }
  // An answer that was recorded but not pushed does not fit on the branch any more: it is asked for again.
  await attempt.recordWork({ headCommit: remote, pushedCommit: remote, answer: undefined });
  return { baseCommit, branch, headCommit: remote };
}

/** Steps 8 to 10 up to the commit: nothing leaves the machine. Answers the agent's summary. */
async function makeChange(
  attempt: Attempt,
  agent: Agent,
  workspace: Workspace,
  project: Project,
  deps: RunJobDeps,
  signal: AbortSignal,
): Promise<string> {
  const { claim } = attempt;
  const { conversation } = attempt.work;
  const { docsRoot } = workspace.repository;
  await attempt.step('agent', `The agent ${agent.name} is at work`);
  const result = readable(
    await runAgent(
      agent,
      {
        prompt: claim.message.prompt,
        earlier: claim.earlier.flatMap(({ prompt, summary }) =>
          summary === undefined ? [] : [{ prompt, summary }],
        ),
        ...(conversation !== undefined && { conversation }),
        directory: workspace.directory,
        docsRoot,
        outsideDocsRoot: deps.outsideDocsRoot,
        signal,
      },
      deps.limits,
      (message) => attempt.step('progress', message),
    ),
    claim.message.prompt,
    deps,
  );
  if (result.model !== undefined) await attempt.recordModel(result.model);
  const change = await workspace.changes();
  if (change.files.length === 0) {
    await attempt.recordWork({ refusedCommit: undefined, conversation: result.conversation });
    await attempt.tell('checks', 'The agent changed no file.');
    return result.summary;
  }
  const message = commitMessage(result.title, result.summary);
  const trailers = { 'Generated-By': `Docs Agent ${deps.version}`, 'Docs-Agent-Job': claim.job.id };
  const refusal = refusedChange(change, { docsRoot, outsideDocsRoot: deps.outsideDocsRoot }, deps.limits);
  if (refusal !== undefined) {
    const keep = change.patchBytes <= deps.limits.keptPatchBytes;
    const refusedCommit = keep ? await workspace.commit(message, trailers) : undefined;
    await attempt.recordWork({
      refusedCommit,
      filesChanged: change.files.length,
      conversation: result.conversation,
    });
    throw refusal;
  }
  await attempt.step('checks', 'Checking the changed pages');
  const checks = await checked(attempt, workspace, change, deps, signal);
  const headCommit = await workspace.commit(message, trailers);
  if (headCommit === undefined) return result.summary;
  const { work } = attempt;
  await attempt.recordWork({
    branch: work.branch ?? (await freeBranchName(attempt, project, deps, signal)),
    headCommit,
    title: work.title ?? result.title,
    answer: { message: claim.message.number, summary: result.summary, checks, delivered: false },
    conversation: result.conversation,
    refusedCommit: undefined,
  });
  await attempt.tell(
    'committed',
    `${change.files.length} changed ${change.files.length === 1 ? 'file' : 'files'}`,
  );
  return result.summary;
}

/** What an agent says is untrusted: its length is bounded, its secrets are blanked out. */
function readable(result: AgentResult, prompt: string, deps: RunJobDeps): AgentResult {
  const summary = deps.redact(result.summary).trim();
  const { model, conversation } = result;
  return {
    ...(model !== undefined && model.trim() !== '' && { model }),
    ...(conversation !== undefined && conversation.length <= maxConversation && { conversation }),
    title: titleOf(deps.redact(result.title.trim() === '' ? prompt : result.title)),
    summary:
      summary.length > maxSummary
        ? `${summary.slice(0, maxSummary).toWellFormed()}\n\n… (shortened)`
        : summary,
  };
}

async function checked(
  attempt: Attempt,
  workspace: Workspace,
  change: Change,
  deps: RunJobDeps,
  signal: AbortSignal,
): Promise<CheckReport> {
  let report: CheckReport;
  try {
    report = await checkChange(workspace, change, deps.check, signal);
  } catch (error) {
    signal.throwIfAborted();
    // The change stands for itself; a page that the checks stumble over must not cost the work.
    deps.log.error('The checks of the changed pages failed', { job: attempt.claim.job.id, error });
    await attempt.tell('warning', 'The changed pages could not be checked.');
    return { pages: 0, problems: [] };
  }
  for (const problem of report.problems.slice(0, toldProblems)) await attempt.tell('warning', problem);
  return report;
}

async function freeBranchName(
  attempt: Attempt,
  project: Project,
  deps: RunJobDeps,
  signal: AbortSignal,
): Promise<string> {
  const { job } = attempt.claim;
  const branch = branchName({
    prefix: deps.branchPrefix,
    title: deps.redact(job.title),
    jobId: job.id,
    round: attempt.work.round ?? 1,
  });
  for (const name of namesInTheWay(branch)) {
    const taken = await deps.workspaces.branchHead(project, name, signal);
    if (taken !== undefined) return flatBranchName(branch);
  }
  return branch;
}
