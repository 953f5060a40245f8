import { jobErrorCodes, type JobErrorCode } from '../contract/errors.ts';
import type { Translate } from './translate.ts';

/**
 * Why a job failed, in the room of a narrow row: sixteen characters at most in English. Undefined for codes
 * that say no more than that it failed, and for those that this version does not know.
 */
export function failureWords(code: string | undefined, t: Translate): string | undefined {
  const known = jobErrorCodes.find((each) => each === code);
  return known && wordsOf(known, t);
}

function wordsOf(code: JobErrorCode, t: Translate): string | undefined {
  switch (code) {
    case 'prompt_not_understood':
      return t('Not understood');
    case 'repository_unavailable':
      return t('No repository');
    case 'repository_empty':
      return t('Empty repository');
    case 'base_branch_missing':
      return t('No base branch');
    case 'authentication_failed':
      return t('Sign-in failed');
    case 'permission_denied':
      return t('Not permitted');
    case 'push_rejected':
      return t('Push refused');
    case 'protected_path':
      return t('Protected file');
    case 'change_too_large':
      return t('Change too large');
    case 'time_limit':
      return t('Took too long');
    case 'agent_failed':
      return t('Agent failed');
    case 'agent_unavailable':
      return t('Agent not ready');
    case 'model_authentication_failed':
      return t('Key refused');
    case 'model_not_found':
      return t('No such model');
    case 'model_no_credit':
      return t('No credit left');
    case 'model_overloaded':
      return t('Model too busy');
    case 'model_refused':
      return t('Model refused');
    case 'context_too_large':
      return t('Too much to read');
    case 'usage_limit':
      return t('Limit reached');
    case 'git_missing':
      return t('Git is missing');
    case 'pull_request_failed':
      return t('No pull request');
    case 'network':
      return t('No connection');
    case 'attempts_exhausted':
      return t('Service stopped');
    case 'cancelled':
    case 'internal':
      return undefined;
  }
}
