import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credential } from '../../../service/ports/credentials.ts';
import { type OpenPlace, RemoteCodeHost } from '../remote-code-host.ts';
import { basicAuthorization, commonReasons, restCaller } from '../rest.ts';
import { type ServerPlace, serverPlace } from './bitbucket-server-place.ts';
import { BitbucketServerRepository } from './bitbucket-server-repository.ts';

const remoteForm = { kind: 'bitbucket-server', form: 'project/name', read: serverPlace } as const;

/** Bitbucket Data Center, by its REST interface 1.0, which all versions have; there is no kept client for it. */
export class BitbucketServerHost extends RemoteCodeHost<ServerPlace> {
  protected readonly form = remoteForm;

  protected open(
    place: OpenPlace<ServerPlace>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository> {
    const { found } = place;
    const { fetch, redactor, version } = this.options;
    const call = restCaller({
      name: hostSignIn['bitbucket-server'].name,
      source: place.credential.source,
      apiUrl: found.apiUrl,
      authorization: authorizationOf(place.credential),
      fetch,
      redactor,
      version,
      reasons,
    });
    return BitbucketServerRepository.open(call, found, baseBranch, signal);
  }
}

/** An HTTP access token stands for itself, whatever name it was stored under; anything else is a password. */
function authorizationOf({ username, secret }: Credential): string {
  const token = username === hostSignIn['bitbucket-server'].tokenUser || secret.startsWith('BBDC-');
  return token ? `Bearer ${secret}` : basicAuthorization(username, secret);
}

/** `{errors: [{message, exceptionName}]}`. The name says the same in every language of the server. */
function reasons(body: unknown): readonly string[] {
  const { errors } = (typeof body === 'object' && body !== null ? body : {}) as { errors?: unknown };
  const names = (Array.isArray(errors) ? errors : []).flatMap((error: unknown) => {
    const { exceptionName } = (error ?? {}) as { exceptionName?: unknown };
    return typeof exceptionName === 'string' ? (exceptionName.split('.').at(-1) ?? '') : [];
  });
  return [...commonReasons(body), ...names];
}
