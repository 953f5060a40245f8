import type { Project, PullRequestExtras } from '../contract/project.ts';
import type { Attempt } from './attempt.ts';
import { addExtras } from './extras.ts';
import { foreignCommits } from './foreign-commits.ts';
import { freeBranch, type FreeBranchDeps } from './free-branch.ts';
import { ClaimLost } from './job-errors.ts';
import type { PullRequestRef } from './job.ts';
import type { HostedRepository, PullRequestContent } from './ports/code-host.ts';
import type { Log } from './ports/log.ts';
import type { Workspace, Workspaces } from './ports/workspaces.ts';
import { templatePaths } from './pull-request-templates.ts';
import { pullRequestText } from './pull-request-text.ts';
import { ServiceError } from './service-error.ts';

export interface Delivery {
  readonly attempt: Attempt;
  readonly workspace: Workspace;
  readonly project: Project;
  readonly host: HostedRepository;
  /** What the agent said about the present message. */
  readonly summary: string;
  readonly branch: string;
  readonly headCommit: string;
}

export interface DeliverDeps extends FreeBranchDeps {
  readonly workspaces: Pick<Workspaces, 'push' | 'change' | 'branchHead'>;
  readonly log: Log;
  readonly version: string;
  /** Where a project does not say otherwise. */
  readonly pullRequest?: PullRequestExtras;
}

/** A template is a form of one or two screens, in bytes. */
const maxTemplate = 16 * 1024;

/** Steps 10 and 11: pushes the recorded commit and finds, updates or opens the pull request. Repeatable. */
export async function deliver(delivery: Delivery, deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  const { attempt, workspace, project, headCommit } = delivery;
  const branch = await pushed(delivery, deps, signal);
  const { baseCommit = workspace.baseCommit } = attempt.work;
  const whole = await deps.workspaces.change(project, baseCommit, headCommit);
  await attempt.recordWork({ pushedCommit: headCommit, filesChanged: whole.files.length });
  await attempt.tell('pushed', `Branch ${branch}`);

  const { answer, title, firstMessage = 0 } = attempt.work;
  const { job, message, earlier } = attempt.claim;
  const content = pullRequestText(
    {
      title: title ?? deps.redact(job.title),
      jobId: job.id,
      messages: [
        ...earlier.filter((one) => one.number >= firstMessage && one.summary !== undefined),
        { ...message, summary: delivery.summary },
      ].map(({ prompt, summary }) => ({ prompt: deps.redact(prompt), summary })),
      files: whole.files,
      checks: answer?.checks ?? { pages: 0, problems: [] },
      template: await workspace.readParent(templatePaths(delivery.host.kind), maxTemplate),
      version: deps.version,
    },
    delivery.host,
  );
  await attempt.step('progress', 'Opening the pull request');
  const extras = { ...deps.pullRequest, ...project.pullRequest };
  const pullRequest = await openOrUpdate(
    { ...delivery, branch },
    content,
    extras.draft ?? false,
    deps,
    signal,
  );
  await attempt.recordWork({ pullRequest });
  await addExtras(attempt, delivery.host, pullRequest, extras, deps.log, signal);
  if (answer !== undefined) await attempt.recordWork({ answer: { ...answer, delivered: true } });
  await attempt.tell('pull_request', `Pull request ${pullRequest.number}`);
}

/** Pushes the recorded commit. Answers its branch: a new one when the pull request was ended meanwhile. */
async function pushed(delivery: Delivery, deps: DeliverDeps, signal: AbortSignal): Promise<string> {
  const { attempt, project, headCommit } = delivery;
  try {
    await attempt.step('progress', 'Pushing the branch');
    const branch = (await leftEnded(delivery, deps, signal)) ?? delivery.branch;
    await deps.workspaces.push(project, branch, headCommit, signal);
    return branch;
  } catch (error) {
    throw signal.aborted ? error : withKept(error);
  }
}

/**
 * Somebody may merge or close the pull request while the agent works. What is pushed after that nobody would see,
 * so it gets a new branch and a new pull request.
 */
async function leftEnded(
  { attempt, workspace, project, host }: Delivery,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { pullRequest, round = 1 } = attempt.work;
  if (pullRequest === undefined) return undefined;
  const state = await host.state(pullRequest, signal);
  if (state === 'open') return undefined;
  const branch = await freeBranch(attempt, round + 1, project, deps, signal);
  await attempt.recordWork({
    // What was merged is no part of the new one; what was closed is.
    ...(state === 'merged' && { baseCommit: workspace.parentCommit }),
    round: round + 1,
    firstMessage: attempt.claim.message.number,
    branch,
    pushedCommit: undefined,
    pullRequest: undefined,
  });
  await attempt.tell('progress', `The pull request was ${state}, so the work goes on in a new branch.`);
  return branch;
}

async function openOrUpdate(
  delivery: Delivery,
  content: PullRequestContent,
  draft: boolean,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<PullRequestRef> {
  const { attempt, workspace, host, branch, headCommit } = delivery;
  const { baseBranch } = workspace.repository;
  const { baseCommit = workspace.baseCommit } = attempt.work;
  try {
    const open = attempt.work.pullRequest ?? (await host.findOpen(branch, signal));
    if (open === undefined) {
      const warnings: string[] = [];
      const warn = (sentence: string): void => void warnings.push(sentence);
      const { id: jobId } = attempt.claim.job;
      const made = await host.create(
        { ...content, jobId, branch, baseBranch, baseCommit, headCommit, draft, warn },
        signal,
      );
      for (const warning of warnings) await attempt.tell('warning', warning);
      return made;
    }
    try {
      await host.update(open, { ...content, headCommit }, signal);
    } catch (error) {
      // The pull request shows the new commits already; an old text is worth a warning, not the job.
      if (!(error instanceof ServiceError) || error.retryable || signal.aborted) throw error;
      deps.log.warn('The text of a pull request could not be updated', { job: attempt.claim.job.id, error });
      await attempt.tell('warning', `The text of the pull request is not up to date: ${error.message}`);
    }
    return open;
  } catch (error) {
    if (signal.aborted || error instanceof ClaimLost) throw error;
    throw withWayOut(error, branch, host.compareUrl(branch, baseBranch));
  }
}

/** A push that was refused for good: the commit stays with the job, and the sentence says what becomes of it. */
function withKept(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.retryable || error.message === foreignCommits) return error;
  const text = `${error.message} The change is kept with the job: a follow-up pushes it again.`;
  return new ServiceError(error.code, text, { cause: error });
}

/** Nothing is lost: the branch stands, and the sentence says where. */
function withWayOut(error: unknown, branch: string, compareUrl: string | undefined): ServiceError {
  const named = error instanceof ServiceError ? error : undefined;
  const byHand =
    compareUrl === undefined ? 'A follow-up tries it again.' : `Open the pull request by hand: ${compareUrl}`;
  return new ServiceError(
    named?.code ?? 'pull_request_failed',
    `${named?.message ?? 'The pull request could not be opened.'} The work is pushed, on the branch ${branch}. ${byHand}`,
    { retryable: named?.retryable ?? false, retryAfterMs: named?.retryAfterMs, cause: error },
  );
}
