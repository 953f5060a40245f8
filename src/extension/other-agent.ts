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

/** True for a failed job of the local service that another agent may do, so that it is worth offering. */
export function mayChooseAgent({ service, job }: JobEntry): boolean {
  const code = job?.status === 'failed' ? job.error?.code : undefined;
  return service === localServiceId && code !== undefined && helps.has(code);
}
