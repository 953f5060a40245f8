import type { Project } from '../../contract/project.ts';
import type { HostKind } from '../../service/host-kinds.ts';
import { type HostPlace, hostPlace } from '../../service/host-place.ts';
import { howToSignIn } from '../../service/host-sign-in.ts';
import type { CodeHost, HostedRepository } from '../../service/ports/code-host.ts';
import type { Credential } from '../../service/ports/credentials.ts';
import type { Repository } from '../../service/ports/workspaces.ts';
import { ServiceError } from '../../service/service-error.ts';
import type { HostOptions } from './host-options.ts';

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
async function openPlace<Found>(
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

/** What every code host does first. One kind adds the form of its remotes and how it opens a repository. */
export abstract class RemoteCodeHost<Found> implements CodeHost {
  protected readonly options: HostOptions;
  protected abstract readonly form: RemoteForm<Found>;

  constructor(options: HostOptions) {
    this.options = options;
  }

  async connect(
    project: Project,
    repository: Repository,
    signal: AbortSignal,
  ): Promise<HostedRepository | undefined> {
    const place = await openPlace(this.options, this.form, project, repository, signal);
    return place && this.open(place, repository.baseBranch, signal);
  }

  /** Tests the credential: throws `ServiceError` before an agent has spent anything. */
  protected abstract open(
    place: OpenPlace<Found>,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<HostedRepository>;
}
