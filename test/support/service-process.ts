import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { AgentJob } from '../../src/contract/job.ts';
import {
  type AddressFile,
  addressFileSchema,
  hashKey,
  homeVariable,
} from '../../src/contract/local-service.ts';
import { routes } from '../../src/contract/routes.ts';

export const serviceScript = path.join(import.meta.dirname, '..', '..', 'src', 'service.ts');
export const processKey = 'test_key_of_the_process';

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it has written on standard error. */
  readonly errors: () => string;
}

/** Real processes of the local service with a home of their own. Disposing ends them and removes it. */
export class ServiceHome implements AsyncDisposable {
  readonly home: string;
  readonly data: string;
  readonly #started: ServiceProcess[] = [];

  private constructor(home: string) {
    this.home = home;
    this.data = path.join(home, 'data');
  }

  static async create(): Promise<ServiceHome> {
    const made = new ServiceHome(await mkdtemp(path.join(os.tmpdir(), 'docs-agent-process-')));
    await mkdir(made.data, { mode: 0o700 });
    await writeFile(path.join(made.data, 'key-hashes'), `${hashKey(processKey)}\n`, { mode: 0o600 });
    return made;
  }

  get environment(): Record<string, string | undefined> {
    return { PATH: process.env['PATH'], HOME: this.home, [homeVariable]: this.home };
  }

  start(env: Record<string, string> = {}): ServiceProcess {
    const child = spawn(process.execPath, [serviceScript], {
      env: { ...this.environment, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    // `close` comes once the output has been read to its end.
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    const one: ServiceProcess = { child, ended, errors: () => errors };
    this.#started.push(one);
    return one;
  }

  /** What the address file says, undefined while there is none. */
  async readAddress(): Promise<AddressFile | undefined> {
    const text = await readFile(path.join(this.data, 'service.json'), 'utf8').catch(() => 'null');
    return addressFileSchema.safeParse(JSON.parse(text)).data;
  }

  /** Waits for the address file of this very process. */
  async address(of: ServiceProcess): Promise<AddressFile> {
    const stop = new AbortController();
    const changes = watch(this.data, { signal: stop.signal });
    try {
      for (;;) {
        const next = once(changes, 'change', { signal: stop.signal });
        const found = await this.readAddress();
        if (found?.pid === of.child.pid && found !== undefined) return found;
        const over = of.ended.then(({ code }) => assert.fail(`ended with ${code}: ${of.errors()}`));
        await Promise.race([next, over]);
      }
    } finally {
      stop.abort();
      changes.close();
    }
  }

  /** Creates a job on a folder, by default on one that there is not: then it ends `failed` by itself, soon. */
  async createJob(url: string, repository = path.join(this.home, 'no-such-folder')): Promise<AgentJob> {
    assert.equal((await callService(url, 'PUT', routes.project('docs'), { repository })).status, 200);
    const response = await callService(url, 'POST', routes.createJob('docs'), { prompt: 'Fix broken links' });
    assert.equal(response.status, 201);
    return (await response.json()) as AgentJob;
  }

  /** A repository, and the environment with a git that hangs for a minute unless it is killed: jobs on it stay under way. */
  async stallGit(): Promise<{ env: Record<string, string>; repository: string }> {
    const bin = await stallingGit(this.home);
    const repository = path.join(this.home, 'repository');
    await mkdir(path.join(repository, '.git'), { recursive: true });
    return { env: { PATH: `${bin}:${process.env['PATH']}` }, repository };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, ended } of this.#started) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    }
    // One that a case has not started itself, but had started.
    const left = await this.readAddress();
    if (left !== undefined && isAlive(left.pid)) {
      process.kill(left.pid, 'SIGKILL');
      await until(async () => !isAlive(left.pid));
    }
    await rm(this.home, { recursive: true, maxRetries: 5 });
  }
}

/** A request with the key. */
export function callService(url: string, method: string, place: string, body?: unknown): Promise<Response> {
  return fetch(url + place, {
    method,
    headers: { Authorization: `Bearer ${processKey}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
}

export async function jobOf(url: string, id: string): Promise<AgentJob> {
  return (await (await callService(url, 'GET', routes.job('docs', id))).json()) as AgentJob;
}

/** Asks again until it is so, for at most 20 seconds: a vain wait must not go on behind a case that has failed. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(20_000);
  while (!(await isSo())) {
    limit.throwIfAborted();
    // A breath, not a busy loop: what is waited for needs the processor.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process runs. One that has ended but that nobody has collected yet still has its number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A git that answers its version and hangs at everything else, so that a job stays under way. */
export async function stallingGit(home: string): Promise<string> {
  const bin = path.join(home, 'bin');
  await mkdir(bin);
  const lines = [
    '#!/bin/sh',
    'case "$*" in',
    '  *version*) echo git version 2.45.0 ;;',
    '  *) exec sleep 60 ;;',
    'esac',
  ];
  await writeFile(path.join(bin, 'git'), `${lines.join('\n')}\n`);
  await chmod(path.join(bin, 'git'), 0o755);
  return bin;
}
