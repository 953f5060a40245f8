import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { AgentJob } from '../../src/contract/job.ts';
import {
  type AddressFile,
  addressFileSchema,
  hashKey,
  homeVariable,
  isProof,
  serviceExitCodes,
} from '../../src/contract/local-service.ts';
import { healthSchema } from '../../src/contract/requests.ts';
import { routes } from '../../src/contract/routes.ts';

const script = path.join(import.meta.dirname, '..', '..', 'src', 'service.ts');
const key = 'test_key_of_the_process';
const posix = process.platform !== 'win32';

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly errors: () => string;
}

describe('The process of the local service', function () {
  this.timeout(30_000);
  let home: string;
  let data: string;
  let started: Started[];

  beforeEach(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-process-'));
    data = path.join(home, 'data');
    started = [];
    await mkdir(data, { mode: 0o700 });
    await writeFile(path.join(data, 'key-hashes'), `${hashKey(key)}\n`, { mode: 0o600 });
  });
  afterEach(async () => {
    for (const { child, ended } of started) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    }
    await rm(home, { recursive: true, maxRetries: 5 });
  });

  function start(env: Record<string, string> = {}): Started {
    const child = spawn(process.execPath, [script], {
      env: { PATH: process.env['PATH'], HOME: home, [homeVariable]: home, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    // `close` comes once the output has been read to its end.
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    const one: Started = { child, ended, errors: () => errors };
    started.push(one);
    return one;
  }

  /** Waits for the address file of this very process. */
  async function address(of: Started): Promise<AddressFile> {
    const stop = new AbortController();
    const changes = watch(data, { signal: stop.signal });
    try {
      for (;;) {
        const next = once(changes, 'change', { signal: stop.signal });
        const text = await readFile(path.join(data, 'service.json'), 'utf8').catch(() => '{}');
        const found = addressFileSchema.safeParse(JSON.parse(text));
        if (found.success && found.data.pid === of.child.pid) return found.data;
        const over = of.ended.then(({ code }) => assert.fail(`ended with ${code}: ${of.errors()}`));
        await Promise.race([next, over]);
      }
    } finally {
      stop.abort();
      changes.close();
    }
  }

  function call(url: string, method: string, place: string, body?: unknown): Promise<Response> {
    return fetch(url + place, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
  }

  async function createJob(url: string): Promise<AgentJob> {
    // A folder that there is not: the job ends `failed` by itself, soon.
    const repository = path.join(home, 'no-such-folder');
    assert.equal((await call(url, 'PUT', routes.project('docs'), { repository })).status, 200);
    const response = await call(url, 'POST', routes.createJob('docs'), { prompt: 'Fix broken links' });
    assert.equal(response.status, 201);
    return (await response.json()) as AgentJob;
  }

  async function log(): Promise<string> {
    return readFile(path.join(data, 'service.log'), 'utf8');
  }

  it('says where it is, to its user only, and proves that it is the one', async () => {
    const service = start();
    const { url, secret, version } = await address(service);
    const health = healthSchema.parse(await (await fetch(`${url}/healthz?challenge=c1`)).json());
    assert.deepEqual([health.status, health.version], ['ok', version]);
    assert.ok(isProof(secret, 'c1', health.proof));
    assert.equal((await fetch(`${url}${routes.ready()}`)).status, 200);
    if (posix) {
      const mode = async (name: string) => ((await stat(name)).mode & 0o777).toString(8);
      assert.equal(await mode(path.join(data, 'service.json')), '600');
      assert.equal(await mode(path.join(data, 'service.log')), '600');
      assert.equal(await mode(data), '700');
      assert.equal(await mode(path.join(home, 'cache')), '700');
    }
    for (const text of [await log(), service.errors(), service.child.spawnargs.join(' ')]) {
      assert.ok(!text.includes(secret) && !text.includes(key));
    }
  });

  it('takes a job, runs it in the background, and tells its end', async () => {
    const { url } = await address(start());
    const { id } = await createJob(url);
    const stream = await fetch(url + routes.events('docs', id), {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/event-stream' },
      signal: AbortSignal.timeout(15_000),
    });
    // The stream ends with the job.
    assert.match(await stream.text(), /"type":"failed"/);
    const job = (await (await call(url, 'GET', routes.job('docs', id))).json()) as AgentJob;
    assert.equal(job.status, 'failed');
    assert.equal(job.error?.code, 'repository_unavailable');
  });

  it('lets no second one be, and says so by its exit code', async () => {
    const first = await address(start());
    const second = start();
    assert.deepEqual(await second.ended, { code: serviceExitCodes.alreadyRunning, signal: null });
    assert.equal((await fetch(`${first.url}/healthz`)).status, 200);
    const now = addressFileSchema.parse(JSON.parse(await readFile(path.join(data, 'service.json'), 'utf8')));
    assert.deepEqual(now, first, "the second one left the first one's address alone");
  });

  it('ends by itself when nobody needs it, and takes its address back', async () => {
    const service = start({ DOCS_AGENT_IDLE_MINUTES: '0.01' });
    await address(service);
    assert.deepEqual(await service.ended, { code: serviceExitCodes.ended, signal: null });
    await assert.rejects(stat(path.join(data, 'service.json')), { code: 'ENOENT' });
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`ends at ${signal}`, async function () {
      if (!posix) this.skip();
      const service = start();
      await address(service);
      service.child.kill(signal);
      assert.deepEqual(await service.ended, { code: serviceExitCodes.ended, signal: null });
      await assert.rejects(stat(path.join(data, 'service.json')), { code: 'ENOENT' });
    });
  }

  it('ends on request, when it is idle', async () => {
    const service = start();
    const { url } = await address(service);
    assert.equal((await call(url, 'POST', routes.shutdown())).status, 202);
    assert.equal((await service.ended).code, serviceExitCodes.ended);
  });

  it('ends also while somebody keeps a connection and reads a stream', async function () {
    if (!posix) this.skip();
    await stallGit();
    const service = start(stalled());
    const { url } = await address(service);
    const { id } = await createJobOn(url, await fakeRepository());
    const stream = await fetch(url + routes.events('docs', id), {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/event-stream' },
    });
    const text = stream.text();
    service.child.kill('SIGTERM');
    assert.match(await text, /created/, 'the stream ends at the first request to stop');
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, serviceExitCodes.ended);
  });

  /** A git that hangs until it is killed: a job that is under way for as long as a case needs. */
  const stalled = (): Record<string, string> => ({
    PATH: `${path.join(home, 'bin')}:${process.env['PATH']}`,
  });
  async function stallGit(): Promise<void> {
    await mkdir(path.join(home, 'bin'));
    const git = path.join(home, 'bin', 'git');
    const script = [
      '#!/bin/sh',
      'case "$*" in',
      '  *version*) echo git version 2.45.0 ;;',
      '  *) exec sleep 600 ;;',
      'esac',
    ];
    await writeFile(git, `${script.join('\n')}\n`);
    await chmod(git, 0o755);
  }
  async function fakeRepository(): Promise<string> {
    const folder = path.join(home, 'repository');
    await mkdir(path.join(folder, '.git'), { recursive: true });
    return folder;
  }
  async function createJobOn(url: string, repository: string): Promise<AgentJob> {
    await call(url, 'PUT', routes.project('docs'), { repository });
    return (await (
      await call(url, 'POST', routes.createJob('docs'), { prompt: 'Fix broken links' })
    ).json()) as AgentJob;
  }

  it('lets a running job go on at the first request to stop, and gives it back at the second', async function () {
    if (!posix) this.skip();
    await stallGit();
    const service = start(stalled());
    const { url } = await address(service);
    const { id } = await createJobOn(url, await fakeRepository());
    const refused = await call(url, 'POST', routes.shutdown());
    assert.equal(refused.status, 409);

    service.child.kill('SIGTERM');
    const stopping = await until(async () => {
      const health = healthSchema.parse(await (await fetch(`${url}/healthz`)).json());
      return health.status === 'stopping';
    });
    assert.ok(stopping);
    const late = await call(url, 'POST', routes.createJob('docs'), { prompt: 'x' });
    assert.equal(late.status, 503);
    assert.equal(
      ((await (await call(url, 'GET', routes.job('docs', id))).json()) as AgentJob).status,
      'active',
    );
    assert.equal(service.child.exitCode, null, 'it waits for the job');

    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, serviceExitCodes.ended);

    // The next process, with a git that works, ends the job.
    const next = start();
    const again = await address(next);
    assert.ok(
      await until(async () => {
        const job = (await (await call(again.url, 'GET', routes.job('docs', id))).json()) as AgentJob;
        return job.status === 'failed';
      }),
    );
  });

  it('waits no longer for running jobs than it is told to', async function () {
    if (!posix) this.skip();
    await stallGit();
    await writeFile(path.join(data, 'config.json'), '{"stopSeconds": 0.2}', { mode: 0o600 });
    const service = start(stalled());
    const { url } = await address(service);
    await createJobOn(url, await fakeRepository());
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, serviceExitCodes.ended);
  });

  /** Asks again until it is so; the time limit of the case ends a vain wait. */
  async function until(isSo: () => Promise<boolean>): Promise<boolean> {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
    return true;
  }

  it('starts again after kill -9, keeps its port, and loses no job', async () => {
    const first = start();
    const before = await address(first);
    const { id } = await createJob(before.url);
    first.child.kill('SIGKILL');
    await first.ended;
    await stat(path.join(data, 'service.json'));
    const second = start();
    const after = await address(second);
    assert.equal(after.url, before.url);
    assert.notEqual(after.secret, before.secret);
    assert.ok(
      await until(async () => {
        const job = (await (await call(after.url, 'GET', routes.job('docs', id))).json()) as AgentJob;
        return job.status === 'failed';
      }),
    );
  });

  it('takes another port when somebody has its last one', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    try {
      const { port } = blocker.address() as { port: number };
      await writeFile(path.join(data, 'last-port'), String(port));
      const { url } = await address(start());
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
         spawn(process.execPath, [${JSON.stringify(script)}], { detached: true, stdio: 'ignore' }).unref();`,
      ],
      { env: { PATH: process.env['PATH'], HOME: home, [homeVariable]: home }, stdio: 'ignore' },
    );
    await once(parent, 'exit');
    let found: AddressFile | undefined;
    await until(async () => {
      const text = await readFile(path.join(data, 'service.json'), 'utf8').catch(() => 'null');
      found = addressFileSchema.safeParse(JSON.parse(text)).data;
      return found !== undefined;
    });
    assert.ok(found);
    const { url, pid } = found;
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal((await call(url, 'POST', routes.shutdown())).status, 202);
    await until(async () => !isAlive(pid));
  });

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  const misfits: readonly [string, () => Promise<void>, RegExp][] = [
    [
      'a configuration that is wrong',
      () => writeFile(path.join(data, 'config.json'), '{"port": "http", "token": "s3cret"}', { mode: 0o600 }),
      /^The configuration of the Docs Agent service is not valid\. port: .*\n$/,
    ],
    [
      'a configuration that others can read',
      () => writeFile(path.join(data, 'config.json'), '{}', { mode: 0o644 }),
      /^The configuration file .*config\.json can be read or changed by other users\. Run: chmod 600 .*\n$/,
    ],
  ];
  for (const [what, make, sentence] of misfits) {
    it(`does not start with ${what}, and says it in one line`, async function () {
      if (!posix) this.skip();
      await make();
      const service = start();
      assert.equal((await service.ended).code, serviceExitCodes.misconfigured);
      assert.match(service.errors(), sentence);
      assert.doesNotMatch(service.errors(), /s3cret/);
      await assert.rejects(stat(path.join(data, 'service.json')), { code: 'ENOENT' });
    });
  }

  it('ends with a sentence when its database is broken', async () => {
    await writeFile(path.join(data, 'jobs.db'), 'this is no database'.repeat(1_000));
    const service = start();
    assert.equal((await service.ended).code, serviceExitCodes.crashed);
    assert.match(service.errors(), /\S/);
    assert.match(await log(), /The service could not go on/);
  });
});
