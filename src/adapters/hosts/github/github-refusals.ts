import { ServiceError } from '../../../service/service-error.ts';
import type { HostRefusal } from '../refusals.ts';

/** Why GitHub did not open a pull request, in our words. */
export function createRefused(error: HostRefusal, branch: string, baseBranch: string): ServiceError {
  const options = { cause: error };
  if (error.status === 403 || error.status === 404) return refused(error, 'the repository');
  if (error.says(/no commits between/i)) {
    const text = `${branch} has nothing that ${baseBranch} does not have, so there is nothing to propose.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  if (error.says(/field.*base|base.*invalid|invalid.*base/i)) {
    return new ServiceError(
      'base_branch_missing',
      `The branch ${baseBranch} does not exist at GitHub.`,
      options,
    );
  }
  const text = `GitHub did not open the pull request: ${error.words}.`;
  return new ServiceError('pull_request_failed', text, options);
}

/** Every other refusal. */
export function refused(error: HostRefusal, name: string): ServiceError {
  const options = { cause: error };
  if (error.status === 404) {
    const text = `${name} was not found at GitHub, or your account may not see it. Check the remote and the sign-in.`;
    return new ServiceError('repository_unavailable', text, options);
  }
  if (error.status === 403 && error.says(/archived/i)) {
    return new ServiceError('permission_denied', `${name} is archived at GitHub.`, options);
  }
  if (error.status === 403) {
    const reason = error.reasons[0]?.replace(/[.\s]+$/, '') ?? 'no reason given';
    const text = `GitHub does not allow this in ${name}: ${reason}. The sign-in needs write access to contents and pull requests.`;
    return new ServiceError('permission_denied', text, options);
  }
  return new ServiceError('pull_request_failed', `GitHub refused: ${error.words}.`, options);
}
