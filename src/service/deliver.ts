import type { Project, PullRequestExtras } from '../contract/project.ts';
import type { Attempt } from './attempt.ts';
import { addExtras } from './extras.ts';
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

export interface DeliverDeps {
  readonly workspaces: Pick<Workspaces, 'push' | 'change'>;
  readonly log: Log;
  readonly redact: (text: string) => string;
  readonly version: string;
  /** Where a project does not say otherwise. */
  readonly pullRequest?: PullRequestExtras;
}

/** A template is a form of one or two screens, in bytes. */
const maxTemplate = 16 * 1024;

/** Steps 10 and 11: pushes the recorded commit and finds, updates or opens the pull request. Repeatable. */
export async function deliver(delivery: Delivery, deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  const { attempt, workspace, project, branch, headCommit } = delivery;
  const { baseCommit } = workspace;
  await attempt.step('progress', 'Pushing the branch');
  await deps.workspaces.push(project, branch, headCommit, signal);
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
      template: await readTemplate(workspace, delivery.host),
      version: deps.version,
    },
    delivery.host,
  );
  await attempt.step('progress', 'Opening the pull request');
  const extras = { ...deps.pullRequest, ...project.pullRequest };
  const pullRequest = await openOrUpdate(delivery, content, extras.draft ?? false, deps, signal);
  await attempt.recordWork({ pullRequest });
  await addExtras(attempt, delivery.host, pullRequest, extras, deps.log, signal);
  if (answer !== undefined) await attempt.recordWork({ answer: { ...answer, delivered: true } });
  await attempt.tell('pull_request', `Pull request ${pullRequest.number}`);
}

async function readTemplate(workspace: Workspace, { kind }: HostedRepository): Promise<string | undefined> {
  for (const path of templatePaths(kind)) {
    const text = await workspace.readParent(path, maxTemplate);
    if (text !== undefined) return text;
  }
  return undefined;
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
  const { baseCommit } = workspace;
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
