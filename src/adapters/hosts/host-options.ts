import type { ServiceConfig } from '../../service/config.ts';
import type { Credentials } from '../../service/ports/credentials.ts';
import type { Redactor } from '../../service/redaction.ts';

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

/**
 * At most so many characters, for hosts that refuse a longer title instead of cutting it. Counted as those of Java
 * and .NET do, in units of UTF-16, which is never too few for the others; no character is cut in half.
 */
export function cutTitle(title: string, limit: number): string {
  return title.length <= limit ? title : `${title.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
