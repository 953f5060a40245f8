import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, open, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../client/api-error.ts';
import { JobClient } from '../client/job-client.ts';
import type { Fetch } from '../client/transport.ts';
import { serviceExitCodes, type ServiceFolders } from '../contract/local-service.ts';
import { findLocalService, FolderChanges } from './local-address.ts';
import { localKey, type KeyPlace } from './local-key.ts';
import type { Translate } from './translate.ts';
import { untilAborted } from './until-aborted.ts';
import { UserError } from './user-error.ts';
import { isOlder } from './version-order.ts';

export interface LocalServiceOptions {
  /** The service's program: the bundle, or its source in tests. */
  readonly script: string;
  /** What runs it: the editor's own program as Node, or Node. */
  readonly runtime: string;
  readonly folders: ServiceFolders;
  /** Computed at each start, because settings change. */
  readonly environment: () => Record<string, string>;
  /** Of the extension. An older running service is replaced as soon as it is idle. */
  readonly version: string;
  readonly fetch: Fetch;
  readonly keyPlace: KeyPlace;
  readonly onEvent: (message: string) => void;
  readonly t: Translate;
}

/** A start takes a tenth of a second; a cold disk with a virus scanner has needed more than ten. Milliseconds. */
const startLimitMs = 30_000;
/** So many times another process that was just ending may have been in the way: a service ends within seconds. */
const mostStarts = 20;
/** Before another start, when another service has the lock. Milliseconds. */
const lockedPauseMs = 1_000;
const startLogName = 'start.log';
const maxStartLogBytes = 64 * 1024;

/** The service as it runs now. */
export interface LocalConnection {
  readonly client: JobClient;
  /** Another one after each start of the service, which then knows nothing that was kept in memory. */
  readonly instance: string;
}

interface Running {
  readonly url: string;
  readonly instance: string;
}

/**
 * The job service of this machine's user, shared by all windows. Started when it is needed and not there;
 * it ends itself when idle, and is started again the next time.
 */
export class LocalService {
  readonly #options: LocalServiceOptions;
  readonly #disposed = new AbortController();
  #starting: Promise<Running> | undefined;
  /** The version that refused to be replaced, so that it is not asked before every request. */
  #keptUrl: string | undefined;

  constructor(options: LocalServiceOptions) {
    this.#options = options;
  }

