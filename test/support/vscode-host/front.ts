import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import {
  createServer,
  request as sendRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';

/**
 * Stands before the editor's server and does the two things for which its pages ask their address and the
 * server alone has no answer: half of the key that encrypts SecretStorage in the browser (without it
 * secrets are gone at each reload), and the way to other loopback ports (`/proxy/PORT/…`).
 */
export class EditorFront implements AsyncDisposable {
  readonly #server: Server;
  /** Web sockets, which the server no longer counts among its connections and yet waits for. */
  readonly #sockets = new Set<Duplex>();
  #serverPort: number;

  private constructor(keyHalf: Buffer, serverPort: number) {
    this.#serverPort = serverPort;
    this.#server = createServer((incoming, response) => {
      const [, target, rest] = /^\/proxy\/(\d{1,5})(\/.*)?$/.exec(incoming.url ?? '') ?? [];
      if (incoming.method === 'POST' && incoming.url === '/mint-key') response.end(keyHalf);
      // The browser runs on this machine too, so it can go there itself.
      else if (target !== undefined) redirect(response, `http://127.0.0.1:${target}${rest ?? '/'}`);
      else passOn(incoming, response, this.#serverPort);
    });
    this.#server.on('upgrade', (incoming, socket, head) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      passOnSocket(incoming, socket, head, this.#serverPort);
    });
  }

  static async start(serverPort: number, dataFolder: string, port: number): Promise<EditorFront> {
    const front = new EditorFront(await serverKeyHalf(dataFolder), serverPort);
    front.#server.listen(port, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  /** Leads to another server from now on: the one before was started again. */
  leadTo(serverPort: number): void {
    this.#serverPort = serverPort;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** 256 bits, as the workbench expects them; the same at the next start. */
async function serverKeyHalf(dataFolder: string): Promise<Buffer> {
  const file = path.join(dataFolder, 'browser-key-half');
  try {
    return await readFile(file);
  } catch {
    const half = randomBytes(32);
    await writeFile(file, half, { mode: 0o600 });
    return half;
  }
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(307, { location }).end();
}

function passOn(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url: target, headers } = incoming;
  const outgoing = sendRequest({ host: '127.0.0.1', port, method, path: target, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** A web socket: the request is said again to the server, then both sides are one pipe. */
function passOnSocket(incoming: IncomingMessage, socket: Duplex, head: Buffer, port: number): void {
  const server = connect(port, '127.0.0.1', () => {
    const headers = incoming.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    server.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${headers.join('')}\r\n`);
    server.write(head);
    server.pipe(socket).pipe(server);
  });
  const end = (): void => {
    server.destroy();
    socket.destroy();
  };
  server.on('error', end).on('close', end);
  socket.on('error', end).on('close', end);
}
