/**
 * `fetch` of this process for other servers: undici's, through the proxy that the environment names. Nobody
 * patches a plain Node process for proxies as VS Code does its extension host. Loaded at the first request:
 * most jobs of a local service never ask another server.
 */
export function createOutgoingFetch(): typeof fetch {
  let loaded: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    loaded ??= load();
    return (await loaded)(input, init);
  };
}

async function load(): Promise<typeof fetch> {
  const { EnvHttpProxyAgent, fetch: outgoing, setGlobalDispatcher } = await import('undici');
  setGlobalDispatcher(new EnvHttpProxyAgent());
  // The same standard; only the two declarations of its types differ.
  return outgoing as unknown as typeof fetch;
}