  /**
   * The running service; it is started when there is none. Windows that ask at the same time get the same.
   *
   * @throws UserError `local_service_failed` with the reason when it does not start.
   */
  async connect(signal: AbortSignal): Promise<LocalConnection> {
    const apiKey = await this.#key();
    // One start for all who ask; whoever gives up does not end it for the others.
    this.#starting ??= this.#ensureRunning(apiKey).finally(() => {
      this.#starting = undefined;
    });
    return this.#connection(await untilAborted(this.#starting, signal, cancelled), apiKey);
  }

  /** The service when it runs already. */
  async connectIfRunning(signal: AbortSignal): Promise<LocalConnection | undefined> {
    const { folders, fetch } = this.#options;
    const state = await findLocalService(folders.data, fetch, signal);
    return state.kind === 'running' ? this.#connection(state, await this.#key()) : undefined;
  }

  /** Stops waiting for a start. The service itself goes on: other windows and jobs need it. */
  dispose(): void {
    this.#disposed.abort();
  }

  async #key(): Promise<string> {
    const { folders, keyPlace } = this.#options;
    await mkdir(folders.data, { recursive: true, mode: 0o700 });
    return localKey(keyPlace, folders.data);
  }

  #connection({ url, instance }: Running, apiKey: string): LocalConnection {
    const { fetch } = this.#options;
    return { client: new JobClient({ baseUrl: url, apiKey, fetch, honoursIdempotency: true }), instance };
  }

  async #ensureRunning(apiKey: string): Promise<Running> {
    const { folders, fetch, version } = this.#options;
    const limit = AbortSignal.timeout(startLimitMs);
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    limit.addEventListener('abort', abort, { once: true });
    this.#disposed.signal.addEventListener('abort', abort, { once: true });
    using changes = new FolderChanges(folders.data);
    let child: RunningStart | undefined;
    let starts = 0;
    let startAfter = 0;
    try {
      for (;;) {
        const state = await findLocalService(folders.data, fetch, stop.signal);
        if (state.kind === 'running') {
          // What was just started is as new as it gets.
          if (starts > 0) this.#keptUrl = state.url;
          if (state.url === this.#keptUrl || !isOlder(state.version, version)) return state;
          if (!(await this.#replace(state.url, apiKey, stop.signal))) return state;
        }
        if (child?.ended?.failed === true) throw await this.#failure(child.ended);
        if (state.kind === 'absent' && child === undefined && performance.now() >= startAfter) {
          if (starts === mostStarts) throw await this.#failure(undefined);
          child = await this.#start(changes);
          starts++;
        } else if (child?.ended !== undefined) {
          // Another service has the lock: it is about to tell its address, or it is ending.
          child = undefined;
          startAfter = performance.now() + lockedPauseMs;
        }
        await changes.next(stop.signal);
      }
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw await this.#failure(child?.ended, error);
    } finally {
      limit.removeEventListener('abort', abort);
      this.#disposed.signal.removeEventListener('abort', abort);
    }
  }

  /** True when the older service is ending. It refuses while it has jobs; then it is used as it is. */
  async #replace(url: string, apiKey: string, signal: AbortSignal): Promise<boolean> {
    const client = new JobClient({ baseUrl: url, apiKey, fetch: this.#options.fetch });
    try {
      await client.shutdown({ signal });
      this.#options.onEvent('An older local service is being replaced');
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'cancelled') throw error;
      this.#keptUrl = url;
      this.#options.onEvent('An older local service is busy and stays in use');
      return false;
    }
  }

  async #start(changes: FolderChanges): Promise<RunningStart> {
    const { runtime, script, folders, environment } = this.#options;
    const log = path.join(folders.data, startLogName);
    await shorten(log);
    const output = openSync(log, 'a', 0o600);
    try {
      const child = spawn(runtime, [script], {
        // Not the extension's folder: Windows could not remove it at an update.
        cwd: folders.data,
        env: environment(),
        // Lives on when this window closes.
        detached: true,
        windowsHide: true,
        stdio: ['ignore', 'ignore', output],
      });
      const start = new RunningStart(child, () => changes.notify());
      child.unref();
      this.#options.onEvent('The local service is being started');
      return start;
    } finally {
      closeSync(output);
    }
  }

  async #failure(ended: StartEnd | undefined, cause?: unknown): Promise<UserError> {
    const said = await lastLine(path.join(this.#options.folders.data, startLogName));
    const { t } = this.#options;
    const sentence =
      ended?.failed === true && said !== undefined
        ? t('The local service could not be started. It says: {0}', said)
        : ended === undefined
          ? t(
              'The local service could not be started. It did not answer within {0} seconds.',
              startLimitMs / 1000,
            )
          : t('The local service could not be started. It ended at once ({0}).', ended.how);
    return new UserError('local_service_failed', sentence, {
      remedies: ['showLog'],
      cause: ended?.error ?? cause,
    });
  }
}

interface StartEnd {
  readonly failed: boolean;
  readonly how: string;
  readonly error?: Error;
}

/** A started process, as far as its beginning is concerned. */
class RunningStart {
  ended: StartEnd | undefined;

  constructor(child: ChildProcess, onEnd: () => void) {
    child.once('error', (error) => {
      this.ended = { failed: true, how: error.message, error };
      onEnd();
    });
    child.once('exit', (code, signal) => {
      this.ended ??= {
        failed: code !== serviceExitCodes.ended && code !== serviceExitCodes.alreadyRunning,
        how: signal ?? `code ${String(code)}`,
      };
      onEnd();
    });
  }
}

const cancelled = (): ApiError => new ApiError('cancelled', 'The request was cancelled.');

async function shorten(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxStartLogBytes) await truncate(file);
}

/** The last line that a process wrote before it ended, which is its reason. */
async function lastLine(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const length = Math.min(size, 2048);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').split(/\r?\n/);
    return lines.findLast((line) => line.trim() !== '')?.slice(0, 300);
  } catch {
    return undefined;
  }
}
