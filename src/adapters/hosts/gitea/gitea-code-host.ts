import type { Project } from '../../../contract/project.ts';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { CodeHost, HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credential } from '../../../service/ports/credentials.ts';
import type { Repository } from '../../../service/ports/workspaces.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { type HostOptions, openPlace } from '../host-options.ts';
import { siteInFolder } from '../own-site.ts';
import { basicAuthorization, restCaller } from '../rest.ts';
import { GiteaRepository } from './gitea-repository.ts';

/**
 * Gitea and Forgejo, by the REST interface that they share. The client that is made from its description holds
 * some 500 operations in one object that a bundler cannot take apart; the dozen that are needed here are spoken
 * plainly, with the bounds of every other host.
 */
export class GiteaCodeHost implements CodeHost {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  async connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined> {
    const place = await openPlace(this.#options, 'gitea', project, repository, signal);
    if (place === undefined) return undefined;
    const [owner, name] = place.path.slice(-2);
    // Http knows the folder that the site lives in, ssh does not.
    if (owner === undefined || name === undefined) {
      const text = `The remote at ${place.host} does not name a repository as owner/name. Check it with "git remote -v".`;
      throw new ServiceError('repository_unavailable', text);
    }
    const { webUrl, apiUrl } = siteInFolder(place, place.path.slice(0, -2));
    const { fetch, redactor, version } = this.#options;
    const call = restCaller({
      name: hostSignIn.gitea.name,
      source: place.credential.source,
      apiUrl,
      authorization: authorizationOf(place.credential),
      fetch,
      redactor,
      version,
    });
    return GiteaRepository.open(call, { owner, name, webUrl }, repository.baseBranch, signal);
  }
}

/** Access tokens are 40 hexadecimal digits or OAuth's signed texts; anything else is an account's password. */
function authorizationOf({ username, secret }: Credential): string {
  const token =
    username === hostSignIn.gitea.tokenUser || /^(?:[0-9a-f]{40}|[\w-]+\.[\w-]+\.[\w-]+)$/.test(secret);
  return token ? `token ${secret}` : basicAuthorization(username, secret);
}
