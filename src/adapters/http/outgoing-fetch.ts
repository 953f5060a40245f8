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
  // Our own module, not undici itself: a bundle that is split gives a late CommonJS package no named exports.
  const { proxiedFetch } = await import('./proxied-fetch.ts');
  return proxiedFetch();
}
