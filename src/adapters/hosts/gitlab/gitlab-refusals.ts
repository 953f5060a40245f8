import { ServiceError } from '../../../service/service-error.ts';
import type { HostRefusal } from '../refusals.ts';

/** GitLab's refusals of any request, in our words. */
export function refused(error: HostRefusal, name: string): ServiceError {
  const options = { cause: error };
  if (error.says(/insufficient_scope/)) {
    const text =
      'The GitLab token may not do this: it needs the scope "api". Make a new one with it and try again.';
    return new ServiceError('permission_denied', text, options);
  }
  if (error.status === 404) {
    const text = `${name} was not found at GitLab, or your account may not see it. Check the remote and the sign-in.`;
    return new ServiceError('repository_unavailable', text, options);
  }
  if (error.says(/archived/i)) {
    return new ServiceError('permission_denied', `${name} is archived at GitLab.`, options);
  }
  if (error.status === 403) {
    const text = `GitLab does not allow this in ${name}: ${error.words}. The account needs the role Developer there.`;
    return new ServiceError('permission_denied', text, options);
  }
  return new ServiceError('pull_request_failed', `GitLab refused: ${error.words}.`, options);
}

/** Why GitLab did not open a merge request. */
export function createRefused(
  error: HostRefusal,
  name: string,
  branch: string,
  baseBranch: string,
): ServiceError {
  const options = { cause: error };
  if (error.says(/target.?branch.*(?:does not exist|missing|blank)/i)) {
    const text = `The branch ${baseBranch} does not exist in ${name} at GitLab.`;
    return new ServiceError('base_branch_missing', text, options);
  }
  if (error.says(/source.?branch.*(?:does not exist|missing)/i)) {
    const text = `GitLab does not see the branch ${branch} in ${name}.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  if (error.status === 400 || error.status === 409 || error.status === 422) {
    const text = `GitLab did not open the merge request: ${error.words}.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  return refused(error, name);
}
