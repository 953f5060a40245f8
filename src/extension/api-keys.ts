import type { Disposable, Memento, SecretStorage } from 'vscode';

/** `gone`: one was saved on this machine, and the secret storage no longer has it. */
export type KeyLookup =
  | { readonly kind: 'found'; readonly key: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'gone' };

/**
 * API keys, one for each place. The secret's name holds the place, which for a service is its origin, so a
 * key can only be found for the address that it was saved for.
 *
 * A Linux machine without a keyring keeps secrets in memory and loses them at reload, without an error.
 * So the state remembers that a key was saved, one entry for each service, because windows that write the
 * same entry overwrite each other.
 */
export class ApiKeys {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  readonly #secretPrefix: string;
  readonly #savedPrefix: string;

  /** Keys of model providers have places of their own kind. */
  constructor(secrets: SecretStorage, state: Memento, kind: 'apiKey' | 'modelKey' = 'apiKey') {
    this.#secrets = secrets;
    this.#state = state;
    this.#secretPrefix = `docsAgent.${kind}:`;
    this.#savedPrefix = `docsAgent.${kind}Saved:`;
  }

  async find(origin: string): Promise<KeyLookup> {
    // A keyring that cannot be opened is a key that is gone: the remedy is the same.
    const key = await Promise.resolve(this.#secrets.get(this.#secretPrefix + origin)).catch(() => undefined);
    if (key !== undefined && key !== '') return { kind: 'found', key };
    return { kind: this.wasSaved(origin) ? 'gone' : 'missing' };
  }

  /** Whether a key should be there. Reads no secret. */
  wasSaved(origin: string): boolean {
    return this.#state.get<boolean>(this.#savedPrefix + origin) === true;
  }

  async save(origin: string, key: string): Promise<void> {
    await this.#secrets.store(this.#secretPrefix + origin, key);
    await this.#state.update(this.#savedPrefix + origin, true);
  }

  async remove(origin: string): Promise<void> {
    // First the memory of it: a key that was removed on purpose is not to be missed.
    await this.#state.update(this.#savedPrefix + origin, undefined);
    await this.#secrets.delete(this.#secretPrefix + origin);
  }

  /** The origins that a key was saved for. */
  origins(): readonly string[] {
    return this.#state
      .keys()
      .filter((name) => name.startsWith(this.#savedPrefix))
      .map((name) => name.slice(this.#savedPrefix.length));
  }

  /** A key was saved or removed, in this window or another one. */
  onDidChange(listener: (origin: string) => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key.startsWith(this.#secretPrefix)) listener(key.slice(this.#secretPrefix.length));
    });
  }
}
