import { ServiceError } from '../../../service/service-error.ts';
import type { HostRefusal } from '../refusals.ts';

/** What Azure DevOps refuses of any request, for the repository of this name. */
export function refused(error: HostRefusal, name: string): ServiceError {
  const options = { cause: error };
  // TF401019: no such repository; TF200016: no such project. Both also for somebody who may not see it.
  if (error.status === 404 || error.says(/TF401019|TF200016/)) {
    const text = `${name} was not found at Azure DevOps, or your account may not see it. Check the remote and the sign-in.`;
    return new ServiceError('repository_unavailable', text, options);
  }
  if (error.status === 403 || error.says(/TF401027/)) {
    const text = `Azure DevOps does not allow this in ${name}: ${error.words}. The token needs "Code (read & write)", the account needs "Contribute" and "Contribute to pull requests".`;
    return new ServiceError('permission_denied', text, options);
  }
  return new ServiceError('pull_request_failed', `Azure DevOps refused: ${error.words}.`, options);
}

export function createRefused(
  error: HostRefusal,
  name: string,
  { branch, baseBranch }: { readonly branch: string; readonly baseBranch: string },
): ServiceError {
  const options = { cause: error };
  if (error.says(/TF401398/)) {
    // It does not say which.
    const text = `Azure DevOps did not open the pull request: ${branch} or ${baseBranch} does not exist in ${name}.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  if (error.status === 403 || error.status === 404 || error.says(/TF401027/)) return refused(error, name);
  const text = `Azure DevOps did not open the pull request: ${error.words}.`;
  return new ServiceError('pull_request_failed', text, options);
}
