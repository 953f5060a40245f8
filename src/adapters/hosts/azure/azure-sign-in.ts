import { hostSignIn } from '../../../service/host-sign-in.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { HostRefusal } from '../refusals.ts';
import type { RestCall } from '../rest.ts';

/**
 * Azure DevOps answers a token that it does not know with its sign-in page: as a success (203), or as a redirect
 * to it. A redirect for good means what it means everywhere.
 */
export function toldSignIn(call: RestCall, source: string): RestCall {
  const refused = (cause?: unknown): ServiceError =>
    new ServiceError(
      'authentication_failed',
      `${hostSignIn.azure.name} does not accept the sign-in (${source}). It may have expired or belong to another organization: renew it and try again.`,
      { cause },
    );
  return async (request, signal) => {
    let answer;
    try {
      answer = await call(request, signal);
    } catch (error) {
      const cause: unknown = error instanceof ServiceError ? error.cause : undefined;
      const redirected = cause instanceof HostRefusal && [302, 303, 307].includes(cause.status);
      throw redirected ? refused(error) : error;
    }
    if (answer.status === 203) throw refused();
    return answer;
  };
}
