import type { HostKind } from './host-kinds.ts';

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
    howTo: 'Set GITLAB_TOKEN for the service, or store a token with git ("git credential").',
  },
  gitea: {
    name: 'Gitea',
    tokenUser: 'oauth2',
    howTo: 'Set GITEA_TOKEN or FORGEJO_TOKEN for the service, or store a token with git ("git credential").',
  },
  bitbucket: {
    name: 'Bitbucket',
    // For access tokens of a repository; an account's own API token has `x-bitbucket-api-token-auth`.
    tokenUser: 'x-token-auth',
    howTo: 'Set BITBUCKET_TOKEN for the service, or store a token with git ("git credential").',
  },
  'bitbucket-server': {
    name: 'Bitbucket',
    tokenUser: 'x-token-auth',
    howTo: 'Set BITBUCKET_TOKEN for the service, or store a token with git ("git credential").',
  },
  azure: {
    name: 'Azure DevOps',
    // It takes any user name beside a personal access token.
    tokenUser: 'docs-agent',
    howTo: 'Set AZURE_DEVOPS_EXT_PAT for the service, or store a token with git ("git credential").',
  },
};
