import type { Project } from '../../contract/project.ts';
import type { ServiceConfig } from '../../service/config.ts';
import type { HostKind } from '../../service/host-kinds.ts';
import { type HostPlace, hostPlace } from '../../service/host-place.ts';
import { howToSignIn } from '../../service/host-sign-in.ts';
import type { Credential, Credentials } from '../../service/ports/credentials.ts';
import type { Repository } from '../../service/ports/workspaces.ts';
import type { Redactor } from '../../service/redaction.ts';
import { ServiceError } from '../../service/service-error.ts';

/** What each adapter of a code host is made with. */
export interface HostOptions {
  readonly credentials: Credentials;
  /** Hosts of the service's configuration. */
  readonly hosts: ServiceConfig['hosts'];
  /** undici's, with the proxy and certificate settings of the process. */
  readonly fetch: typeof fetch;
  readonly redactor: Redactor;
  /** Of Docs Agent, sent as user agent. */
  readonly version: string;
}

/** A repository's place at a code host of this kind, with its credential. */
export interface OpenPlace<Found> extends HostPlace {
  readonly found: Found;
  readonly credential: Credential;
}

/** How remotes of one kind of host name a repository. */
export interface RemoteForm<Found> {
  readonly kind: HostKind;
  /** For people: `owner/name`. */
  readonly form: string;
  /** Undefined for any other form. */
  readonly read: (place: HostPlace) => Found | undefined;
}

/**
 * Finds place and credential. Undefined for a repository of another kind of host. Throws
 * `repository_unavailable` for a remote of another form, and `authentication_failed` with the ways to sign in when
 * there is no credential.
 */
export async function openPlace<Found>(
  options: Pick<HostOptions, 'credentials' | 'hosts'>,
  { kind, form, read }: RemoteForm<Found>,
  project: Project,
  repository: Repository,
  signal: AbortSignal,
): Promise<OpenPlace<Found> | undefined> {
  const place = hostPlace(repository.remoteUrl, options.hosts);
  if (place?.kind !== kind) return undefined;
  const found = read(place);
  if (found === undefined) {
    throw new ServiceError(
      'repository_unavailable',
      `The remote at ${place.host} does not name a repository as ${form}. Check it with "git remote -v".`,
    );
  }
  const credential = await options.credentials.find(place.credentialUrl, project.id, signal);
  if (credential === undefined) {
    throw new ServiceError(
      'authentication_failed',
      `There is no sign-in for ${place.host}. ${howToSignIn(place)}`,
    );
  }
  return { ...place, found, credential };
}

/**
 * At most so many characters, for hosts that refuse a longer title instead of cutting it. Counted as those of Java
 * and .NET do, in units of UTF-16, which is never too few for the others; no character is cut in half.
 */
export function cutTitle(title: string, limit: number): string {
  return title.length <= limit ? title : `${title.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
