import type { HostKind } from './host-kinds.ts';
import type { Credential } from './ports/credentials.ts';

/** How one signs in to a kind of host: what git is told beside a token, and what people are told. */
interface HostSignIn {
  /** As people call it. */
  readonly name: string;
  /** User name for git beside a token that came without one. */
  readonly tokenUser: string;
  readonly howTo: string;
}

export const hostSignIn: Readonly<Record<HostKind, HostSignIn>> = {
  github: {
    name: 'GitHub',
    tokenUser: 'x-access-token',
    howTo: 'Sign in to GitHub in the editor, or set GITHUB_TOKEN for the service.',
  },
  gitlab: {
    name: 'GitLab',
    // GitLab takes any user name beside a personal token, and exactly this one beside an OAuth token.
    tokenUser: 'oauth2',
    howTo:
      'Set GITLAB_TOKEN (and GITLAB_HOST for your own server) for the service, or store a token with git ("git credential").',
  },
  gitea: {
    name: 'Gitea',
    tokenUser: 'oauth2',
    howTo:
      'Set GITEA_TOKEN and GITEA_SERVER_URL (or FORGEJO_TOKEN and FORGEJO_SERVER_URL) for the service, or store a token with git ("git credential").',
  },
  bitbucket: {
    name: 'Bitbucket',
    tokenUser: 'x-token-auth',
    howTo:
      'Set BITBUCKET_TOKEN and BITBUCKET_SERVER_URL for the service, or store a token with git ("git credential").',
  },
  'bitbucket-server': {
    name: 'Bitbucket',
    tokenUser: 'x-token-auth',
    howTo:
      'Set BITBUCKET_TOKEN and BITBUCKET_SERVER_URL for the service, or store a token with git ("git credential").',
  },
  azure: {
    name: 'Azure DevOps',
    // It takes any user name beside a personal access token.
    tokenUser: 'docs-agent',
    howTo: 'Set AZURE_DEVOPS_EXT_PAT for the service, or store a token with git ("git credential").',
  },
};

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
