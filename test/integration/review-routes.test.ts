import assert from 'node:assert/strict';
import { ServiceError } from '../../src/service/service-error.ts';
import {
  type ServiceApp,
  type ServiceAppOptions,
  startServiceApp,
  testOrigin,
} from '../support/service-app.ts';

const address = '/review/review-token';
const ownForm = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' };

describe('The review page over HTTP', () => {
  let app: ServiceApp;
  const start = async (options?: ServiceAppOptions): Promise<void> => {
    app = await startServiceApp(options);
  };
  afterEach(() => app[Symbol.asyncDispose]());

  async function formToken(): Promise<string> {
    const html = await (await app.fetch(address)).text();
    const token = /name="token"\s+value="([^"]+)"/.exec(html)?.[1];
    assert.ok(token);
    return token;
  }

  async function click(
    action: string,
    headers: Record<string, string>,
    fields: Record<string, string>,
    place = address,
  ): Promise<Response> {
    return app.fetch(`${place}/${action}`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  }

  it('is a page that runs and loads its own things only', async () => {
    await start();
    const response = await app.fetch(address);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    const policy = response.headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    assert.ok(nonce.length > 16);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const html = await response.text();
    assert.equal(html.split(`nonce="${nonce}"`).length, 3, 'style and script');
    assert.doesNotMatch(html, /(?:src|href)="https?:/);
    const second = (await app.fetch(address)).headers.get('content-security-policy');
    assert.notEqual(second, policy, 'a nonce is used once');
  });

  for (const [action, call] of [
    ['merge', 'merge'],
    ['close', 'close'],
    ['checkout', 'checkOut'],
  ] as const) {
    it(`does what the button ${action} says, and shows the outcome once the page comes back`, async () => {
      await start();
      const response = await click(action, ownForm, { token: await formToken(), view: 'split' });
      assert.equal(response.status, 303);
      assert.deepEqual(app.clicks, [`${call} review-token`]);
      const place = response.headers.get('location') ?? '';
      assert.match(place, /^\/review\/review-token\?view=split&outcome=/);
      assert.match(await (await app.fetch(place)).text(), new RegExp(`Done: ${call}\\.`));
      assert.doesNotMatch(await (await app.fetch(address)).text(), /Done:/);
      assert.equal((await app.fetch(place.replace(/outcome=.*/, 'outcome=guess'))).status, 200);
    });
  }

  it('takes a form of a browser that tells its origin, or neither', async () => {
    await start();
    const token = await formToken();
    assert.equal((await click('close', { Origin: testOrigin }, { token })).status, 303);
    assert.equal((await click('close', {}, { token })).status, 303);
    assert.equal(app.clicks.length, 2);
  });

  it('does nothing for a form of another site', async () => {
    await start();
    const token = await formToken();
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'http://127.0.0.1:9999', 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of foreign) {
      const response = await click('merge', headers, { token });
      assert.equal(response.status, 403, JSON.stringify(headers));
      assert.match(await response.text(), /nothing was done/);
    }
    assert.deepEqual(app.clicks, []);
  });

  it('does nothing without the form token of this process, and says to look again', async () => {
    await start();
    const other = await startServiceApp();
    try {
      const html = await (await other.fetch(address)).text();
      const foreign = /name="token"\s+value="([^"]+)"/.exec(html)?.[1] ?? '';
      for (const token of ['', 'x', foreign]) {
        const response = await click('merge', ownForm, { token });
        assert.equal(response.status, 303);
        const page = await (await app.fetch(response.headers.get('location') ?? '')).text();
        assert.match(page, /older than the running service, so nothing was done/);
      }
      assert.deepEqual(app.clicks, []);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  it('binds the form token to the review', async () => {
    await start();
    const response = await click('merge', ownForm, { token: await formToken() }, '/review/another-token');
    assert.equal(response.status, 303);
    assert.deepEqual(app.clicks, []);
  });

  it('does nothing on a GET', async () => {
    await start();
    assert.equal((await app.fetch(`${address}/merge`)).status, 404);
    assert.deepEqual(app.clicks, []);
  });

  it('says that there is no such pull request', async () => {
    await start();
    for (const place of ['/review/unknown', '/review/unknown/patch', '/review/%3Cscript%3E']) {
      const response = await app.fetch(place);
      assert.equal(response.status, 404);
      assert.match(await response.text(), /There is no pull request at this address\./);
    }
  });

  it('shows what git says when the change cannot be read', async () => {
    const error = new ServiceError('repository_unavailable', 'The folder /srv/docs is gone. Put it back.');
    await start({ reviews: { view: () => Promise.reject(error) } });
    const response = await app.fetch(address);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /The folder \/srv\/docs is gone\. Put it back\./);
  });

  it('never logs the token, which is the key to the page', async () => {
    await start({ reviews: { merge: () => Promise.reject(new TypeError('defect')) } });
    assert.equal((await click('merge', ownForm, { token: await formToken() })).status, 500);
    await click('close', ownForm, { token: await formToken() });
    assert.equal(app.lines.length, 2);
    assert.doesNotMatch(JSON.stringify(app.lines), /review-token/);
  });

  it('answers the whole change as plain text', async () => {
    await start();
    const response = await app.fetch(`${address}/patch`);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(await response.text(), /^diff --git/);
  });

  it('forgets outcomes that nobody came for', async () => {
    await start();
    const token = await formToken();
    const first = (await click('close', ownForm, { token })).headers.get('location') ?? '';
    for (let i = 0; i < 100; i++) await click('close', ownForm, { token });
    assert.doesNotMatch(await (await app.fetch(first)).text(), /Done:/);
  });

  it('refuses a form of megabytes', async () => {
    await start();
    const response = await click('merge', ownForm, { token: 'x'.repeat(100_000) });
    assert.equal(response.status, 400);
  });
});
