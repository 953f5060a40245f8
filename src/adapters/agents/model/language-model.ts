import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelProvider } from '../../../contract/agents.ts';
import type { Redactor } from '../../../service/redaction.ts';
import { endpointFetch } from './endpoint-fetch.ts';

/**
 * A model of a provider, as an object: a name alone would go to the library's own gateway. Asks nothing yet.
 *
 * @param model as the provider calls it
 * @param fetch of this process, through the proxy that it is to use
 * @throws ServiceError `model_authentication_failed` for a key that would travel in the clear
 */
export function languageModelOf(
  provider: ModelProvider,
  model: string,
  fetch: typeof globalThis.fetch,
  redactor: Redactor,
): LanguageModelV4 {
  const guarded = endpointFetch(provider, fetch, redactor);
  if (provider.kind === 'anthropic') {
    // The library wants some key, else it looks for one in the environment; `endpointFetch` takes this one away.
    return createAnthropic({ baseURL: provider.baseUrl, apiKey: 'none', fetch: guarded })(model);
  }
  return createOpenAICompatible({
    name: 'endpoint',
    baseURL: provider.baseUrl,
    fetch: guarded,
    includeUsage: true,
  })(model);
}
