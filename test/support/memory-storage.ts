import type { Memento } from 'vscode';

/** An editor's state that lives as long as its test. */
export class MemoryState implements Memento {
  readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<T>(key: string, otherwise?: T): T | undefined {
    return (this.values.get(key) as T | undefined) ?? otherwise;
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
  }
}

/** A secret storage that can lose everything, as one without a keyring does at reload. */
export class MemorySecrets {
  readonly values = new Map<string, string>();
  /** Names that were asked for. */
  readonly read: string[] = [];
  readonly #listeners = new Set<(event: { key: string }) => void>();
  isBroken = false;

  async keys(): Promise<string[]> {
    return [...this.values.keys()];
  }

  async get(key: string): Promise<string | undefined> {
    this.read.push(key);
    if (this.isBroken) throw new Error('Cannot decrypt');
    return this.values.get(key);
  }

  async store(key: string, value: string): Promise<void> {
    this.values.set(key, value);
    for (const listener of this.#listeners) listener({ key });
  }

  async delete(key: string): Promise<void> {
    this.values.delete(key);
    for (const listener of this.#listeners) listener({ key });
  }

  onDidChange = (listener: (event: { key: string }) => void): { dispose(): unknown } => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
}
