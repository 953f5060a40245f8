import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Stop } from './gate.ts';

/** One CGI request to `git http-backend`: its headers up to the empty line, then the body as it comes. */
export async function serveGit(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  stop: Stop,
): Promise<void> {
  if (!(await stop('before'))) return void response.destroy();
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      REMOTE_USER: 'someone',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  // A client that leaves early is none of the server's business.
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  const output = child.stdout as AsyncIterable<Buffer>;
  // Its short answer is whole when what was asked is done.
  const answer = url.pathname.endsWith('/git-receive-pack') ? [await buffer(output)] : output;
  if (!(await stop('after'))) return void response.destroy();
  let head = Buffer.alloc(0);
  let inBody = false;
  for await (const chunk of answer) {
    if (inBody) {
      response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    inBody = true;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  }
  await ended;
  response.end();
}
