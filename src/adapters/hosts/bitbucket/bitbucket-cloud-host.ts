import type { Project } from '../../../contract/project.ts';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { CodeHost, HostedRepository } from '../../../service/ports/code-host.ts';
import type { Credential } from '../../../service/ports/credentials.ts';
import type { Repository } from '../../../service/ports/workspaces.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { type HostOptions, openPlace } from '../host-options.ts';
import { basicAuthorization, commonReasons, restCaller } from '../rest.ts';
import { BitbucketCloudRepository } from './bitbucket-cloud-repository.ts';

/**
 * Bitbucket Cloud, by its REST interface: the usual client library has had no release since 2023 and brings an
 * old `node-fetch` along, past the proxy and certificate settings of the process.
 */
export class BitbucketCloudHost implements CodeHost {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  async connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined> {
    const place = await openPlace(this.#options, 'bitbucket', project, repository, signal);
    if (place === undefined) return undefined;
    const [workspace, slug, ...rest] = place.path;
    if (workspace === undefined || slug === undefined || rest.length > 0) {
      const text = `The remote at ${place.host} does not name a repository as workspace/name. Check it with "git remote -v".`;
      throw new ServiceError('repository_unavailable', text);
    }
    const { fetch, redactor, version } = this.#options;
    const { apiUrl, webUrl, credential } = place;
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
    return BitbucketCloudRepository.open(call, { workspace, slug, webUrl }, repository.baseBranch, signal);
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
