import type { ModelProvider } from '../../../contract/agents.ts';
import type { Redactor } from '../../../service/redaction.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { boundedAnswer } from './bounded-answer.ts';
import { inStream } from './whole-answer.ts';

/** What answered is no endpoint of models: a proxy's page, a portal, a redirect. */
export class NotAnEndpoint extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'NotAnEndpoint';
  }
}

/** Where a provider's key may go: nowhere but to the origin that it was given for. */
type Endpoint = Pick<ModelProvider, 'name' | 'kind' | 'baseUrl' | 'apiKey'>;

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * `fetch` for one provider. It alone adds the key, so that no library holds it, and follows no redirect, so
 * that no other server gets it.
 *
 * @throws ServiceError `model_authentication_failed` for a key that would travel in the clear
 */
export function endpointFetch(
  provider: Endpoint,
  fetch: typeof globalThis.fetch,
  redactor: Redactor,
): typeof fetch {
  const base = new URL(provider.baseUrl);
  const { apiKey } = provider;
  if (apiKey !== undefined) {
    redactor.register(apiKey);
    if (base.protocol !== 'https:' && !loopbackHosts.test(base.hostname)) {
      throw new ServiceError(
        'model_authentication_failed',
        `The address of ${provider.name} begins with http://, and the key would be readable on its way. Use an address with https://.`,
      );
    }
  }
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== base.origin) throw new NotAnEndpoint('The request left the address of the provider.');
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    headers.delete('x-api-key');
    if (apiKey !== undefined) {
      if (provider.kind === 'anthropic') headers.set('x-api-key', apiKey);
      else headers.set('authorization', `Bearer ${apiKey}`);
    }
    const response = await fetch(url, {
      ...init,
      headers,
      // `manual`, because undici tells a forbidden redirect only as "fetch failed", like a network failure.
      redirect: 'manual',
    });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel();
      throw new NotAnEndpoint('The endpoint answered with a redirect.');
    }
    if (response.ok && /\bhtml\b/i.test(response.headers.get('content-type') ?? '')) {
      await response.body?.cancel();
      throw new NotAnEndpoint('The endpoint answered with a page.');
    }
    const answer = boundedAnswer(response);
    return asksForStream(init?.body) ? inStream(answer, provider.kind) : answer;
  };
}

/** The body is the library's own JSON; inside a text, quotation marks have a backslash before them. */
function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && body.includes('"stream":true');
}
