import type { Health } from '../contract/requests.ts';
import { routes } from '../contract/routes.ts';
import { readHealth } from './answers.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './query.ts';
import { redactorOf } from './secrets.ts';
import { readServiceUrl } from './service-url.ts';
import { send, type Fetch } from './transport.ts';

/** Health tells whether the local service is there, while a person waits for their command. */
const healthLimitMs = 5_000;
const maxHealthBytes = 64 * 1024;

/**
 * Asks a service how it is, without a key, so it may be asked before anybody knows who is there.
 * `challenge` is answered by the local service with a proof, see `contract/local-service.ts`.
 */
export async function checkHealth(
  baseUrl: string,
  fetch: Fetch,
  options: { readonly signal?: AbortSignal | undefined; readonly challenge?: string } = {},
): Promise<Health> {
  const url = readServiceUrl(baseUrl);
  if (url.kind === 'refused') throw new ApiError('invalid_base_url', url.message);
  const path = withQuery(routes.health(), { challenge: options.challenge });
  const answer = await send(
    {
      method: 'GET',
      path,
      limitMs: healthLimitMs,
      maxBytes: maxHealthBytes,
      effect: 'none',
      signal: options.signal,
    },
    { base: url.base, apiKey: undefined, fetch, redact: redactorOf([]), now: Date.now },
  );
  return readHealth(answer);
}
