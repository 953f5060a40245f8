import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ApiError } from '../../src/client/api-error.ts';
import type { JobClient } from '../../src/client/job-client.ts';
import { homeVariable, serviceFolders } from '../../src/contract/local-service.ts';
import { LocalService, type LocalServiceOptions } from '../../src/extension/local-service.ts';
import { serviceEnvironment } from '../../src/extension/service-environment.ts';
import { UserError } from '../../src/extension/user-error.ts';
import { english } from '../support/job-entries.ts';
import { isAlive, stallingGit, until } from '../support/service-process.ts';
import { readAddress, stopLocalService } from '../support/vscode-host/local-service.ts';

const script = path.resolve(import.meta.dirname, '../../src/service.ts');
const never = new AbortController().signal;

interface Secrets {
  key: string | undefined;
}

describe('Starting the local service', function () {
  // Up to three processes one after the other, each a second of a machine that is busy with something else.
  this.timeout(60_000);
  let home: string;
  let data: string;
  const windows: LocalService[] = [];

  /** One window of the editor; windows share secrets unless told otherwise. */
  function openWindow(
    secrets: Secrets = { key: undefined },
    options: Partial<LocalServiceOptions> = {},
  ): { service: LocalService; events: string[] } {
    const events: string[] = [];
    const env = { PATH: process.env['PATH'], HOME: home, [homeVariable]: home };
    const service = new LocalService({
      script,
      runtime: process.execPath,
      folders: serviceFolders(process.platform, env, home),
      environment: () =>
        serviceEnvironment(env, {
          proxy: undefined,
          noProxy: [],
          useProxy: true,
          systemCertificates: false,
        }),
      version: '0.0.1',
      fetch: (url, init) => globalThis.fetch(url, init),
      keyPlace: {
        get: async () => secrets.key,
        set: async (key) => {
          secrets.key = key;
        },
      },
      onEvent: (event) => events.push(event),
      t: english,
      ...options,
    });
    windows.push(service);
    return { service, events };
  }

  const clientOf = async (service: LocalService): Promise<JobClient> => (await service.connect(never)).client;
  const pidNow = async (): Promise<number | undefined> => (await readAddress(home))?.pid;
  const started = (events: readonly string[]): number =>
    events.filter((event) => event === 'The local service is being started').length;

  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-start-'));
    data = path.join(home, 'data');
  });

  afterEach(async () => {
    for (const window of windows.splice(0)) window.dispose();
    await stopLocalService(home);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it('gives a client that the service accepts, with a key that is on no disk', async () => {
    const secrets: Secrets = { key: undefined };
    const client = await clientOf(openWindow(secrets).service);
    await client.putProject('docs', { repository: home });
    assert.deepEqual((await client.list('docs')).jobs, []);
    assert.match(secrets.key ?? '', /^local_[\w-]{43}$/);
    const hashes = path.join(data, 'key-hashes');
    assert.ok(!(await readFile(hashes, 'utf8')).includes(secrets.key ?? ''));
    if (process.platform !== 'win32') assert.equal((await stat(hashes)).mode & 0o777, 0o600);
  });

  it('comes to one service for windows and commands that ask at the same time', async () => {
    const secrets: Secrets = { key: undefined };
    const opened = Array.from({ length: 3 }, () => openWindow(secrets));
    const clients = await Promise.all(
      opened.flatMap(({ service }) => [clientOf(service), clientOf(service)]),
    );
    assert.equal(new Set(clients.map(({ origin }) => origin)).size, 1);
    assert.equal(clients[0]?.origin, (await readAddress(home))?.url);
    // Each of the keys that windows may have made at the same time works.
    for (const client of clients) await client.putProject('docs', { repository: home });
  });

  it('is not needed for the second window', async () => {
    const secrets: Secrets = { key: undefined };
    const first = await clientOf(openWindow(secrets).service);
    const { service, events } = openWindow(secrets);
    assert.equal((await clientOf(service)).origin, first.origin);
    assert.equal(started(events), 0);
  });

  it('happens again after the service has ended itself', async () => {
    const { service, events } = openWindow();
    await (await clientOf(service)).shutdown();
    const client = await clientOf(service);
    await client.putProject('docs', { repository: home });
    assert.ok(started(events) >= 2);
  });

  it('happens again after the service was killed, which leaves its address behind', async () => {
    const { service, events } = openWindow();
    await clientOf(service);
    const pid = (await pidNow()) ?? assert.fail();
    process.kill(pid, 'SIGKILL');
    await until(async () => !isAlive(pid));
    await (await clientOf(service)).putProject('docs', { repository: home });
    assert.equal(started(events), 2);
  });

  it('is not fooled by another process at the address of a dead service', async () => {
    const heard: { url: string | undefined; key: string | undefined }[] = [];
    const impostor = createServer((request, response) => {
      heard.push({ url: request.url, key: request.headers.authorization });
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ status: 'ok', version: '9.9.9', proof: '0'.repeat(64) }));
    }).listen(0, '127.0.0.1');
    try {
      await once(impostor, 'listening');
      const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
      await mkdir(data, { recursive: true, mode: 0o700 });
      const address = { url, pid: process.pid, version: '9.9.9', secret: 's'.repeat(43) };
      await writeFile(path.join(data, 'service.json'), JSON.stringify(address), { mode: 0o600 });

      const client = await clientOf(openWindow().service);
      await client.putProject('docs', { repository: home });
      assert.notEqual(client.origin, url);
      assert.ok(heard.length > 0, 'the impostor was asked');
      for (const { url: asked, key } of heard) {
        assert.match(asked ?? '', /^\/healthz\?challenge=/);
        assert.equal(key, undefined);
      }
    } finally {
      impostor.closeAllConnections();
      impostor.close();
    }
  });

  it('replaces an older service that is idle', async () => {
    const secrets: Secrets = { key: undefined };
    await clientOf(openWindow(secrets).service);
    const before = await pidNow();
    const { service, events } = openWindow(secrets, { version: '999.0.0' });
    await (await clientOf(service)).putProject('docs', { repository: home });
    assert.notEqual(await pidNow(), before);
    const starts = started(events);
    assert.ok(starts >= 1);
    await clientOf(service);
    assert.equal(started(events), starts, 'what was just started is not replaced again');
  });

  it('leaves an older service that has a job, and does not ask it each time', async function () {
    if (process.platform === 'win32') this.skip();
    const bin = await stallingGit(home);
    const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, [homeVariable]: home };
    const secrets: Secrets = { key: undefined };
    const client = await clientOf(openWindow(secrets, { environment: () => env }).service);
    const repository = path.join(home, 'repository');
    await mkdir(path.join(repository, '.git'), { recursive: true });
    await client.putProject('docs', { repository });
    const job = await client.create('docs', 'Fix broken links');
    assert.equal(job.status, 'active');

    const before = await pidNow();
    const { service, events } = openWindow(secrets, { version: '999.0.0' });
    assert.equal((await clientOf(service)).origin, client.origin);
    await clientOf(service);
    assert.equal(await pidNow(), before);
    assert.deepEqual(events, ['An older local service is busy and stays in use']);
  });

  it('leaves a newer service alone', async () => {
    const secrets: Secrets = { key: undefined };
    await clientOf(openWindow(secrets).service);
    const { service, events } = openWindow(secrets, { version: '0.0.0' });
    await clientOf(service);
    assert.deepEqual(events, []);
  });

  it('makes a new key when the secret storage has lost it', async () => {
    const secrets: Secrets = { key: undefined };
    const { service } = openWindow(secrets);
    await clientOf(service);
    secrets.key = undefined;
    await (await clientOf(service)).putProject('docs', { repository: home });
  });

  it('makes the key known again when the file of hashes was removed or left half written', async () => {
    const { service } = openWindow();
    await clientOf(service);
    await writeFile(path.join(data, 'key-hashes'), 'abc');
    await (await clientOf(service)).putProject('docs', { repository: home });
  });

  it('is told with its reason when it fails, and can be tried again', async () => {
    await mkdir(data, { recursive: true, mode: 0o700 });
    const config = path.join(data, 'config.json');
    await writeFile(config, '{ "port": "many" }', { mode: 0o600 });
    const { service } = openWindow();
    await assert.rejects(clientOf(service), (error) => {
      assert.ok(error instanceof UserError);
      assert.equal(error.code, 'local_service_failed');
      assert.match(error.message, /configuration.*port/i);
      assert.deepEqual(error.remedies, ['showLog']);
      return true;
    });
    await rm(config);
    await clientOf(service);
  });

  it('is told when there is no program to run', async () => {
    const { service } = openWindow(undefined, { runtime: path.join(home, 'no-such-program') });
    await assert.rejects(clientOf(service), { code: 'local_service_failed' });
  });

  it('goes on for the others when one gives up', async () => {
    const { service } = openWindow();
    const stop = new AbortController();
    const hasty = service.connect(stop.signal);
    const patient = clientOf(service);
    stop.abort();
    await assert.rejects(hasty, (error) => error instanceof ApiError && error.code === 'cancelled');
    await (await patient).putProject('docs', { repository: home });
  });

  it('lasts longer than the window that did it', async () => {
    const secrets: Secrets = { key: undefined };
    const { service } = openWindow(secrets);
    const { origin } = await clientOf(service);
    service.dispose();
    assert.equal((await clientOf(openWindow(secrets).service)).origin, origin);
  });
});
