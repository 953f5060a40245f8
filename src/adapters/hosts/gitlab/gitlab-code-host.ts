import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { HostedRepository } from '../../../service/ports/code-host.ts';
import { type OpenPlace, RemoteCodeHost, type RemoteForm } from '../remote-code-host.ts';
import { restCaller } from '../rest.ts';
import { type GitLabPlace, GitLabRepository } from './gitlab-repository.ts';

const remoteForm: RemoteForm<GitLabPlace> = {
  kind: 'gitlab',
  form: 'group/name',
  read: ({ path, webUrl }) => (path.length < 2 ? undefined : { path: path.join('/'), webUrl }),
};

/** GitLab.com and GitLab servers, by their REST interface. */
export class GitLabCodeHost extends RemoteCodeHost<GitLabPlace> {
  protected readonly form = remoteForm;

  protected open(
    place: OpenPlace<GitLabPlace>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository> {
    const { fetch, redactor, version } = this.options;
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
    return GitLabRepository.open(call, place.found, baseBranch, signal);
  }
}
