/** The code hosts that the service speaks to. `bitbucket` is the cloud, `bitbucket-server` the Data Center. */
export const hostKinds = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucket-server', 'azure'] as const;
export type HostKind = (typeof hostKinds)[number];

/** Their own sites. */
const sites: Readonly<Record<string, HostKind>> = {
  'github.com': 'github',
  'ssh.github.com': 'github',
  'gitlab.com': 'gitlab',
  'altssh.gitlab.com': 'gitlab',
  'gitea.com': 'gitea',
  'codeberg.org': 'gitea',
  'bitbucket.org': 'bitbucket',
  'altssh.bitbucket.org': 'bitbucket',
  'dev.azure.com': 'azure',
  'ssh.dev.azure.com': 'azure',
  'vs-ssh.visualstudio.com': 'azure',
};

/** What companies call their own servers: `gitlab.example.com`. */
const firstLabels: Readonly<Record<string, HostKind>> = {
  github: 'github',
  gitlab: 'gitlab',
  gitea: 'gitea',
  forgejo: 'gitea',
  bitbucket: 'bitbucket-server',
};

/**
 * Which kind of code host this is: as the configuration says, else as its name tells. Undefined for a name that
 * tells nothing.
 *
 * @param host name in lower case, with the port when it is not the scheme's own
 */
export function hostKindOf(
  host: string,
  configured: Readonly<Record<string, { readonly kind?: HostKind | undefined }>>,
): HostKind | undefined {
  const kind = configured[host]?.kind ?? sites[host];
  if (kind !== undefined) return kind;
  if (host.endsWith('.ghe.com')) return 'github';
  if (host.endsWith('.visualstudio.com')) return 'azure';
  // `github.com.example.org` is no server of a company's but a trap.
  if (Object.keys(sites).some((site) => host.startsWith(`${site}.`))) return undefined;
  return firstLabels[host.split('.')[0] ?? ''];
}
