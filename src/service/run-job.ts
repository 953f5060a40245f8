import type { Project } from '../contract/project.ts';
import { Attempt } from './attempt.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import { SeatTaken } from './job-errors.ts';
import type { JobSignals } from './job-signals.ts';
import { makeChange, type MakeChangeDeps } from './make-change.ts';
import type { Agent } from './ports/agent.ts';
import type { Agents } from './ports/agents.ts';
import type { CodeHost, HostedRepository } from './ports/code-host.ts';
import type { Claim, JobStore, Outcome } from './ports/job-store.ts';
import type { ProjectStore } from './ports/project-store.ts';
import type { Repository, Workspaces } from './ports/workspaces.ts';
import type { Seat } from './seat.ts';
import { ServiceError } from './service-error.ts';

/** What the walk needs of git. */
export type JobWorkspaces = Pick<Workspaces, 'inspect' | 'open' | 'push' | 'change' | 'branchHead' | 'diff'>;

export interface RunJobDeps extends MakeChangeDeps, Pick<DeliverDeps, 'pullRequest'> {
  readonly store: JobStore;
  readonly projects: ProjectStore;
  readonly workspaces: JobWorkspaces;
  readonly agents: Pick<Agents, 'open'>;
  /** The first that takes the repository; the local host, which takes every one, comes last. */
  readonly hosts: readonly CodeHost[];
  readonly signals: JobSignals;
  readonly seat: Seat;
}

/**
 * The walk of one message from the workspace to the pull request. Everything that it brings about outside
 * the store is written down first or can be repeated, so that an attempt that was killed anywhere is
 * followed by one that ends with the same branch and the same pull request.
 *
 * Throws `ServiceError`, `ClaimLost`, `SeatTaken`, or the signal's reason.
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
      : await makeChange({ attempt, agent, workspace, project }, deps, signal);
  const { branch, headCommit } = attempt.work;
  if (branch === undefined || headCommit === undefined) return completed(attempt, summary);

  await deliver({ attempt, workspace, project, host, summary, branch, headCommit }, deps, signal);
  return completed(attempt, summary);
}

function completed(attempt: Attempt, summary: string): Outcome {
  return { status: 'completed', summary, model: attempt.model };
}

async function openAgent(attempt: Attempt, deps: RunJobDeps, signal: AbortSignal): Promise<Agent> {
  const agent = await deps.agents.open(attempt.claim.job.agent, signal, async (step) => {
    await attempt.step('progress', step);
    deps.seat.lend();
  });
  if (!deps.seat.takeBack()) {
    await attempt.step('progress', 'Waiting for its turn, because other jobs have begun meanwhile');
    throw new SeatTaken();
  }
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
