import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { errorResponse } from './answers.ts';

/** What answers requests: a whole server side as one function. */
export interface App {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A server on 127.0.0.1. Disposing stops it: answers under way get a moment, then connections are cut. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** From now on `app` answers; before that every request is refused for the moment. */
  serve(app: App): void;
}

/** Milliseconds that an answer under way has to come to its end once the server closes. */
const lastWordsMs = 1_000;

/**
 * Listens on loopback only: nothing of this service is meant for another computer. The port is known before
 * there is an app, because the app checks requests against it.
 *
 * @param preferred port to take when it can be had; another free one when not, or when it is 0
 */
export async function listen(preferred: number): Promise<Listening> {
  let app: App = {
    fetch: async () => errorResponse('stopping', 'The service is only just starting. Try again soon.'),
  };
  for (const port of [preferred, 0]) {
    const server = createAdaptorServer({
      fetch: (request) => app.fetch(request),
      overrideGlobalObjects: false,
    }) as Server;
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch (error) {
      // Taken by somebody else since, or reserved by the system (Windows does that to whole ranges).
      const { code } = error as NodeJS.ErrnoException;
      if (port !== 0 && (code === 'EADDRINUSE' || code === 'EACCES')) continue;
      throw error;
    }
    const taken = (server.address() as AddressInfo).port;
    return {
      port: taken,
      url: `http://127.0.0.1:${taken}`,
      serve: (given) => {
        app = given;
      },
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
