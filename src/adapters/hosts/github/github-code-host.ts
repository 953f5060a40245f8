import { Octokit } from '@octokit/core';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { HostedRepository } from '../../../service/ports/code-host.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { type OpenPlace, RemoteCodeHost, type RemoteForm } from '../remote-code-host.ts';
import { type GitHubPlace, GitHubRepository } from './github-repository.ts';
import { type Request, requestWith } from './github-request.ts';

const remoteForm: RemoteForm<GitHubPlace> = {
  kind: 'github',
  form: 'owner/name',
  read: ({ path, webUrl }) => {
    const [owner = '', name = '', ...rest] = path;
    if (![owner, name].every(isRepositoryWord) || rest.length > 0) return undefined;
    return { owner, name, webUrl: `${webUrl}/${owner}/${name}` };
  },
};

/** GitHub.com, its data-residency sites and GitHub Enterprise Server, by their REST interface. */
export class GitHubCodeHost extends RemoteCodeHost<GitHubPlace> {
  protected readonly form = remoteForm;

  protected open(
    place: OpenPlace<GitHubPlace>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository> {
    const { fetch, redactor, version } = this.options;
    const { credential } = place;
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
    return GitHubRepository.open(request, place.found, baseBranch, signal);
  }
}

function isRepositoryWord(word: string): boolean {
  return /^[A-Za-z0-9._-]{1,100}$/.test(word);
}
