import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

export interface ListenOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Tried in this order; the last resort is a free one. */
  readonly ports: readonly number[];
}

/** A server on 127.0.0.1. Disposing stops it: answers under way get a moment, then connections are cut. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** Milliseconds that an answer under way has to come to its end once the server closes. */
const lastWordsMs = 1_000;

/** Listens on loopback only: nothing of this service is meant for another computer. */
export async function listen({ fetch, ports }: ListenOptions): Promise<Listening> {
  for (const port of [...ports, 0]) {
    const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch (error) {
      // Taken by somebody else since, or reserved by the system (Windows does that to whole ranges).
      const { code } = error as NodeJS.ErrnoException;
      if (port !== 0 && (code === 'EADDRINUSE' || code === 'EACCES')) continue;
      throw error;
    }
    return {
      port: (server.address() as AddressInfo).port,
      [Symbol.asyncDispose]: () => close(server),
    };
  }
  throw new Error('No port of 127.0.0.1 can be listened on.');
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), lastWordsMs);
  await closed;
  clearTimeout(timer);
}
