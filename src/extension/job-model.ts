import { hasEnded } from '../contract/job.ts';
import { isSameEntry, merge, withSeen } from './entry-changes.ts';
import { entryKey } from './job-entry.ts';
import type { EntryProblem, JobEntry, ServiceId } from './job-entry.ts';
import { isUnseen, isWatched } from './job-state.ts';

/** Where entries outlive the window. Both sides of `Ledger`; a fake in tests. */
export interface EntryStore {
  /** Adds an entry that no window knew. */
  create(entry: JobEntry): Promise<void>;
  /** Joins an entry with what is stored; does nothing when another window removed it. */
  update(entry: JobEntry): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface EntryChange {
  readonly key: string;
  readonly before: JobEntry | undefined;
  readonly after: JobEntry | undefined;
  /**
   * True when this window saw the job active in this session and now saw it end. Nothing else is told to
   * the writer by itself: not what ended while no window was open, not what a file brought at start-up.
   */
  readonly ended: boolean;
}

export type ChangeListener = (changes: readonly EntryChange[]) => void;

export interface Counts {
  readonly running: number;
  readonly unseen: number;
  readonly total: number;
}

/** What came in from other windows. */
export type StoredChange =
  | { readonly kind: 'stored'; readonly entry: JobEntry }
  | { readonly kind: 'removed'; readonly key: string };

/**
 * The one record of jobs in this window. Poller, commands and the ledger write it; tree, status bar,
 * badge and notifications only read it and hear which entries changed. Memory changes at once; the
 * promise that a writing method returns is the store's.
 */
export class JobModel {
  readonly #store: EntryStore;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #entries = new Map<string, JobEntry>();
  /** Keys that were seen active in this session. */
  readonly #seenActive = new Set<string>();
  /** Keys that this window removed while their file may still be read: they must not come back by that. */
  readonly #leaving = new Set<string>();
  readonly #listeners = new Set<ChangeListener>();

  constructor(store: EntryStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Newest first. */
  get entries(): readonly JobEntry[] {
    return [...this.#entries.values()].toSorted(
      (a, b) => b.createdAt - a.createdAt || (entryKey(a) < entryKey(b) ? -1 : 1),
    );
  }

  get(key: string): JobEntry | undefined {
    return this.#entries.get(key);
  }

  get counts(): Counts {
    const entries = [...this.#entries.values()];
    return {
      running: entries.filter((entry) => isWatched(entry)).length,
      unseen: entries.filter(isUnseen).length,
      total: entries.length,
    };
  }

  /** The latest trouble among jobs of a service that are still watched; undefined when all is well. */
  problemAt(service: ServiceId): EntryProblem | undefined {
    let latest: EntryProblem | undefined;
    for (const entry of this.#entries.values()) {
      const { problem } = entry;
      if (entry.service !== service || problem === undefined || !isWatched(entry)) continue;
      if (latest === undefined || problem.at > latest.at) latest = problem;
    }
    return latest;
  }

  /** Hears of every change, several at once where they came together. Call the result to stop. */
  onDidChange(listener: ChangeListener): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** What the store held when this window started. */
  load(entries: readonly JobEntry[]): void {
    this.#change(entries.map((entry) => this.#set(entry, 'loaded')));
  }

  /** A job that is in the list already, and is taken up by its id, keeps its prompt and where it came from. */
  async add(entry: JobEntry): Promise<void> {
    const known = this.#entries.get(entryKey(entry));
    const added = known === undefined || entry.job === undefined ? entry : joined(known, entry);
    this.#change([this.#set(added, 'here')]);
    await this.#store.create(added);
  }

  /** Changes an entry by a function of `entry-changes.ts`; nothing happens when the key is unknown. */
  async update(key: string, transition: (entry: JobEntry) => JobEntry): Promise<void> {
    const before = this.#entries.get(key);
    if (before === undefined) return;
    const after = transition(before);
    if (after === before) return;
    this.#change([this.#set(after, 'here')]);
    await this.#store.update(after);
  }

  /** Puts the job that create answered in the place of the entry that kept the prompt until then. */
  async replace(key: string, entry: JobEntry): Promise<void> {
    this.#change([this.#delete(key), this.#set(entry, 'here')]);
    await this.#store.create(entry);
    if (key !== entryKey(entry)) await this.#store.remove(key);
  }

  async remove(key: string): Promise<void> {
    this.#change([this.#delete(key)]);
    await this.#store.remove(key);
  }

  /** The writer looked at these results. */
  async markSeen(keys: Iterable<string>): Promise<void> {
    const at = this.#now();
    await Promise.all(
      [...keys].map(async (key) =>
        this.update(key, (entry) =>
          isUnseen(entry) ? withSeen(entry, Math.max(at, entry.endedAt ?? 0)) : entry,
        ),
      ),
    );
  }

  /**
   * Takes in what other windows wrote. Where this window knew more, that goes back to the store, so all
   * windows agree in the end.
   */
  async accept(changes: readonly StoredChange[]): Promise<void> {
    const writeBack: JobEntry[] = [];
    this.#change(
      changes.map((change) => {
        if (change.kind === 'removed') {
          const removed = this.#delete(change.key);
          this.#leaving.delete(change.key);
          return removed;
        }
        if (this.#leaving.has(entryKey(change.entry))) return undefined;
        const known = this.#entries.get(entryKey(change.entry));
        const merged = known === undefined ? change.entry : merge(known, change.entry);
        if (!isSameEntry(merged, change.entry)) writeBack.push(merged);
        return this.#set(merged, 'elsewhere');
      }),
    );
    await Promise.all(writeBack.map(async (entry) => this.#store.update(entry)));
  }

  #set(after: JobEntry, from: 'loaded' | 'here' | 'elsewhere'): EntryChange | undefined {
    const key = entryKey(after);
    const before = this.#entries.get(key);
    if (before === after) return undefined;
    this.#entries.set(key, after);
    this.#leaving.delete(key);
    const wasSeenActive = this.#seenActive.has(key);
    if (!isWatched(after)) this.#seenActive.delete(key);
    else if (from !== 'loaded' && (before === undefined || (after.checkedAt ?? 0) >= this.#startedAt)) {
      this.#seenActive.add(key);
    }
    const ended = wasSeenActive && after.job !== undefined && hasEnded(after.job.status);
    return { key, before, after, ended };
  }

  #delete(key: string): EntryChange | undefined {
    const before = this.#entries.get(key);
    if (before === undefined) return undefined;
    this.#entries.delete(key);
    this.#seenActive.delete(key);
    this.#leaving.add(key);
    return { key, before, after: undefined, ended: false };
  }

  #change(changes: readonly (EntryChange | undefined)[]): void {
    const real = changes.filter((change) => change !== undefined);
    if (real.length === 0) return;
    for (const listener of this.#listeners) listener(real);
  }
}

/** What a service tells of a job by its id lacks what this list knows of it: hosted ones tell no prompt. */
function joined(known: JobEntry, told: JobEntry): JobEntry {
  const { prompt, createdAt, projectName, folder } = known;
  const ours = { createdAt, projectName, folder, prompt: prompt === '' ? told.prompt : prompt };
  return { ...merge(known, told), ...ours };
}
