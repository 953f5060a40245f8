/**
 * Codes of the error that a failed job carries. A test compares them with the sentences that the
 * service has for them.
 */
export const jobErrorCodes = [
  'cancelled',
  'prompt_not_understood',
  'repository_unavailable',
  'repository_empty',
  'base_branch_missing',
  'authentication_failed',
  'permission_denied',
  'push_rejected',
  'protected_path',
  'change_too_large',
  'time_limit',
  'agent_failed',
  'agent_unavailable',
  'model_authentication_failed',
  'model_not_found',
  'model_no_credit',
  'model_overloaded',
  'model_refused',
  'context_too_large',
  'usage_limit',
  'git_missing',
  'pull_request_failed',
  'network',
  'attempts_exhausted',
  'internal',
] as const;
export type JobErrorCode = (typeof jobErrorCodes)[number];

/** Codes in the error body of a refused request at our service. */
export const requestErrorCodes = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'stopping',
  'internal',
] as const;
export type RequestErrorCode = (typeof requestErrorCodes)[number];
