import type { HostKind } from './host-kinds.ts';
import type { HostPlace } from './host-place.ts';
import type { Credential } from './ports/credentials.ts';

/** How one signs in to a kind of host: what git is told beside a token, and what people are told. */
interface HostSignIn {
  /** As people call it. */
  readonly name: string;
  /** User name for git beside a token that came without one. */
  readonly tokenUser: string;
  /** What the token has to be, for "Make … there". */
  readonly token: string;
  /** The service's variables for it, for "set … for the service". */
  readonly variables: (host: string, webUrl: string) => string;
}

/** The host's own site needs no second variable that names the server. */
const unless = (site: string, host: string, text: string): string => (host === site ? '' : text);

const bitbucket = {
  name: 'Bitbucket',
  tokenUser: 'x-token-auth',
  variables: (host: string, webUrl: string): string =>
    `BITBUCKET_TOKEN to it${unless('bitbucket.org', host, ` and BITBUCKET_SERVER_URL to ${webUrl}`)}`,
};

export const hostSignIn: Readonly<Record<HostKind, HostSignIn>> = {
  github: {
    name: 'GitHub',
    tokenUser: 'x-access-token',
    token: 'an access token that may write "Contents" and "Pull requests"',
    variables: (host) =>
      host === 'github.com' ? 'GITHUB_TOKEN to it' : `GH_ENTERPRISE_TOKEN to it and GH_HOST to ${host}`,
  },
  gitlab: {
    name: 'GitLab',
    // GitLab takes any user name beside a personal token, and exactly this one beside an OAuth token.
    tokenUser: 'oauth2',
    token: 'an access token with the scope "api"',
    variables: (host) => `GITLAB_TOKEN to it${unless('gitlab.com', host, ` and GITLAB_HOST to ${host}`)}`,
  },
  gitea: {
    name: 'Gitea',
    tokenUser: 'oauth2',
    token: 'an access token that may write "repository" and "issue"',
    variables: (_, webUrl) => `GITEA_TOKEN to it and GITEA_SERVER_URL to ${webUrl}`,
  },
  bitbucket: {
    ...bitbucket,
    token: 'an access token of the repository that may write repositories and pull requests',
  },
  'bitbucket-server': {
    ...bitbucket,
    token: 'an HTTP access token with "Repository write"',
  },
  azure: {
    name: 'Azure DevOps',
    // It takes any user name beside a personal access token.
    tokenUser: 'docs-agent',
    token: 'a personal access token with "Code (read & write)"',
    variables: (host, webUrl) => {
      const cloud = host === 'dev.azure.com' || host.endsWith('.visualstudio.com');
      return `AZURE_DEVOPS_EXT_PAT to it${cloud ? '' : ` and AZURE_DEVOPS_ORG_URL to ${webUrl}`}`;
    },
  },
};

/**
 * What to do where no sign-in was found: the ways that are looked at, in words that can be followed.
 *
 * @param place `credentialUrl` holds no secret: it is shown
 */
export function howToSignIn({
  kind,
  host,
  webUrl,
  credentialUrl,
}: Omit<HostPlace, 'path' | 'apiUrl'>): string {
  const { token, variables } = hostSignIn[kind];
  // A push asks for the password of public repositories too.
  const keep = `let git keep it (run "git push --dry-run ${credentialUrl}" in a terminal and give it as the password)`;
  const ways = `Make ${token} there. Then ${keep}, or set ${variables(host, webUrl)} for the service.`;
  return host === 'github.com' ? `Sign in to GitHub in the editor. Or without it: ${ways}` : ways;
}

/**
 * User name that git tells of a credential. Bitbucket's API tokens go with the account's e-mail address for its
 * REST interface, and with this name for git, which knows no addresses.
 */
export function gitUser({ username, secret }: Pick<Credential, 'username' | 'secret'>): string {
  return secret.startsWith('ATATT') && username.includes('@') ? userBeside(secret, 'bitbucket') : username;
}

/**
 * User name for git beside a token that came without one. Bitbucket's API tokens, which belong to an account and
 * begin with `ATATT`, want another one than the access tokens of a repository.
 */
export function userBeside(secret: string, kind: HostKind): string {
  if (kind === 'bitbucket' && secret.startsWith('ATATT')) return 'x-bitbucket-api-token-auth';
  return hostSignIn[kind].tokenUser;
}
