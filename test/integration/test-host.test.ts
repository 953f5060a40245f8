import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { addressFileName } from '../../src/contract/local-service.ts';
import { noCounts, type Counts } from '../support/counts.ts';
import { runNodeSuite } from '../support/node-suite.ts';
import { stopLocalService } from '../support/vscode-host/local-service.ts';
import { OwnedProcess } from '../support/vscode-host/owned-process.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A process and a child of it, both of which hold the output open for a minute. */
const parentWithChild = `
  const { spawn } = require('node:child_process');
  const child = 'console.log("ready"); setTimeout(() => {}, 60000)';
  spawn(process.execPath, ['-e', child], { stdio: ['ignore', 'inherit', 'ignore'] });
  setTimeout(() => {}, 60000);`;

describe('The test host', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-host-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('ends a process together with what that started', async () => {
    const owned = new OwnedProcess(process.execPath, ['-e', parentWithChild], { stdio: 'pipe' });
    const { stdout } = owned.child;
    assert.ok(stdout);
    await once(stdout, 'data');
    // It closes when the last process that holds it has ended.
    const closed = once(stdout, 'close');
    await owned[Symbol.asyncDispose]();
    await closed;
  });

  it('does not end a process that only has the id which a stale address file names', async () => {
    await using innocent = new OwnedProcess(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], {});
    // Something answers at the old address, but it does not know the secret of the file.
    const server = createServer((_, response) => {
      response.end(JSON.stringify({ status: 'ok', version: '1', proof: createHash('sha256').digest('hex') }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const address = { url, pid: innocent.child.pid, version: '1', secret: 'a'.repeat(64) };
    await mkdir(path.join(folder, 'data'));
    await writeFile(path.join(folder, 'data', addressFileName), JSON.stringify(address));
    await stopLocalService(folder);
    assert.equal(isRunning(innocent.child.pid ?? 0), true);
    server.close();
  });

  describe('running test files', () => {
    const run = async (
      source: string,
      options: { lingerMs?: number; retries?: number } = {},
    ): Promise<Counts> => {
      await writeFile(path.join(folder, 'planted.test.ts'), source);
      return runNodeSuite([path.relative(root, folder)], { ...options, quiet: true });
    };

    it('counts what passed, failed and was skipped', async () => {
      const source = `it('a', () => {}); it('b'); it('c', () => { throw new Error('planted'); });`;
      const { failures, ...others } = await run(source);
      assert.equal(others.passed, 1);
      assert.equal(others.skipped, 1);
      assert.equal(failures.length, 1);
      assert.match(String(failures[0]), /^c\nError: planted\n/);
    });

    it('finds no test in an empty folder', async () => {
      assert.deepEqual(await run(''), noCounts);
    });

    it('counts a file that cannot be loaded as a failure', async () => {
      const { failures } = await run(`throw new Error('planted');`);
      assert.match(failures.join(), /: The tests ended with 1 before they reported\.$/);
    });

    it('tries again only what it is told to, and tells why', async () => {
      const source = `let tries = 0; it('a', () => { if (tries++ === 0) throw new Error('planted'); });`;
      assert.equal((await run(source)).failures.length, 1);
      const { passed, failures, secondTries } = await run(source, { retries: 1 });
      assert.deepEqual({ passed, failures }, { passed: 1, failures: [] });
      assert.equal(secondTries.length, 1);
      assert.match(secondTries.join(), /^a\nError: planted/);
    });

    it('counts a promise that fails and that nobody looks at as a failure, once', async () => {
      const source = `it('a', async () => {
        void Promise.reject(new Error('planted'));
        await new Promise((resolve) => setImmediate(resolve));
      });`;
      const { passed, failures } = await run(source);
      assert.equal(passed, 1);
      assert.equal(failures.length, 1);
      assert.match(failures.join(), /^A promise failed that nobody looked at, during: a\nError: planted/);
    });

    it('counts what stays alive after the tests as a failure', async () => {
      const source = `it('a', () => { setInterval(() => {}, 1000); });`;
      const { passed, failures } = await run(source, { lingerMs: 100 });
      assert.equal(passed, 1);
      assert.match(failures.join(), /: Something stayed alive after the tests\.$/);
    });
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
