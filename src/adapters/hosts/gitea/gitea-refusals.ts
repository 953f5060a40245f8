import { ServiceError } from '../../../service/service-error.ts';
import type { HostRefusal } from '../refusals.ts';

/** What Gitea refuses of any request, for the repository of this name. */
export function refused(error: HostRefusal, name: string): ServiceError {
  const options = { cause: error };
  if (error.status === 404) {
    const text = `${name} was not found at Gitea, or your account may not see it. Check the remote and the sign-in.`;
    return new ServiceError('repository_unavailable', text, options);
  }
  if (error.status === 423) {
    const text = `${name} is archived at Gitea, so nothing can be changed in it.`;
    return new ServiceError('permission_denied', text, options);
  }
  if (error.status === 403) {
    const text = `Gitea does not allow this in ${name}: ${error.words}. The token needs write access to repositories and issues.`;
    return new ServiceError('permission_denied', text, options);
  }
  return new ServiceError('pull_request_failed', `Gitea refused: ${error.words}.`, options);
}

export function createRefused(
  error: HostRefusal,
  name: string,
  branch: string,
  baseBranch: string,
): ServiceError {
  if (error.status === 403 || error.status === 423) return refused(error, name);
  const options = { cause: error };
  if (error.status === 404) {
    // Gitea does not say which.
    const text = `Gitea did not open the pull request: ${branch} or ${baseBranch} does not exist in ${name}.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  if (error.says(/no changes between/i)) {
    const text = `${branch} has nothing that ${baseBranch} does not have, so there is nothing to propose.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  const text = `Gitea did not open the pull request: ${error.words}.`;
  return new ServiceError('pull_request_failed', text, options);
}
