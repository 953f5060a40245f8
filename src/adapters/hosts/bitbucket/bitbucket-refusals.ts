import { ServiceError } from '../../../service/service-error.ts';
import type { HostRefusal } from '../refusals.ts';

/** The host's words without the names of its exceptions, which {@link HostRefusal.says} is asked for. */
function wordsOf(error: HostRefusal): string {
  const words = error.reasons.filter((reason) => !/^\w+Exception$/.test(reason)).join('; ');
  return words.replace(/[.\s]+$/, '') || `answer ${error.status}`;
}

/** What both Bitbuckets refuse of any request, for the repository of this name. */
export function refused(error: HostRefusal, name: string): ServiceError {
  const options = { cause: error };
  if (error.status === 404) {
    const text = `${name} was not found at Bitbucket, or your account may not see it. Check the remote and the sign-in.`;
    return new ServiceError('repository_unavailable', text, options);
  }
  if (error.says(/archived|read-only/i)) {
    const text = `${name} is archived at Bitbucket, so nothing can be changed in it.`;
    return new ServiceError('permission_denied', text, options);
  }
  if (error.says(/CaptchaRequired/)) {
    const text = 'Bitbucket wants a CAPTCHA solved after failed sign-ins. Sign in once in the browser.';
    return new ServiceError('authentication_failed', text, options);
  }
  if (error.status === 403 || error.says(/AuthorisationException/)) {
    const text = `Bitbucket does not allow this in ${name}: ${wordsOf(error)}. The sign-in needs write access to repositories and pull requests.`;
    return new ServiceError('permission_denied', text, options);
  }
  return new ServiceError('pull_request_failed', `Bitbucket refused: ${wordsOf(error)}.`, options);
}

/** The branches of a refused creation, for the sentence. */
export interface Branches {
  readonly branch: string;
  readonly baseBranch: string;
}

export function createRefused(
  error: HostRefusal,
  name: string,
  { branch, baseBranch }: Branches,
): ServiceError {
  const options = { cause: error };
  if (error.says(/no changes to be pulled|EmptyPullRequestException|already up-to-date/i)) {
    const text = `${branch} has nothing that ${baseBranch} does not have, so there is nothing to propose.`;
    return new ServiceError('pull_request_failed', text, options);
  }
  if (error.status === 403 || error.says(/archived|read-only|AuthorisationException/i)) {
    return refused(error, name);
  }
  const text = `Bitbucket did not open the pull request: ${wordsOf(error)}.`;
  return new ServiceError('pull_request_failed', text, options);
}

export function baseMissing(baseBranch: string, name: string): ServiceError {
  const text = `The branch ${baseBranch} does not exist in ${name}. Choose another one in the settings.`;
  return new ServiceError('base_branch_missing', text);
}

export function empty(name: string): ServiceError {
  return new ServiceError('repository_empty', `${name} has no commit yet. Push the docs to it first.`);
}
