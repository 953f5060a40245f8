import type { JobErrorCode } from '../contract/errors.ts';
import { localServiceId, type JobEntry } from './job-entry.ts';

/** Failures that another agent, another model or another key may not have. */
const helps: ReadonlySet<string> = new Set<JobErrorCode>([
  'prompt_not_understood',
  'agent_unavailable',
  'agent_failed',
  'model_authentication_failed',
  'model_not_found',
  'model_no_credit',
  'model_overloaded',
  'model_refused',
  'context_too_large',
  'usage_limit',
]);

/** Why a prompt was not sent at all: codes of `agent-readiness.ts` and `editor-models.ts`. */
const notSent: ReadonlySet<string> = new Set(['agent_not_ready', 'agent_invalid', 'editor_model_refused']);

/** True for a job at the local service that failed and that another agent may do, so that it is worth offering. */
export function mayChooseAgent({ service, job, problem }: JobEntry): boolean {
  if (service !== localServiceId) return false;
  if (job === undefined) return problem !== undefined && notSent.has(problem.code);
  return job.status === 'failed' && job.error !== undefined && helps.has(job.error.code);
}
