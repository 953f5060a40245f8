import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hashKey, keyHashesFileName } from '../../src/contract/local-service.ts';
import { routes } from '../../src/contract/routes.ts';
import { type ServiceApp, startServiceApp, testKey, testOrigin, testPort } from '../support/service-app.ts';

describe('What the HTTP API refuses', () => {
  let app: ServiceApp;
  before(async () => {
    app = await startServiceApp();
    await app.call('PUT', routes.project('docs'), { repository: '/srv/docs' });
  });
  after(() => app[Symbol.asyncDispose]());

  /** Every refusal is JSON with one sentence and a code. */
  async function refusal(response: Response, status: number, code: string): Promise<string> {
    assert.equal(response.status, status);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    const body = (await response.json()) as { error: string; code: string };
    assert.equal(body.code, code);
    assert.match(body.error, /^[A-Z].*[^.]\.$/s);
    return body.error;
  }

  const json = { 'Content-Type': 'application/json' };
  const key = { Authorization: `Bearer ${testKey}` };
  const post = (init: RequestInit): Promise<Response> => {
    const sent = new Headers(init.headers);
    sent.set('Authorization', key.Authorization);
    return app.fetch(routes.createJob('docs'), { method: 'POST', ...init, headers: sent });
  };

  describe('by its body', () => {
    const bodies: readonly [string, RequestInit, RegExp][] = [
      ['no body', { headers: json }, /empty/],
      [
        'another content type',
        { body: 'prompt=x', headers: { 'Content-Type': 'text/plain' } },
        /Content-Type: application\/json/,
      ],
      ['a form', { body: new URLSearchParams({ prompt: 'x' }) }, /Content-Type: application\/json/],
      ['broken JSON', { body: '{"prompt": "x', headers: json }, /not valid JSON/],
      ['a list', { body: '[]', headers: json }, /expected object/],
      ['no prompt', { body: '{}', headers: json }, /The prompt must be text/],
      ['an empty prompt', { body: '{"prompt": ""}', headers: json }, /The prompt is empty/],
      ['a prompt of blanks', { body: '{"prompt": " \\n "}', headers: json }, /The prompt is empty/],
      ['a number as prompt', { body: '{"prompt": 5}', headers: json }, /must be text/],
      ['bytes that are no text', { body: Buffer.from([0x22, 0xff, 0xfe, 0x22]), headers: json }, /UTF-8/],
      [
        'a body of megabytes',
        { body: `{"prompt": "${'x'.repeat(2_000_000)}"}`, headers: json },
        /larger than 256 KB/,
      ],
      [
        'an empty idempotency key',
        { body: '{"prompt": "x"}', headers: { ...json, 'Idempotency-Key': '' } },
        /Idempotency-Key/,
      ],
      [
        'a giant idempotency key',
        { body: '{"prompt": "x"}', headers: { ...json, 'Idempotency-Key': 'k'.repeat(300) } },
        /Idempotency-Key/,
      ],
    ];
    for (const [what, init, sentence] of bodies) {
      it(what, async () => assert.match(await refusal(await post(init), 400, 'invalid_request'), sentence));
    }

    it('a body without a length that does not end', async () => {
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
      const init = { body, headers: json, duplex: 'half' } as RequestInit;
      assert.match(await refusal(await post(init), 400, 'invalid_request'), /larger than/);
      assert.ok(sent < 1_000_000, 'was not read to a far end');
    });

    it('a repository that git could take for something else', async () => {
      for (const repository of [
        'ext::sh -c id',
        '--upload-pack=x',
        'relative/path',
        'https://u:p@example.com/r',
      ]) {
        await refusal(await app.call('PUT', routes.project('p'), { repository }), 400, 'invalid_request');
      }
      await refusal(
        await app.call('PUT', routes.project('a b'), { repository: '/x' }),
        400,
        'invalid_request',
      );
    });
  });

  describe('by its address', () => {
    it('a path that there is not', async () => {
      await refusal(await app.call('GET', '/v2/agent/docs/nothing'), 404, 'not_found');
      await refusal(await app.call('GET', '/'), 404, 'not_found');
    });

    it('a project that is not known, and says how to tell it', async () => {
      const response = await app.call('POST', routes.createJob('other'), { prompt: 'x' });
      assert.match(await refusal(response, 404, 'not_found'), /project id/);
    });

    it('a job that there is not, and ids that are none', async () => {
      for (const id of ['job_1', '..', '%', "' OR 1=1 --", 'x'.repeat(2_000)]) {
        await refusal(await app.call('GET', routes.job('docs', id)), 404, 'not_found');
      }
    });

    it('a job of another project', async () => {
      await app.call('PUT', routes.project('second'), { repository: '/srv/second' });
      const { id } = (await (await app.call('POST', routes.createJob('docs'), { prompt: 'x' })).json()) as {
        id: string;
      };
      await refusal(await app.call('GET', routes.job('second', id)), 404, 'not_found');
      await refusal(await app.call('POST', routes.cancel('second', id)), 404, 'not_found');
    });

    it('another method, and says which it takes', async () => {
      const response = await app.call('DELETE', routes.job('docs', 'job_1'));
      assert.equal(response.headers.get('allow'), 'GET');
      assert.match(await refusal(response, 405, 'invalid_request'), /takes GET, not DELETE/);
      await refusal(await app.call('GET', routes.shutdown()), 405, 'invalid_request');
    });
  });

  describe('by its key', () => {
    const get = (authorization?: string): Promise<Response> =>
      app.fetch(
        routes.jobs('docs'),
        authorization === undefined ? {} : { headers: { Authorization: authorization } },
      );

    it('none, another scheme, or an unknown one', async () => {
      for (const header of [
        undefined,
        '',
        'Bearer',
        `Basic ${testKey}`,
        testKey,
        `Bearer ${testKey}x`,
        `Bearer a b`,
        `Bearer ${'k'.repeat(9_000)}`,
      ]) {
        const response = await get(header);
        await refusal(response, 401, 'unauthorized');
        assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      }
      assert.equal((await get(`bearer ${testKey}`)).status, 200, 'the scheme is not case-sensitive');
    });

    it('the hash of a key in place of the key', async () => {
      await refusal(await get(`Bearer ${hashKey(testKey)}`), 401, 'unauthorized');
    });

    it('before anything is told about paths or bodies', async () => {
      for (const place of ['/v2/nothing', routes.job('docs', 'job_1'), routes.shutdown()]) {
        await refusal(await app.fetch(place, { method: 'POST', body: '{' }), 401, 'unauthorized');
      }
    });

    it('not one that was added to the file while the service runs', async () => {
      await refusal(await get('Bearer later-key'), 401, 'unauthorized');
      await appendFile(path.join(app.folder, keyHashesFileName), `${hashKey('later-key')}\r\n`);
      assert.equal((await get('Bearer later-key')).status, 200);
    });

    it('not the known ones because of a line that is half written', async () => {
      const file = path.join(app.folder, keyHashesFileName);
      await writeFile(
        file,
        `${hashKey('later-key').slice(0, 20)}\n\n# note\n${hashKey(testKey)}\n${hashKey('new')}`,
      );
      assert.equal((await get('Bearer new')).status, 200);
      assert.equal((await get(`Bearer ${testKey}`)).status, 200);
      await refusal(await get('Bearer later-key'), 401, 'unauthorized');
    });
  });

  describe('from pages in a browser', () => {
    it('a name that was made to point here (DNS rebinding), on every path', async () => {
      for (const place of [
        routes.health(),
        routes.openapi(),
        routes.jobs('docs'),
        routes.review('review-token'),
      ]) {
        for (const host of [
          'evil.example',
          `evil.example:${testPort}`,
          '127.0.0.1',
          '127.0.0.1:80',
          `127.0.0.1.evil.example:${testPort}`,
          `localhost.:${testPort}`,
          `[::2]:${testPort}`,
        ]) {
          const response = await app.fetch(place, { headers: { ...key, Host: host } });
          assert.equal(response.status, 403, `${place} ${host}`);
        }
      }
      const rebound = await app.fetch(`http://evil.example:${testPort}${routes.health()}`);
      await refusal(rebound, 403, 'forbidden');
    });

    it('not its own names', async () => {
      for (const host of [
        `127.0.0.1:${testPort}`,
        `localhost:${testPort}`,
        `LOCALHOST:${testPort}`,
        `[::1]:${testPort}`,
      ]) {
        assert.equal((await app.fetch(routes.health(), { headers: { Host: host } })).status, 200, host);
      }
    });

    it('any origin on the API, even with a key, and never a CORS header', async () => {
      for (const origin of ['https://evil.example', 'null', testOrigin, 'vscode-webview://x']) {
        const response = await app.fetch(routes.jobs('docs'), { headers: { ...key, Origin: origin } });
        await refusal(response, 403, 'forbidden');
        assert.equal(response.headers.get('access-control-allow-origin'), null);
      }
      for (const site of ['cross-site', 'same-site', 'same-origin']) {
        await refusal(
          await app.fetch(routes.jobs('docs'), { headers: { ...key, 'Sec-Fetch-Site': site } }),
          403,
          'forbidden',
        );
      }
      const preflight = await app.fetch(routes.createJob('docs'), {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      assert.equal(preflight.status, 403);
    });
  });

  it('tells browsers to keep, guess and frame nothing', async () => {
    for (const place of [routes.health(), '/nothing', routes.jobs('docs'), routes.review('review-token')]) {
      const { headers } = await app.fetch(place);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*frame-ancestors 'none'/,
      );
    }
  });
});
