import { Octokit } from '@octokit/core';
import type { Project } from '../../../contract/project.ts';
import type { ServiceConfig } from '../../../service/config.ts';
import type { CodeHost, HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credentials } from '../../../service/ports/credentials.ts';
import type { Repository } from '../../../service/ports/workspaces.ts';
import type { Redactor } from '../../../service/redaction.ts';
import { isLoopback, ownerAndName, parseRemoteUrl, type RemoteUrl } from '../../../service/remote-url.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { GitHubRepository } from './github-repository.ts';
import { type Request, requestWith } from './github-request.ts';

export interface GitHubCodeHostOptions {
  readonly credentials: Credentials;
  /** Hosts of the service's configuration; those of kind `github` are GitHub Enterprise servers. */
  readonly hosts: ServiceConfig['hosts'];
  /** undici's, with the proxy and certificate settings of the process. */
  readonly fetch: typeof fetch;
  readonly redactor: Redactor;
  /** Sent as user agent, as GitHub wants it. */
  readonly version: string;
}

interface Place {
  readonly owner: string;
  readonly name: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  /** Where the credential belongs to, also when git itself talks ssh. */
  readonly credentialUrl: string;
}

/** GitHub.com and GitHub Enterprise, by their REST interface. */
export class GitHubCodeHost implements CodeHost {
  readonly #options: GitHubCodeHostOptions;

  constructor(options: GitHubCodeHostOptions) {
    this.#options = options;
  }

  async connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined> {
    const place = this.#place(repository.remoteUrl);
    if (!place) return undefined;
    const credential = await this.#options.credentials.find(place.credentialUrl, project.id, signal);
    if (!credential) {
      throw new ServiceError(
        'authentication_failed',
        `There is no sign-in for ${new URL(place.webUrl).host}. Sign in to GitHub in the editor, or set GITHUB_TOKEN for the service.`,
      );
    }
    const octokit = new Octokit({
      auth: credential.secret,
      baseUrl: place.apiUrl,
      userAgent: `docs-agent/${this.#options.version}`,
      request: { fetch: this.#options.fetch },
      // Its lines would hold URLs and deprecations for nobody to read.
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
    const request: Request = requestWith(octokit, this.#options.redactor, credential.source);
    return GitHubRepository.open(request, place, repository.baseBranch, signal);
  }

  #place(remoteUrl: string | undefined): Place | undefined {
    const remote = remoteUrl === undefined ? undefined : parseRemoteUrl(remoteUrl);
    if (!remote || remote.kind === 'file') return undefined;
    const host = remote.host === 'ssh.github.com' ? 'github.com' : remote.host;
    if (host !== 'github.com' && this.#options.hosts[host]?.kind !== 'github') return undefined;
    const names = ownerAndName(remote);
    if (!names) {
      throw new ServiceError(
        'repository_unavailable',
        `The remote at ${host} does not name a repository as owner/name. Check it with "git remote -v".`,
      );
    }
    const origin = webOrigin(remote, host);
    const webUrl = `${origin}/${names.owner}/${names.name}`;
    const credentialUrl = remote.kind === 'http' ? remote.url : `${webUrl}.git`;
    return { ...names, webUrl, credentialUrl, apiUrl: apiUrl(origin, host) };
  }
}

/** Https, except for a server on this machine: a token goes nowhere else in the clear. */
function webOrigin(remote: RemoteUrl, host: string): string {
  if (remote.kind !== 'http') return `https://${host}`;
  const { protocol, hostname } = new URL(remote.origin);
  return protocol === 'http:' && isLoopback(hostname) ? remote.origin : `https://${host}`;
}

/** GitHub.com and its data-residency sites have a host for it, Enterprise Server has a path. */
function apiUrl(origin: string, host: string): string {
  if (host === 'github.com' || host.endsWith('.ghe.com')) return `https://api.${host}`;
  return `${origin}/api/v3`;
}
