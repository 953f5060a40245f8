import { Octokit } from '@octokit/core';
import type { Project } from '../../../contract/project.ts';
import { hostPlace } from '../../../service/host-place.ts';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { CodeHost, HostedRepository } from '../../../service/ports/code-host.ts';
import type { Repository } from '../../../service/ports/workspaces.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { type HostOptions, openPlace } from '../host-options.ts';
import { GitHubRepository } from './github-repository.ts';
import { type Request, requestWith } from './github-request.ts';

/** GitHub.com, its data-residency sites and GitHub Enterprise Server, by their REST interface. */
export class GitHubCodeHost implements CodeHost {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  async connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined> {
    const { fetch, redactor, version } = this.#options;
    const place = hostPlace(repository.remoteUrl, this.#options.hosts);
    if (place?.kind !== 'github') return undefined;
    const [owner = '', name = '', ...rest] = place.path;
    if (![owner, name].every(isRepositoryWord) || rest.length > 0) {
      throw new ServiceError(
        'repository_unavailable',
        `The remote at ${place.host} does not name a repository as owner/name. Check it with "git remote -v".`,
      );
    }
    const opened = await openPlace(this.#options, 'github', project, repository, signal);
    if (!opened) return undefined;
    const { credential } = opened;
    const octokit = new Octokit({
      auth: credential.secret,
      baseUrl: place.apiUrl,
      userAgent: `docs-agent/${version}`,
      request: { fetch: boundedFetch(fetch) },
      // Its lines would hold URLs and deprecations for nobody to read.
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
    const speaker = { name: hostSignIn.github.name, source: credential.source, redactor };
    const request: Request = requestWith(octokit, speaker);
    const webUrl = `${place.webUrl}/${owner}/${name}`;
    return GitHubRepository.open(request, { owner, name, webUrl }, repository.baseBranch, signal);
  }
}

function isRepositoryWord(word: string): boolean {
  return /^[A-Za-z0-9._-]{1,100}$/.test(word);
}
