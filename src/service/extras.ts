import type { PullRequestExtras } from '../contract/project.ts';
import type { Attempt } from './attempt.ts';
import { ClaimLost } from './job-errors.ts';
import type { ExtraName, PullRequestRef } from './job.ts';
import type { HostedRepository } from './ports/code-host.ts';
import type { Log } from './ports/log.ts';
import { ServiceError } from './service-error.ts';

interface Extra {
  readonly name: ExtraName;
  /** For a warning: "The labels could not be set". */
  readonly what: string;
  readonly values: readonly string[];
  /** Undefined where the host has no such thing. */
  readonly add: ((values: readonly string[]) => Promise<void>) | undefined;
}

/**
 * Labels and reviewers of a pull request, each once in its life. What the host does not have, or refuses, costs a
 * warning and never the job. Throws `ClaimLost` or the signal's reason.
 */
export async function addExtras(
  attempt: Attempt,
  host: HostedRepository,
  pullRequest: PullRequestRef,
  { labels = [], reviewers = [] }: PullRequestExtras,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const extras: Extra[] = [
    {
      name: 'labels',
      what: 'The labels of the pull request',
      values: labels,
      add: host.addLabels && (async (values) => host.addLabels?.(pullRequest, values, signal)),
    },
    {
      name: 'reviewers',
      what: 'The reviewers of the pull request',
      values: reviewers,
      add: host.requestReviewers && (async (values) => host.requestReviewers?.(pullRequest, values, signal)),
    },
  ];
  for (const extra of extras) {
    const done = doneFor(attempt, pullRequest);
    if (extra.values.length === 0 || done.includes(extra.name)) continue;
    if (await add(attempt, extra, log, signal)) {
      const { number } = pullRequest;
      await attempt.recordWork({ extras: { pullRequest: number, done: [...done, extra.name] } });
    }
  }
}

function doneFor({ work }: Attempt, { number }: PullRequestRef): readonly ExtraName[] {
  return work.extras?.pullRequest === number ? work.extras.done : [];
}

/** Answers whether it is over: a refusal is, trouble of the moment has its next chance at a follow-up. */
async function add(attempt: Attempt, extra: Extra, log: Log, signal: AbortSignal): Promise<boolean> {
  if (extra.add === undefined) {
    await attempt.tell('warning', `${extra.what} were not set: the code host has none.`);
    return true;
  }
  try {
    await extra.add(extra.values);
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof ClaimLost) throw error;
    log.warn('An extra of a pull request failed', { job: attempt.claim.job.id, extra: extra.name, error });
    const reason = error instanceof ServiceError ? error.message : 'The log says why.';
    await attempt.tell('warning', `${extra.what} could not be set: ${reason}`);
    return !(error instanceof ServiceError && error.retryable);
  }
}
