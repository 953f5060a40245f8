import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { fetch as undiciFetch } from 'undici';
import { boundedFetch, type FetchBounds } from '../../src/adapters/hosts/bounded-fetch.ts';
import { HostRefusal } from '../../src/adapters/hosts/refusals.ts';
import { commonReasons, type RestCall, restCaller } from '../../src/adapters/hosts/rest.ts';
import { Redactor } from '../../src/service/redaction.ts';
import type { ServiceError } from '../../src/service/service-error.ts';
import { noSignal } from '../support/git-service.ts';
import { failsWith } from '../support/service-errors.ts';

const token = 'token-0123456789abcdef';

describe('speaking JSON with a code host', () => {
  let server: Server | undefined;
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
    server = undefined;
  });

  const callerOf = async (listener: RequestListener, bounds: FetchBounds = {}): Promise<RestCall> => {
    server = createServer(listener);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const redactor = new Redactor();
    redactor.register(token);
    return restCaller({
      name: 'Codeplace',
      source: 'CODEPLACE_TOKEN',
      redactor,
      // The caller's own bounds come after these.
      fetch: boundedFetch(undiciFetch as unknown as typeof fetch, bounds),
      version: '9.9.9',
      apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/root/api`,
      authorization: `Bearer ${token}`,
    });
  };

  it('sends what is asked for, encoded, with the token in its header only', async () => {
    const got: unknown[] = [];
    const call = await callerOf((request, response) => {
      request.setEncoding('utf8').on('data', (chunk) => got.push(chunk));
      const { authorization, 'content-type': type, 'user-agent': agent } = request.headers;
      got.push([request.method, request.url, authorization, type, agent]);
      request.on('end', () => response.end('{"a":1}'));
    });
    const query = { q: 'a&b=ü', none: undefined, n: 1 };
    const answer = await call({ method: 'POST', path: '/projects/a%2Fb', query, body: { x: 'ü' } }, noSignal);
    assert.deepEqual([answer.status, answer.data], [200, { a: 1 }]);
    assert.deepEqual(got, [
      [
        'POST',
        '/root/api/projects/a%2Fb?q=a%26b%3D%C3%BC&n=1',
        `Bearer ${token}`,
        'application/json',
        'docs-agent/9.9.9',
      ],
      '{"x":"ü"}',
    ]);
  });

  it('takes no answer, no JSON and an empty body for what they are', async () => {
    const bodies = ['', '<html>', '[1'];
    const call = await callerOf((_, response) => void response.end(bodies.shift()));
    assert.equal((await call({ path: '/' }, noSignal)).data, undefined);
    assert.equal((await call({ path: '/' }, noSignal)).data, '<html>');
    assert.equal((await call({ path: '/' }, noSignal)).data, '[1');
  });

  it('reads no further than a bound', async () => {
    const call = await callerOf((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    await assert.rejects(call({ path: '/' }, noSignal), failsWith('network', /could not be reached/));
    const short = boundedFetch(async () => new Response('12345'), { maxBytes: 4 });
    await assert.rejects(short('http://127.0.0.1/'), /longer than 4 bytes/);
    const fits = boundedFetch(async () => new Response('1234', { status: 201 }), { maxBytes: 4 });
    assert.equal(await (await fits('http://127.0.0.1/')).text(), '1234');
  });

  it('waits no longer than a time limit, also for the rest of an answer', async () => {
    const call = await callerOf(
      (request, response) => void (request.url?.endsWith('/begun') && response.write('{"a":')),
      { timeLimitMs: 50 },
    );
    for (const path of ['/hang', '/begun']) {
      await assert.rejects(call({ path }, noSignal), (error: unknown) => {
        failsWith('network', /could not be reached/)(error);
        return (error as ServiceError).retryable;
      });
    }
  });

  const refusals: [
    status: number,
    headers: Record<string, string>,
    code: Parameters<typeof failsWith>[0],
    words: RegExp,
    retryable: boolean,
  ][] = [
    [301, { location: 'http://127.0.0.1:9/x' }, 'repository_unavailable', /moved at Codeplace/, false],
    [
      302,
      { location: 'http://127.0.0.1:9/login' },
      'repository_unavailable',
      /sends requests to a sign-in page/,
      false,
    ],
    [307, { location: '/api/v1/repos/team/handbook' }, 'repository_unavailable', /moved at Codeplace/, false],
    [401, {}, 'authentication_failed', /\(CODEPLACE_TOKEN\)/, false],
    [403, { 'retry-after': '90' }, 'network', /in 2 minutes/, true],
    [429, {}, 'network', /Try again later/, true],
    // So far off that it does not matter how long the tests before it take.
    [
      429,
      { 'retry-after': new Date(Date.now() + 35_700_000).toUTCString() },
      'network',
      /in 5\d\d minutes/,
      true,
    ],
    [429, { 'x-ratelimit-reset': '4102444800' }, 'network', /Try again later/, true],
    [500, {}, 'network', /trouble/, true],
    [503, {}, 'network', /trouble/, true],
  ];
  for (const [status, headers, code, words, retryable] of refusals) {
    it(`calls ${status} ${Object.keys(headers).join()} ${code}`, async () => {
      const call = await callerOf((_, response) => {
        response.writeHead(status, headers).end(JSON.stringify({ message: `No, ${token}!` }));
      });
      await assert.rejects(call({ path: '/' }, noSignal), (error: unknown) => {
        failsWith(code, words)(error);
        assert.equal((error as ServiceError).retryable, retryable);
        if (headers['retry-after'] === '90') assert.equal((error as ServiceError).retryAfterMs, 90_000);
        assert.equal(inspect(error, { depth: 9, showHidden: true }).includes(token), false);
        return true;
      });
    });
  }

  it("keeps other refusals with the host's own words, without secrets and not endless", async () => {
    const call = await callerOf((_, response) => {
      response.writeHead(422).end(JSON.stringify({ message: `No\n${token} ${'x'.repeat(1000)}` }));
    });
    await assert.rejects(call({ path: '/' }, noSignal), (error: unknown) => {
      assert.ok(error instanceof HostRefusal);
      assert.equal(error.status, 422);
      assert.match(error.words, /^No \[redacted\] x+…$/);
      assert.equal(error.words.length, 301);
      return true;
    });
  });

  it('hears its signal, and a connection that breaks is trouble of the moment', async () => {
    const call = await callerOf((request) => {
      if (request.url?.endsWith('/reset')) request.socket.resetAndDestroy();
    });
    await assert.rejects(call({ path: '/reset' }, noSignal), (error: unknown) => {
      failsWith('network', /could not be reached/)(error);
      return (error as ServiceError).retryable;
    });
    const stop = new AbortController();
    const hanging = call({ path: '/hang' }, stop.signal);
    stop.abort(new Error('stop now'));
    await assert.rejects(hanging, /stop now/);
  });
});

describe("a host's own words", () => {
  const cases: [unknown, string[]][] = [
    [{ message: 'a' }, ['a']],
    [{ message: ['a', 'b'] }, ['a', 'b']],
    [{ message: { title: ['is too long', 'is bad'] } }, ['title is too long', 'title is bad']],
    [{ error: 'a', error_description: 'b' }, ['b', 'a']],
    [{ error: { message: 'a' } }, ['a']],
    [{ errors: [{ message: 'a', context: null }, 'b'] }, ['a', 'b']],
    ['<html>', []],
    [undefined, []],
    [{ message: 7 }, []],
  ];
  for (const [body, words] of cases) {
    it(`are read from ${JSON.stringify(body)}`, () => assert.deepEqual(commonReasons(body), words));
  }
});
