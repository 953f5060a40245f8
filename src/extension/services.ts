import type { JobClient } from '../client/job-client.ts';
import type { ServiceId } from './job-entry.ts';

/** A service as jobs name it. */
export interface ServicePlace {
  readonly service: ServiceId;
  /** Its address where that is more than the origin; see `JobEntry`. */
  readonly base?: string | undefined;
}

/** Reaches services. Hosted, team and local ones look the same from here on. */
export interface Services {
  /**
   * A client with the service's key. Starts the local service when it does not run. Never asks a person,
   * so background work may call it.
   *
   * @throws UserError for what is in the way: `key_missing`, `key_gone`, `untrusted`,
   * `local_service_failed`, `invalid_base_url`.
   */
  clientFor(place: ServicePlace, signal: AbortSignal): Promise<JobClient>;
}
