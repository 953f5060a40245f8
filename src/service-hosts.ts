import type { HostOptions } from './adapters/hosts/host-options.ts';
import type { HostKind } from './service/host-kinds.ts';
import { hostPlace } from './service/host-place.ts';
import { lateHost } from './service/late.ts';
import type { CodeHost } from './service/ports/code-host.ts';

type MakeHost = (options: HostOptions) => Promise<CodeHost>;

/** Every kind of code host that the service speaks to, each loaded with the first repository of its kind. */
const makers: Readonly<Record<HostKind, MakeHost>> = {
  github: async (options) =>
    new (await import('./adapters/hosts/github/github-code-host.ts')).GitHubCodeHost(options),
  gitlab: async (options) =>
    new (await import('./adapters/hosts/gitlab/gitlab-code-host.ts')).GitLabCodeHost(options),
  gitea: async (options) =>
    new (await import('./adapters/hosts/gitea/gitea-code-host.ts')).GiteaCodeHost(options),
  bitbucket: async (options) =>
    new (await import('./adapters/hosts/bitbucket/bitbucket-cloud-host.ts')).BitbucketCloudHost(options),
  'bitbucket-server': async (options) =>
    new (await import('./adapters/hosts/bitbucket/bitbucket-server-host.ts')).BitbucketServerHost(options),
  azure: async (options) =>
    new (await import('./adapters/hosts/azure/azure-code-host.ts')).AzureCodeHost(options),
};

/** The part of door 2 that names the code hosts. The local one, which takes every repository, comes after them. */
export function codeHosts(options: HostOptions): CodeHost[] {
  return Object.entries(makers).map(([kind, make]) =>
    lateHost(
      () => make(options),
      ({ remoteUrl }) => hostPlace(remoteUrl, options.hosts)?.kind === kind,
    ),
  );
}
