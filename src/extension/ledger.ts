import { watch, type FSWatcher } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, unfinishedSuffix, writeFileAtomically } from './atomic-file.ts';
import { isSameEntry, merge } from './entry-changes.ts';
import { entryFileStem, isEntryFileName, readEntryFile, writeEntryFile } from './entry-file.ts';
import { entryKey } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import type { EntryStore, StoredChange } from './job-model.ts';
import { isUnseen, isWatched } from './job-state.ts';

/** So many jobs are kept. Beyond that the oldest that ended go, looked-at ones first; a running one never. */
export const maxEntries = 200;

/** Longest entry file, in bytes: a prompt of full length and a generous summary fit several times. */
const maxFileBytes = 1024 * 1024;
/** One write makes several events, and a job of several windows several writes. In milliseconds. */
const coalesceMs = 50;
/** Between two scans where the file system tells no changes, such as some network drives. In milliseconds. */
const fallbackMs = 5000;
/** An unfinished file that is older, in milliseconds, has no writer any more. */
const unfinishedMs = 60_000;

/** What a window does at most once among all windows. */
export type ClaimPurpose = 'opened' | `announced-${number}`;

export interface LedgerOptions {
  /** A folder of the extension's global storage, used for nothing else. Made when it is missing. */
  readonly folder: string;
  readonly now: () => number;
  /** Told about what was set right or could not be, for the log. */
  readonly onTrouble: (message: string, error: unknown) => void;
}

/** Jobs as files, one each, shared by all windows of the user. */
export class Ledger implements EntryStore {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #onTrouble: LedgerOptions['onTrouble'];
  /** Which entry a file holds, to tell which one is gone when the file is. */
  readonly #keys = new Map<string, string>();
  /** The last write of each file, so that one follows the other. */
  readonly #writes = new Map<string, Promise<void>>();
  #listener: ((changes: readonly StoredChange[]) => void) | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #scan: Promise<void> | undefined;
  #scanAgain = false;
  #disposed = false;

  constructor(options: LedgerOptions) {
    this.#folder = options.folder;
    this.#now = options.now;
    this.#onTrouble = options.onTrouble;
  }

