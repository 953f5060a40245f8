import { createHash, randomBytes } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '../client/api-error.ts';
import { checkHealth } from '../client/check-health.ts';
import type { Fetch } from '../client/transport.ts';
import { addressFileName, addressFileSchema, isProof, type AddressFile } from '../contract/local-service.ts';

/** `absent`: nobody is there, or somebody who did not write the address file. */
export type LocalServiceState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'stopping' }
  | {
      readonly kind: 'running';
      readonly url: string;
      readonly version: string;
      /** Another one after each start: a service that starts again may have the same address. */
      readonly instance: string;
    };

/**
 * Looks for the local service. Whoever answers at the address has to prove that it wrote the address
 * file, which only this user can read: another process may have taken the port of a dead service.
 * Nothing secret is sent.
 */
export async function findLocalService(
  dataFolder: string,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<LocalServiceState> {
  const address = await readAddress(dataFolder);
  if (address === undefined) return { kind: 'absent' };
  const challenge = randomBytes(32).toString('base64url');
  try {
    const health = await checkHealth(address.url, fetch, { challenge, signal });
    if (!isProof(address.secret, challenge, health.proof)) return { kind: 'absent' };
    if (health.status === 'stopping') return { kind: 'stopping' };
    const instance = createHash('sha256').update(address.secret, 'utf8').digest('hex');
    return { kind: 'running', url: address.url, version: health.version, instance };
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'cancelled') return { kind: 'absent' };
    throw error;
  }
}

async function readAddress(dataFolder: string): Promise<AddressFile | undefined> {
  try {
    const text = await readFile(path.join(dataFolder, addressFileName), 'utf8');
    return addressFileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Some file systems (network homes, exhausted watches) report no changes, so one looks anyway. Milliseconds. */
const lookAnywayMs = 500;

/**
 * Tells when the data folder may have changed: `next` settles at the next change, or after a moment for
 * file systems that report none. What happened before `next` is called counts, too.
 */
export class FolderChanges implements Disposable {
  readonly #watcher: FSWatcher | undefined;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(folder: string) {
    try {
      this.#watcher = watch(folder, () => this.notify());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  /** Something else happened that is worth a look, for example the end of the process. */
  notify(): void {
    this.#changed = true;
    this.#wake?.();
  }

  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookAnywayMs);
        const wake = (): void => {
          clearTimeout(timer);
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener('abort', wake, { once: true });
      });
    }
    this.#wake = undefined;
    this.#changed = false;
    signal.throwIfAborted();
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }
}
