import type { Project } from '../../../contract/project.ts';
import { hostPlace } from '../../../service/host-place.ts';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { CodeHost, HostedRepository } from '../../../service/ports/code-host.ts';
import type { Repository } from '../../../service/ports/workspaces.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { type HostOptions, openPlace } from '../host-options.ts';
import { restCaller } from '../rest.ts';
import { GitLabRepository } from './gitlab-repository.ts';

/** GitLab.com and GitLab servers, by their REST interface. */
export class GitLabCodeHost implements CodeHost {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  async connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined> {
    const place = hostPlace(repository.remoteUrl, this.#options.hosts);
    if (place?.kind !== 'gitlab') return undefined;
    if (place.path.length < 2) {
      throw new ServiceError(
        'repository_unavailable',
        `The remote at ${place.host} does not name a project as group/name. Check it with "git remote -v".`,
      );
    }
    const opened = await openPlace(this.#options, 'gitlab', project, repository, signal);
    if (opened === undefined) return undefined;
    const { fetch, redactor, version } = this.#options;
    const call = restCaller({
      name: hostSignIn.gitlab.name,
      source: opened.credential.source,
      redactor,
      fetch,
      version,
      apiUrl: opened.apiUrl,
      // Takes personal, project and group tokens as well as those of OAuth.
      authorization: `Bearer ${opened.credential.secret}`,
    });
    const path = opened.path.join('/');
    return GitLabRepository.open(call, { path, webUrl: opened.webUrl }, repository.baseBranch, signal);
  }
}
