import { EnvHttpProxyAgent, fetch as outgoing, setGlobalDispatcher } from 'undici';

/** Undici's fetch, from now on through the proxy that the environment names. */
export function proxiedFetch(): typeof fetch {
  setGlobalDispatcher(new EnvHttpProxyAgent());
  // The same standard; only the two declarations of its types differ.
  return outgoing as unknown as typeof fetch;
}
