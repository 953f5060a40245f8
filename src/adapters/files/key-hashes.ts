import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hashKey } from '../../contract/local-service.ts';

/** Between two reads for unknown keys: guesses wait in one queue instead of each costing a read. */
const readIntervalMs = 250;
/** A key that was taken out of the file stops working within this time. */
const freshMs = 60_000;

/**
 * The API keys that the service accepts, known by their hashes alone. The extension appends its own
 * hash to the file while the service runs, so an unknown key makes it read again.
 */
export class KeyHashes {
  readonly #file: string;
  readonly #now: () => number;
  #hashes: readonly Buffer[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #next: Promise<void> | undefined;

  constructor(file: string, now: () => number = () => performance.now()) {
    this.#file = file;
    this.#now = now;
  }

  /** True when the file holds the key's hash. Throws only when the file is there but cannot be read. */
  async accepts(key: string): Promise<boolean> {
    const hash = Buffer.from(hashKey(key), 'hex');
    if (this.#now() - this.#readAt < freshMs && this.#has(hash)) return true;
    await this.#readAgain();
    return this.#has(hash);
  }

  /** Compares with every hash, so that the time tells nothing about which one was near. */
  #has(hash: Buffer): boolean {
    let found = false;
    for (const known of this.#hashes) found = timingSafeEqual(known, hash) || found;
    return found;
  }

  /** A read that begins after this call; whoever asks before it has begun shares it. */
  #readAgain(): Promise<void> {
    this.#next ??= this.#waitAndRead();
    return this.#next;
  }

  async #waitAndRead(): Promise<void> {
    // Always waits, at least a turn: `#next` is assigned only after this function has returned to its caller.
    await delay(Math.max(0, this.#readAt + readIntervalMs - this.#now()));
    this.#next = undefined;
    this.#readAt = this.#now();
    this.#hashes = parseKeyHashes(await readText(this.#file));
  }
}

/** Lines that are no SHA-256 are passed over: a half-written one must not lock everybody out. */
export function parseKeyHashes(text: string): readonly Buffer[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => /^[0-9a-f]{64}$/.test(line))
    .map((line) => Buffer.from(line, 'hex'));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