  /** All entries. A damaged file is set aside under another name; old entries beyond the bound are removed. */
  async load(): Promise<JobEntry[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#folder);
    await this.#removeUnfinished(names);
    const read = await Promise.all(names.filter(isEntryFileName).map(async (name) => this.#read(name)));
    const entries = read.filter((entry) => typeof entry === 'object');
    const surplus = surplusEntries(entries);
    await Promise.all(surplus.map(async (entry) => this.remove(entryKey(entry))));
    return entries.filter((entry) => !surplus.includes(entry));
  }

  async create(entry: JobEntry): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#write(entry, true);
  }

  async update(entry: JobEntry): Promise<void> {
    await this.#write(entry, false);
  }

  async remove(key: string): Promise<void> {
    const stem = entryFileStem(key);
    await this.#inTurn(`${stem}.json`, async () => {
      // Its key stays known until a scan misses the file: one that read it just before has told of it.
      const names = await readdir(this.#folder).catch(() => []);
      const files = names.filter((name) => name.startsWith(`${stem}.`));
      await Promise.all(files.map(async (name) => rm(this.#path(name), { force: true })));
    });
  }

  /** True for exactly one window, once: for the one that makes the mark first. */
  async claim(key: string, purpose: ClaimPurpose): Promise<boolean> {
    try {
      const file = await open(this.#path(`${entryFileStem(key)}.${purpose}.claim`), 'wx', 0o600);
      await file.close();
      return true;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EEXIST') this.#onTrouble('A mark in the ledger could not be made.', error);
      return false;
    }
  }

  /** Begins to tell what other windows write. What this window wrote itself may be told as well. */
  watch(listener: (changes: readonly StoredChange[]) => void): void {
    this.#listener = listener;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#scanSoon(coalesceMs));
      this.#watcher.on('error', (error) => this.#fallBack(error));
    } catch (error) {
      this.#fallBack(error);
    }
    this.#scanSoon(0);
  }

  /** Reads all files now, for example when the window got the focus. Ends when what was found has been told. */
  async rescan(): Promise<void> {
    if (this.#listener === undefined || this.#disposed) return;
    if (this.#scan !== undefined) {
      this.#scanAgain = true;
      await this.#scan;
      return;
    }
    this.#scan = this.#scanAll();
    await this.#scan;
  }

  dispose(): void {
    this.#disposed = true;
    this.#watcher?.close();
    clearTimeout(this.#timer);
  }

  #fallBack(error: unknown): void {
    if (this.#disposed) return;
    this.#onTrouble('Changes of the ledger are not told by the file system; it is read now and then.', error);
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#scanSoon(fallbackMs);
  }

  #scanSoon(ms: number): void {
    if (this.#disposed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.rescan();
    }, ms);
    this.#timer.unref();
  }

  async #scanAll(): Promise<void> {
    try {
      do {
        this.#scanAgain = false;
        const changes = await this.#readChanges();
        if (this.#disposed) return;
        if (changes.length > 0) this.#listener?.(changes);
      } while (this.#scanAgain);
    } catch (error) {
      this.#onTrouble('The ledger could not be read.', error);
    } finally {
      this.#scan = undefined;
      if (this.#watcher === undefined) this.#scanSoon(fallbackMs);
    }
  }

  async #readChanges(): Promise<StoredChange[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const known = new Set([...names.filter(isEntryFileName), ...this.#keys.keys()]);
    const changes = await Promise.all(
      [...known].map(async (name): Promise<StoredChange | undefined> => {
        const key = this.#keys.get(name);
        const entry = await this.#read(name);
        if (typeof entry === 'object') return { kind: 'stored', entry };
        return entry === 'missing' && key !== undefined ? { kind: 'removed', key } : undefined;
      }),
    );
    return changes.filter((change) => change !== undefined);
  }

  /** Only a file that is not there tells that another window removed the entry. */
  async #read(name: string): Promise<JobEntry | 'missing' | 'newer' | 'unusable'> {
    try {
      const { size } = await stat(this.#path(name));
      const reading =
        size > maxFileBytes ? 'damaged' : readEntryFile(await readFile(this.#path(name), 'utf8'));
      if (reading !== 'damaged' && reading.kind === 'newer') return 'newer';
      if (reading === 'damaged' || reading.kind === 'damaged') {
        await rename(this.#path(name), this.#path(`${name}.damaged`));
        this.#onTrouble('A damaged entry of the ledger was set aside.', new Error(name));
        this.#keys.delete(name);
        return 'unusable';
      }
      this.#keys.set(name, entryKey(reading.entry));
      return reading.entry;
    } catch (error) {
      if (isMissing(error)) {
        this.#keys.delete(name);
        return 'missing';
      }
      this.#onTrouble('An entry of the ledger could not be read.', error);
      return 'unusable';
    }
  }

  async #write(entry: JobEntry, mayBeNew: boolean): Promise<void> {
    const key = entryKey(entry);
    const name = `${entryFileStem(key)}.json`;
    await this.#inTurn(name, async () => {
      const stored = await this.#read(name);
      if (stored === 'newer' || (stored === 'missing' && !mayBeNew)) return;
      const merged = typeof stored === 'object' ? merge(stored, entry) : entry;
      if (typeof stored === 'object' && isSameEntry(merged, stored)) return;
      await writeFileAtomically(this.#path(name), writeEntryFile(merged));
      this.#keys.set(name, key);
    });
  }

  async #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(name) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(work);
    this.#writes.set(name, turn);
    try {
      await turn;
    } finally {
      if (this.#writes.get(name) === turn) this.#writes.delete(name);
    }
  }

  async #removeUnfinished(names: readonly string[]): Promise<void> {
    const unfinished = names.filter((name) => name.endsWith(unfinishedSuffix));
    await Promise.all(
      unfinished.map(async (name) => {
        const found = await stat(this.#path(name)).catch(() => undefined);
        if (found !== undefined && this.#now() - found.mtimeMs > unfinishedMs) {
          await rm(this.#path(name), { force: true });
        }
      }),
    );
  }

  #path(name: string): string {
    return path.join(this.#folder, name);
  }
}

/** The entries beyond {@link maxEntries} that can go. */
export function surplusEntries(entries: readonly JobEntry[], bound: number = maxEntries): JobEntry[] {
  return entries
    .filter((entry) => !isWatched(entry))
    .toSorted((a, b) => Number(isUnseen(a)) - Number(isUnseen(b)) || lastChange(a) - lastChange(b))
    .slice(0, Math.max(0, entries.length - bound));
}

function lastChange(entry: JobEntry): number {
  return Math.max(entry.createdAt, entry.endedAt ?? 0);
}
