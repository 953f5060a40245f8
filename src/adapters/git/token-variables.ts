import type { ServiceConfig } from '../../service/config.ts';
import { type HostKind, hostKindOf } from '../../service/host-kinds.ts';
import { configuredHost } from '../../service/host-place.ts';
import { userBeside } from '../../service/host-sign-in.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An environment variable that holds a server's token. */
interface TokenVariable {
  readonly name: string;
  readonly kind: HostKind;
  /** Names of variables that say which server it is for, by name or address. The first that is set counts. */
  readonly servers: readonly string[];
  /** The server when none of them is set; absent: the token is then for nobody. */
  readonly otherwise?: string;
  /** The variable of the user name that belongs to it. */
  readonly user?: string;
}

/**
 * The rules of the hosts' own tools and build systems (`gh`, `glab`, `tea`, Actions, Pipelines): each token is for
 * one server. Gitea and Forgejo have no site that everybody means, so their server has to be named.
 */
const variables: readonly TokenVariable[] = [
  { name: 'GITHUB_TOKEN', kind: 'github', servers: ['GITHUB_SERVER_URL'], otherwise: 'github.com' },
  { name: 'GH_TOKEN', kind: 'github', servers: [], otherwise: 'github.com' },
  { name: 'GH_ENTERPRISE_TOKEN', kind: 'github', servers: ['GH_HOST'] },
  { name: 'GITHUB_ENTERPRISE_TOKEN', kind: 'github', servers: ['GH_HOST'] },
  ...['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN'].map((name) => ({
    name,
    kind: 'gitlab' as const,
    servers: ['GITLAB_HOST', 'GL_HOST', 'CI_SERVER_URL'],
    otherwise: 'gitlab.com',
  })),
  { name: 'FORGEJO_TOKEN', kind: 'gitea', servers: ['FORGEJO_SERVER_URL', 'FORGEJO_URL', 'FORGEJO_HOST'] },
  { name: 'GITEA_TOKEN', kind: 'gitea', servers: ['GITEA_SERVER_URL', 'GITEA_URL', 'GITEA_HOST'] },
  ...['BITBUCKET_TOKEN', 'BITBUCKET_ACCESS_TOKEN'].map((name) => ({
    name,
    kind: 'bitbucket' as const,
    servers: ['BITBUCKET_SERVER_URL', 'BITBUCKET_URL', 'BITBUCKET_HOST'],
    otherwise: 'bitbucket.org',
    user: 'BITBUCKET_USERNAME',
  })),
  {
    name: 'AZURE_DEVOPS_EXT_PAT',
    kind: 'azure',
    servers: ['AZURE_DEVOPS_ORG_URL'],
    otherwise: 'dev.azure.com',
  },
  {
    name: 'SYSTEM_ACCESSTOKEN',
    kind: 'azure',
    servers: ['SYSTEM_COLLECTIONURI', 'SYSTEM_TEAMFOUNDATIONCOLLECTIONURI'],
  },
];

export interface FoundToken {
  readonly username: string;
  readonly secret: string;
  /** The variable's name. */
  readonly source: string;
}

/** The token that the environment holds for exactly this host; the first variable that is set counts. */
export function tokenFor(host: string, env: Environment): FoundToken | undefined {
  for (const variable of variables) {
    const secret = env[variable.name]?.trim();
    if (!secret || !belongsTo(host, variable, env)) continue;
    const { name, kind, user } = variable;
    const known = user === undefined ? undefined : env[user]?.trim();
    return { username: known || userBeside(secret, kind), secret, source: name };
  }
  return undefined;
}

/** User name for git beside a token that came alone. */
export function tokenUser(host: string, secret: string, hosts: ServiceConfig['hosts']): string {
  const kind = configuredHost(host, hosts)?.kind ?? hostKindOf(host, hosts);
  return userBeside(secret, kind ?? 'github');
}

function belongsTo(host: string, { servers, otherwise, kind }: TokenVariable, env: Environment): boolean {
  const named = servers.map((name) => env[name]?.trim()).find((value) => value);
  const server = named === undefined ? otherwise : serverName(named);
  if (server === undefined) return false;
  // The same organisations, by their older addresses.
  if (kind === 'azure' && isAzureCloud(server)) return isAzureCloud(host);
  return server === host;
}

function isAzureCloud(host: string): boolean {
  return host === 'dev.azure.com' || host.endsWith('.visualstudio.com');
}

/** Tools take a name or an address here; a name comes back in the form of `URL.host`. */
function serverName(text: string): string | undefined {
  const address = text.includes('://') ? text : `https://${text}`;
  return URL.canParse(address) ? new URL(address).host : undefined;
}
