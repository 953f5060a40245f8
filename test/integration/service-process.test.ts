import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type AddressFile, isProof, serviceExitCodes } from '../../src/contract/local-service.ts';
import { healthSchema } from '../../src/contract/requests.ts';
import { routes } from '../../src/contract/routes.ts';
import {
  callService,
  isAlive,
  jobOf,
  processKey,
  ServiceHome,
  serviceScript,
  until,
} from '../support/service-process.ts';

const posix = process.platform !== 'win32';

/** A free port below those that systems give out by themselves. */
async function quietPort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 5_000); ; port += 1) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

describe('The process of the local service', function () {
  this.timeout(60_000);
  let home: ServiceHome;
  beforeEach(async () => {
    home = await ServiceHome.create();
  });
  afterEach(() => home[Symbol.asyncDispose]());

  const log = (): Promise<string> => readFile(path.join(home.data, 'service.log'), 'utf8');

  it('says where it is, to its user only, and proves that it is the one', async () => {
    const service = home.start();
    const { url, secret, version } = await home.address(service);
    const health = healthSchema.parse(await (await fetch(`${url}/healthz?challenge=c1`)).json());
    assert.deepEqual([health.status, health.version], ['ok', version]);
    assert.ok(isProof(secret, 'c1', health.proof));
    assert.equal((await fetch(`${url}${routes.ready()}`)).status, 200);
    if (posix) {
      const mode = async (name: string) => ((await stat(name)).mode & 0o777).toString(8);
      assert.equal(await mode(path.join(home.data, 'service.json')), '600');
      assert.equal(await mode(path.join(home.data, 'service.log')), '600');
      assert.equal(await mode(path.join(home.data, 'jobs.db-wal')), '600');
      assert.equal(await mode(home.data), '700');
      assert.equal(await mode(path.join(home.home, 'cache')), '700');
    }
    for (const text of [await log(), service.errors(), service.child.spawnargs.join(' ')]) {
      assert.ok(!text.includes(secret) && !text.includes(processKey));
    }
  });

  it('takes a job, runs it in the background, and tells its end', async () => {
    const { url } = await home.address(home.start());
    const { id } = await home.createJob(url);
    const stream = await fetch(url + routes.events('docs', id), {
      headers: { Authorization: `Bearer ${processKey}`, Accept: 'text/event-stream' },
      signal: AbortSignal.timeout(50_000),
    });
    // The stream ends with the job.
    assert.match(await stream.text(), /"type":"failed"/);
    const job = await jobOf(url, id);
    assert.equal(job.status, 'failed');
    assert.equal(job.error?.code, 'repository_unavailable');
  });

  it('lets no second one be, and says so by its exit code', async () => {
    const first = await home.address(home.start());
    const second = home.start();
    assert.deepEqual(await second.ended, { code: serviceExitCodes.alreadyRunning, signal: null });
    assert.equal((await fetch(`${first.url}/healthz`)).status, 200);
    assert.deepEqual(await home.readAddress(), first, "the second one left the first one's address alone");
  });

  it('starts again after kill -9, keeps its port, and loses no job', async () => {
    // Another process could get a port of the system's own choice while nobody has it.
    await writeFile(path.join(home.data, 'last-port'), String(await quietPort()));
    const first = home.start();
    const before = await home.address(first);
    const { id } = await home.createJob(before.url);
    first.child.kill('SIGKILL');
    await first.ended;
    await stat(path.join(home.data, 'service.json'));
    const second = home.start();
    const after = await home.address(second);
    assert.equal(after.url, before.url);
    assert.notEqual(after.secret, before.secret);
    await until(async () => (await jobOf(after.url, id)).status === 'failed');
  });

  it('takes another port when somebody has its last one', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    try {
      const { port } = blocker.address() as { port: number };
      await writeFile(path.join(home.data, 'last-port'), String(port));
      const { url } = await home.address(home.start());
      assert.notEqual(url, `http://127.0.0.1:${port}`);
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
    } finally {
      blocker.close();
      await once(blocker, 'close');
    }
  });

  it('outlives the process that started it', async () => {
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `const { spawn } = require('node:child_process');
         spawn(process.execPath, [${JSON.stringify(serviceScript)}], { detached: true, stdio: 'ignore' }).unref();`,
      ],
      { env: home.environment, stdio: 'ignore' },
    );
    await once(parent, 'exit');
    let found: AddressFile | undefined;
    await until(async () => {
      found = await home.readAddress();
      return found !== undefined;
    });
    assert.ok(found);
    const { url, pid } = found;
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal((await callService(url, 'POST', routes.shutdown())).status, 202);
    await until(async () => !isAlive(pid));
  });

  const misfits: readonly [string, () => Promise<void>, RegExp][] = [
    [
      'a configuration that is wrong',
      () =>
        writeFile(path.join(home.data, 'config.json'), '{"port": "http", "token": "s3cret"}', {
          mode: 0o600,
        }),
      /^The configuration of the Docs Agent service is not valid\. port: .*\n$/,
    ],
    [
      'a configuration that others can read',
      () => writeFile(path.join(home.data, 'config.json'), '{}', { mode: 0o644 }),
      /^The configuration file .*config\.json can be read or changed by other users\. Run: chmod 600 .*\n$/,
    ],
  ];
  for (const [what, make, sentence] of misfits) {
    it(`does not start with ${what}, and says it in one line`, async function () {
      if (!posix) this.skip();
      await make();
      const service = home.start();
      assert.equal((await service.ended).code, serviceExitCodes.misconfigured);
      assert.match(service.errors(), sentence);
      assert.doesNotMatch(service.errors(), /s3cret/);
      await assert.rejects(stat(path.join(home.data, 'service.json')), { code: 'ENOENT' });
    });
  }

  it('ends with a sentence when its database is broken', async () => {
    await writeFile(path.join(home.data, 'jobs.db'), 'this is no database'.repeat(1_000));
    const service = home.start();
    assert.equal((await service.ended).code, serviceExitCodes.crashed);
    assert.match(service.errors(), /\S/);
    assert.match(await log(), /The service could not go on/);
  });
});
