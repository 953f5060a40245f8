import { once } from 'node:events';
import { type FSWatcher, mkdirSync, watch, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readAddressFile } from '../../src/adapters/files/address-file.ts';
import { JobClient } from '../../src/client/job-client.ts';
import { type JobEvent, jobEventSchema } from '../../src/contract/events.ts';
import {
  type AddressFile,
  hashKey,
  homeVariable,
  keyHashesFileName,
  type ServiceFolders,
  serviceFolders,
} from '../../src/contract/local-service.ts';
import { routes } from '../../src/contract/routes.ts';
import { configFileName } from '../../src/service/config.ts';
import { OwnedProcess } from './vscode-host/owned-process.ts';

export interface ServiceSettings {
  /** What Node runs, see `bundleService`. */
  readonly entry: string;
  /** Its configuration file; may hold tokens. */
  readonly config?: object;
  /** Variables beside the few that it needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Placed first on its path. */
  readonly binFolder?: string;
  /** Where Node keeps what it compiled: each start after the first one is quicker. */
  readonly compiled?: string;
}

interface Run {
  readonly owned: OwnedProcess;
  readonly address: AddressFile;
  readonly client: JobClient;
}

/** The last word of an event stream. */
const ends: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'cancelled']);

/**
 * The whole service, one process after the other on the same folders below `home`, which outlive each
 * of them. Disposing ends the process; the folder belongs to whoever made it.
 */
export class KillableService implements AsyncDisposable {
  readonly home: string;
  readonly folders: ServiceFolders;
  readonly key = 'test_key_of_the_killable_service';
  /** What all its processes said on standard error. */
  stderr = '';
  readonly #settings: ServiceSettings;
  /** Also while it starts. */
  #owned: OwnedProcess | undefined;
  #run: Run | undefined;

  private constructor(home: string, settings: ServiceSettings) {
    this.home = home;
    this.#settings = settings;
    this.folders = serviceFolders(process.platform, { [homeVariable]: home }, os.homedir());
  }

  /** Resolves when the service answers. */
  static async start(home: string, settings: ServiceSettings): Promise<KillableService> {
    const service = new KillableService(home, settings);
    const { data } = service.folders;
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(data, keyHashesFileName), `${hashKey(service.key)}\n`);
    if (settings.config !== undefined) {
      writeFileSync(path.join(data, configFileName), JSON.stringify(settings.config), { mode: 0o600 });
    }
    await service.restart();
    return service;
  }

  get client(): JobClient {
    return this.#running.client;
  }

  get pid(): number {
    return this.#running.address.pid;
  }

  /** As a power cut or the kernel ends it, also while it starts: nothing of it runs any more. What it started may. */
  async kill9(): Promise<void> {
    const owned = this.#owned;
    if (owned === undefined) throw new Error('The service does not run.');
    this.#run = undefined;
    owned.child.kill('SIGKILL');
    await owned.ended;
  }

  /** As its user ends it. Answers the exit code. */
  async stop(): Promise<number | NodeJS.Signals> {
    const { owned } = this.#running;
    this.#run = undefined;
    owned.child.kill('SIGTERM');
    return owned.ended;
  }

  /** Starts it on the folders of the one before. Throws with what it said when it ends instead. */
  async restart(): Promise<void> {
    const { data } = this.folders;
    using watching = watchFolder(data);
    const owned = new OwnedProcess(process.execPath, [this.#settings.entry], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: this.#environment(),
    });
    this.#owned = owned;
    owned.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    const ended = owned.ended.then((code) => {
      throw new Error(`The service ended with ${code} instead of starting: ${this.stderr}`);
    });
    ended.catch(() => undefined);
    let address = readAddressFile(data);
    // One that was killed has left its own.
    while (address?.pid !== owned.child.pid || address === undefined) {
      await Promise.race([once(watching.watcher, 'change'), ended]);
      address = readAddressFile(data);
    }
    const client = new JobClient({ baseUrl: address.url, apiKey: this.key, fetch });
    this.#run = { owned, address, client };
  }

  /** The job's events as they come, until it has ended. */
  async *events(projectId: string, jobId: string, after = 0): AsyncGenerator<JobEvent, void, undefined> {
    const url = `${this.#running.address.url}${routes.events(projectId, jobId)}?cursor=${after}`;
    const headers = { Authorization: `Bearer ${this.key}`, Accept: 'text/event-stream' };
    const answer = await fetch(url, { headers });
    if (!answer.ok || answer.body === null) throw new Error(`The event stream answered ${answer.status}.`);
    let text = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) yield jobEventSchema.parse(JSON.parse(data));
      }
    }
  }

  /** Waits for the first event that fits. Throws when the job ends without one. */
  async event(
    projectId: string,
    jobId: string,
    fits: (event: JobEvent) => boolean,
    after = 0,
  ): Promise<JobEvent> {
    for await (const event of this.events(projectId, jobId, after)) if (fits(event)) return event;
    throw new Error('The job ended without the event that was waited for.');
  }

  /** Waits until the job has ended. All its events. */
  async ended(projectId: string, jobId: string): Promise<JobEvent[]> {
    const events: JobEvent[] = [];
    for await (const event of this.events(projectId, jobId)) events.push(event);
    if (!ends.has(events.at(-1)?.type)) throw new Error('The event stream broke off.');
    return events;
  }

  /** Its database, also while it runs. To be disposed. */
  database(): DatabaseSync {
    const database = new DatabaseSync(path.join(this.folders.data, 'jobs.db'));
    database.exec('PRAGMA busy_timeout = 60000');
    return database;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned?.[Symbol.asyncDispose]();
    this.#run = undefined;
  }

  get #running(): Run {
    if (this.#run === undefined) throw new Error('The service does not run.');
    return this.#run;
  }

  #environment(): NodeJS.ProcessEnv {
    const { binFolder, compiled, env } = this.#settings;
    const programs = process.env['PATH'] ?? '';
    return {
      PATH: binFolder === undefined ? programs : `${binFolder}${path.delimiter}${programs}`,
      // A home of its own: nothing of the machine's git configuration and sign-ins.
      HOME: this.home,
      GIT_CONFIG_NOSYSTEM: '1',
      ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
      [homeVariable]: this.home,
      ...env,
    };
  }
}

function watchFolder(folder: string): Disposable & { readonly watcher: FSWatcher } {
  const watcher = watch(folder);
  return { watcher, [Symbol.dispose]: () => watcher.close() };
}
