import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createApp } from '../../src/adapters/http/app.ts';
import { KeyHashes } from '../../src/adapters/files/key-hashes.ts';
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { SqliteJobStore } from '../../src/adapters/sqlite/sqlite-job-store.ts';
import { SqliteProjectStore } from '../../src/adapters/sqlite/sqlite-project-store.ts';
import { hashKey, keyHashesFileName } from '../../src/contract/local-service.ts';
import { JobService } from '../../src/service/job-service.ts';
import { JobSignals } from '../../src/service/job-signals.ts';
import { defaultRequestLimits, type RequestLimits } from '../../src/service/limits.ts';
import type { Log } from '../../src/service/ports/log.ts';
import type { JobStore } from '../../src/service/ports/job-store.ts';
import type { ReviewActionResult, Reviews } from '../../src/service/ports/reviews.ts';
import { AgentStand } from './agent-stand.ts';
import { reviewView } from './review-views.ts';

export const testKey = 'test_key_of_the_service_app';
export const testSecret = 's'.repeat(43);
export const testPort = 4711;
export const testOrigin = `http://127.0.0.1:${testPort}`;

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: unknown;
}

/** The HTTP side of the service over a real store in a folder of its own, with scripted reviews and no worker. */
export interface ServiceApp extends AsyncDisposable {
  readonly folder: string;
  readonly store: JobStore;
  readonly signals: JobSignals;
  readonly jobs: JobService;
  readonly lines: LogLine[];
  readonly hostTokens: Map<string, string>;
  /** The agents, on a clock that stands still. */
  readonly stand: AgentStand;
  /** Calls of the review port, such as `merge review-token`. */
  readonly clicks: string[];
  readonly stop: AbortController;
  /** How many things hold the service awake now. */
  readonly holds: () => number;
  /** As it comes, without a key. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** With the key, and a body as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

export interface ServiceAppOptions {
  readonly limits?: RequestLimits;
  readonly diff?: () => Promise<string>;
  readonly reviews?: Partial<Reviews>;
}

export async function startServiceApp(options: ServiceAppOptions = {}): Promise<ServiceApp> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-app-'));
  await writeFile(path.join(folder, keyHashesFileName), `${hashKey(testKey)}\n`);
  const database = openDatabase(path.join(folder, 'jobs.db'));
  const store = new SqliteJobStore(database);
  const signals = new JobSignals();
  const hostTokens = new Map<string, string>();
  const stand = new AgentStand();
  const lines: LogLine[] = [];
  const clicks: string[] = [];
  const stop = new AbortController();
  let holds = 0;
  const write =
    (level: LogLine['level']): Log['info'] =>
    (message, fields) =>
      void lines.push({ level, message, fields });
  const jobs = new JobService({
    store,
    projects: new SqliteProjectStore(database),
    workspaces: { diff: options.diff ?? (async () => '') },
    signals,
    limits: options.limits ?? defaultRequestLimits,
    defaultAgent: 'rules',
    baseUrl: () => testOrigin,
    rememberHostToken: (projectId, token) => void hostTokens.set(projectId, token),
  });
  const click =
    (name: string) =>
    async (token: string): Promise<ReviewActionResult | undefined> => {
      clicks.push(`${name} ${token}`);
      return token === 'review-token' ? { done: true, message: `Done: ${name}.` } : undefined;
    };
  const { fetch } = createApp({
    jobs,
    reviews: {
      view: async (token) => (token === 'review-token' ? reviewView() : undefined),
      merge: click('merge'),
      close: click('close'),
      checkOut: click('checkOut'),
      ...options.reviews,
    },
    agents: stand.service,
    editorModels: stand.editorModels,
    keys: new KeyHashes(path.join(folder, keyHashesFileName)),
    identity: { version: '1.2.3', secret: testSecret },
    lifecycle: {
      stopping: stop.signal,
      stopWhenIdle: async () => {
        if ((await jobs.activeCount()) > 0) return false;
        stop.abort();
        return true;
      },
      hold: () => {
        holds++;
        let held = true;
        return {
          [Symbol.dispose]: () => {
            if (held) holds--;
            held = false;
          },
        };
      },
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    port: testPort,
    isReady: () => jobs.activeCount().then(() => true),
  });
  const request = (place: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new Request(new URL(place, testOrigin), init));
  return {
    folder,
    store,
    signals,
    jobs,
    lines,
    hostTokens,
    stand,
    clicks,
    stop,
    holds: () => holds,
    fetch: request,
    call: (method, place, body, headers) =>
      request(place, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          Authorization: `Bearer ${testKey}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
      }),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      stand.editorModels[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
      database.close();
      await rm(folder, { recursive: true });
    },
  };
}
