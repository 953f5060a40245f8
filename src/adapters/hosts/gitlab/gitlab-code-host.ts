import type { Project } from '../../../contract/project.ts';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { CodeHost, HostedRepository } from '../../../service/ports/code-host.ts';
import type { Repository } from '../../../service/ports/workspaces.ts';
import { type HostOptions, openPlace, type RemoteForm } from '../host-options.ts';
import { restCaller } from '../rest.ts';
import { type GitLabPlace, GitLabRepository } from './gitlab-repository.ts';

const remoteForm: RemoteForm<GitLabPlace> = {
  kind: 'gitlab',
  form: 'group/name',
  read: ({ path, webUrl }) => (path.length < 2 ? undefined : { path: path.join('/'), webUrl }),
};

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
    const place = await openPlace(this.#options, remoteForm, project, repository, signal);
    if (place === undefined) return undefined;
    const { fetch, redactor, version } = this.#options;
    const call = restCaller({
      name: hostSignIn.gitlab.name,
      source: place.credential.source,
      redactor,
      fetch,
      version,
      apiUrl: place.apiUrl,
      // Takes personal, project and group tokens as well as those of OAuth.
      authorization: `Bearer ${place.credential.secret}`,
    });
    return GitLabRepository.open(call, place.found, repository.baseBranch, signal);
  }
}
