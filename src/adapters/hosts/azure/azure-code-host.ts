import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credential } from '../../../service/ports/credentials.ts';
import { type OpenPlace, RemoteCodeHost } from '../remote-code-host.ts';
import { basicAuthorization, type RestCall, restCaller } from '../rest.ts';
import { type AzurePlace, azurePlace } from './azure-place.ts';
import { AzureRepository } from './azure-repository.ts';
import { toldSignIn } from './azure-sign-in.ts';

const remoteForm = { kind: 'azure', form: 'organization/project/_git/name', read: azurePlace } as const;

/**
 * Azure DevOps Services and Server, by their REST interface. Microsoft's own client opens its connections itself:
 * it takes neither a fetch nor a signal, so the proxy and certificate settings of the process, a cancelled job
 * and the time limit of a request would all end before it.
 */
export class AzureCodeHost extends RemoteCodeHost<AzurePlace> {
  protected readonly form = remoteForm;

  protected open(
    place: OpenPlace<AzurePlace>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository> {
    const { found } = place;
    // The form in which a header may come back, which nobody else makes: the name before the token is empty.
    this.options.redactor.register(place.credential.secret, '');
    const calls = {
      git: this.#caller(found.apiUrl, place.credential),
      identities: this.#caller(found.identityUrl, place.credential),
    };
    return AzureRepository.open(calls, found, baseBranch, signal);
  }

  #caller(apiUrl: string, credential: Credential): RestCall {
    const { fetch, redactor, version } = this.options;
    const { source } = credential;
    const call = restCaller({
      name: hostSignIn.azure.name,
      source,
      apiUrl,
      authorization: authorizationOf(credential),
      fetch,
      redactor,
      version,
      // Without it a sign-in that is not accepted is answered with a redirect to a page for people.
      headers: { 'x-tfs-fedauthredirect': 'Suppress' },
    });
    return toldSignIn(call, source);
  }
}

/** Tokens of Microsoft Entra and of a pipeline's job are signed texts and bearers; personal ones go with no name. */
function authorizationOf({ secret }: Credential): string {
  const signed = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(secret);
  return signed ? `Bearer ${secret}` : basicAuthorization('', secret);
}
