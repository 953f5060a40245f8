import { durationInWords } from './duration.ts';
import { ClaimLost, SeatTaken, ServiceStopping } from './job-errors.ts';
import type { Claim } from './ports/job-store.ts';
import { runJob, type RunJobDeps } from './run-job.ts';
import { ServiceError } from './service-error.ts';

/**
 * One attempt from claim to end: the job is completed, failed or given back, whatever happens. Errors are
 * translated and logged here and nowhere else.
 *
 * @param signal its reason tells the two ways of being interrupted: `ClaimLost` and `ServiceStopping`
 */
export async function attemptJob(claim: Claim, deps: RunJobDeps, signal: AbortSignal): Promise<void> {
  const { store, limits, signals } = deps;
  const wall = new AbortController();
  const wallTimer = setTimeout(() => wall.abort(wallClockError(limits.wallClockMs)), limits.wallClockMs);
  try {
    if (claim.attempt > limits.attempts) throw attemptsExhausted(limits.attempts);
    const outcome = await runJob(claim, deps, AbortSignal.any([signal, wall.signal]));
    await store.finish(claim, outcome);
  } catch (error) {
    if (signal.aborted) await interrupted(claim, deps, signal.reason);
    else if (error instanceof SeatTaken) await store.release(claim, { uncounted: true });
    else if (!(error instanceof ClaimLost))
      await failed(claim, deps, wall.signal.aborted ? wall.signal.reason : error);
  } finally {
    clearTimeout(wallTimer);
    signals.changed(claim.job.id);
  }
}

async function interrupted(claim: Claim, deps: RunJobDeps, reason: unknown): Promise<void> {
  if (!(reason instanceof ServiceStopping)) return;
  await deps.store.release(claim, { uncounted: true });
}

async function failed(claim: Claim, deps: RunJobDeps, thrown: unknown): Promise<void> {
  const { store, limits, log } = deps;
  const fields = { job: claim.job.id, attempt: claim.attempt, error: thrown };
  const error = thrown instanceof ServiceError ? thrown : internalError(thrown);
  if (error.retryable && claim.attempt < limits.attempts) {
    const backOffMs = limits.firstRetryMs * 2 ** (claim.attempt - 1);
    const delayMs = Math.max(backOffMs, Math.min(error.retryAfterMs ?? 0, limits.longestRetryMs));
    log.warn('An attempt failed and is repeated later', fields);
    await store.addEvent(
      claim,
      'warning',
      deps.redact(`${error.message} It is tried again in ${durationInWords(delayMs)}.`),
    );
    await store.release(claim, { delayMs });
    return;
  }
  if (error.code === 'internal') log.error('A job failed for an unknown reason', fields);
  else log.warn('A job failed', fields);
  const told = error.toJobError();
  await store.finish(claim, { status: 'failed', error: { ...told, message: deps.redact(told.message) } });
}

function internalError(cause: unknown): ServiceError {
  return new ServiceError(
    'internal',
    'Something went wrong inside the service. Its log says more. Nothing of your checkout was touched.',
    { cause },
  );
}

function attemptsExhausted(attempts: number): ServiceError {
  return new ServiceError(
    'attempts_exhausted',
    `The service ended ${attempts} times while it worked on this job, so it is not tried again. Ask for less at a time.`,
  );
}

function wallClockError(ms: number): ServiceError {
  return new ServiceError(
    'time_limit',
    `The job took longer than ${durationInWords(ms)}, so it was stopped. Ask for less at a time, for example one folder.`,
  );
}
