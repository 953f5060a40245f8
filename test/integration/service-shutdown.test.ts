import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { serviceExitCodes } from '../../src/contract/local-service.ts';
import { healthSchema } from '../../src/contract/requests.ts';
import { routes } from '../../src/contract/routes.ts';
import { callService, jobOf, processKey, ServiceHome, until } from '../support/service-process.ts';

const posix = process.platform !== 'win32';

describe('The local service ends', function () {
  this.timeout(60_000);
  let home: ServiceHome;
  beforeEach(async () => {
    home = await ServiceHome.create();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  it('by itself when nobody needs it, and takes its address back', async () => {
    const service = home.start({ DOCS_AGENT_IDLE_MINUTES: '0.01' });
    assert.deepEqual(await service.ended, { code: serviceExitCodes.ended, signal: null });
    await stat(path.join(home.data, 'last-port'));
    await assert.rejects(stat(path.join(home.data, 'service.json')), { code: 'ENOENT' });
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`at ${signal}`, async function () {
      if (!posix) this.skip();
      const service = home.start();
      await home.address(service);
      service.child.kill(signal);
      assert.deepEqual(await service.ended, { code: serviceExitCodes.ended, signal: null });
      await assert.rejects(stat(path.join(home.data, 'service.json')), { code: 'ENOENT' });
    });
  }

  it('on request, when it is idle', async () => {
    const service = home.start();
    const { url } = await home.address(service);
    assert.equal((await callService(url, 'POST', routes.shutdown())).status, 202);
    assert.equal((await service.ended).code, serviceExitCodes.ended);
  });

  it('also while somebody keeps a connection and reads a stream', async function () {
    if (!posix) this.skip();
    const { env, repository } = await home.stallGit();
    const service = home.start(env);
    const { url } = await home.address(service);
    const { id } = await home.createJob(url, repository);
    const stream = await fetch(url + routes.events('docs', id), {
      headers: { Authorization: `Bearer ${processKey}`, Accept: 'text/event-stream' },
    });
    assert.ok(stream.body);
    let text = '';
    // The stream ends at the first request to stop.
    for await (const piece of stream.body.pipeThrough(new TextDecoderStream())) {
      if (text === '') service.child.kill('SIGTERM');
      text += piece;
    }
    assert.match(text, /created/);
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, serviceExitCodes.ended);
  });

  it('in two speeds: a running job goes on after the first request, and is given back at the second', async function () {
    if (!posix) this.skip();
    const { env, repository } = await home.stallGit();
    const service = home.start(env);
    const { url } = await home.address(service);
    const { id } = await home.createJob(url, repository);
    const refused = await callService(url, 'POST', routes.shutdown());
    assert.equal(refused.status, 409);

    service.child.kill('SIGTERM');
    await until(async () => {
      const health = healthSchema.parse(await (await fetch(`${url}/healthz`)).json());
      return health.status === 'stopping';
    });
    const late = await callService(url, 'POST', routes.createJob('docs'), { prompt: 'x' });
    assert.equal(late.status, 503);
    assert.equal((await jobOf(url, id)).status, 'active');
    assert.equal(service.child.exitCode, null, 'it waits for the job');

    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, serviceExitCodes.ended);

    // The next process, with a git that works, ends the job.
    const next = home.start();
    const again = await home.address(next);
    await until(async () => (await jobOf(again.url, id)).status === 'failed');
  });

  it('no later than it is told to, whatever runs', async function () {
    if (!posix) this.skip();
    const { env, repository } = await home.stallGit();
    await writeFile(path.join(home.data, 'config.json'), '{"stopSeconds": 0.2}', { mode: 0o600 });
    const service = home.start(env);
    const { url } = await home.address(service);
    await home.createJob(url, repository);
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, serviceExitCodes.ended);
  });
});
