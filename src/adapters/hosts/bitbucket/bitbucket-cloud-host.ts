import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credential } from '../../../service/ports/credentials.ts';
import { type OpenPlace, RemoteCodeHost, type RemoteForm } from '../remote-code-host.ts';
import { basicAuthorization, commonReasons, restCaller } from '../rest.ts';
import { BitbucketCloudRepository, type CloudPlace } from './bitbucket-cloud-repository.ts';

const remoteForm: RemoteForm<CloudPlace> = {
  kind: 'bitbucket',
  form: 'workspace/name',
  read: ({ path, webUrl }) => {
    const [workspace, slug, ...rest] = path;
    if (workspace === undefined || slug === undefined || rest.length > 0) return undefined;
    return { workspace, slug, webUrl };
  },
};

/**
 * Bitbucket Cloud, by its REST interface: the usual client library has had no release since 2023 and brings an
 * old `node-fetch` along, past the proxy and certificate settings of the process.
 */
export class BitbucketCloudHost extends RemoteCodeHost<CloudPlace> {
  protected readonly form = remoteForm;

  protected open(
    place: OpenPlace<CloudPlace>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository> {
    const { fetch, redactor, version } = this.options;
    const { apiUrl, found, credential } = place;
    const call = restCaller({
      name: hostSignIn.bitbucket.name,
      source: sourceOf(credential),
      apiUrl,
      authorization: authorizationOf(credential),
      fetch,
      redactor,
      version,
      reasons,
    });
    return BitbucketCloudRepository.open(call, found, baseBranch, signal);
  }
}

/**
 * Access tokens of a repository, project or workspace begin with ATCTT and stand for themselves; API tokens
 * (ATATT) and app passwords (ATBB) belong to an account and go with its name.
 */
function authorizationOf({ username, secret }: Credential): string {
  const ownAccount = /^(?:ATATT|ATBB)/.test(secret) && username !== hostSignIn.bitbucket.tokenUser;
  const bearer = secret.startsWith('ATCTT') || username === hostSignIn.bitbucket.tokenUser;
  return bearer && !ownAccount ? `Bearer ${secret}` : basicAuthorization(username, secret);
}

/** For git any name goes with an API token, for requests only the account's e-mail address. */
function sourceOf({ username, secret, source }: Credential): string {
  const nameless = secret.startsWith('ATATT') && !username.includes('@');
  return nameless ? `${source}; an API token needs the account's e-mail address as its user name` : source;
}

/** `{error: {message, detail, fields: {title: ["…"]}}}` */
function reasons(body: unknown): readonly string[] {
  if (typeof body !== 'object' || body === null) return [];
  const { error } = body as { error?: unknown };
  if (typeof error !== 'object' || error === null) return commonReasons(body);
  const { message, detail, fields } = error as Record<string, unknown>;
  return [
    ...commonReasons({ errors: fields }),
    ...[message, detail].filter((text) => typeof text === 'string'),
  ];
}
