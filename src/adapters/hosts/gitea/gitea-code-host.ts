import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credential } from '../../../service/ports/credentials.ts';
import { type OpenPlace, RemoteCodeHost, type RemoteForm } from '../remote-code-host.ts';
import { type Site, siteInFolder } from '../own-site.ts';
import { basicAuthorization, restCaller } from '../rest.ts';
import type { GiteaPlace } from './gitea-place.ts';
import { GiteaRepository } from './gitea-repository.ts';

const remoteForm: RemoteForm<GiteaPlace & Site> = {
  kind: 'gitea',
  form: 'owner/name',
  read: (place) => {
    const [owner, name] = place.path.slice(-2);
    if (owner === undefined || name === undefined) return undefined;
    // Http knows the folder that the site lives in, ssh does not.
    return { owner, name, ...siteInFolder(place, place.path.slice(0, -2)) };
  },
};

/**
 * Gitea and Forgejo, by the REST interface that they share. The client that is made from its description holds
 * some 500 operations in one object that a bundler cannot take apart; the dozen that are needed here are spoken
 * plainly, with the bounds of every other host.
 */
export class GiteaCodeHost extends RemoteCodeHost<GiteaPlace & Site> {
  protected readonly form = remoteForm;

  protected open(
    place: OpenPlace<GiteaPlace & Site>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository> {
    const { fetch, redactor, version } = this.options;
    const call = restCaller({
      name: hostSignIn.gitea.name,
      source: place.credential.source,
      apiUrl: place.found.apiUrl,
      authorization: authorizationOf(place.credential),
      fetch,
      redactor,
      version,
    });
    return GiteaRepository.open(call, place.found, baseBranch, signal);
  }
}

/** Access tokens are 40 hexadecimal digits or OAuth's signed texts; anything else is an account's password. */
function authorizationOf({ username, secret }: Credential): string {
  const token =
    username === hostSignIn.gitea.tokenUser || /^(?:[0-9a-f]{40}|[\w-]+\.[\w-]+\.[\w-]+)$/.test(secret);
  return token ? `token ${secret}` : basicAuthorization(username, secret);
}
