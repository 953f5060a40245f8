import type { Disposable, Memento, SecretStorage } from 'vscode';

/** `gone`: one was saved on this machine, and the secret storage no longer has it. */
export type KeyLookup =
  | { readonly kind: 'found'; readonly key: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'gone' };

const secretPrefix = 'docsAgent.apiKey:';
const savedPrefix = 'docsAgent.apiKeySaved:';

/**
 * The API keys, one for each service. The secret's name holds the service's origin, so a key can only be
 * found for the address that it was saved for.
 *
 * A Linux machine without a keyring keeps secrets in memory and loses them at reload, without an error.
 * So the state remembers that a key was saved, one entry for each service, because windows that write the
 * same entry overwrite each other.
 */
export class ApiKeys {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;

  constructor(secrets: SecretStorage, state: Memento) {
    this.#secrets = secrets;
    this.#state = state;
  }

  async find(origin: string): Promise<KeyLookup> {
    // A keyring that cannot be opened is a key that is gone: the remedy is the same.
    const key = await Promise.resolve(this.#secrets.get(secretPrefix + origin)).catch(() => undefined);
    if (key !== undefined && key !== '') return { kind: 'found', key };
    return { kind: this.wasSaved(origin) ? 'gone' : 'missing' };
  }

  /** Whether a key should be there. Reads no secret. */
  wasSaved(origin: string): boolean {
    return this.#state.get<boolean>(savedPrefix + origin) === true;
  }

  async save(origin: string, key: string): Promise<void> {
    await this.#secrets.store(secretPrefix + origin, key);
    await this.#state.update(savedPrefix + origin, true);
  }

  async remove(origin: string): Promise<void> {
    // First the memory of it: a key that was removed on purpose is not to be missed.
    await this.#state.update(savedPrefix + origin, undefined);
    await this.#secrets.delete(secretPrefix + origin);
  }

  /** The origins that a key was saved for. */
  origins(): readonly string[] {
    return this.#state
      .keys()
      .filter((name) => name.startsWith(savedPrefix))
      .map((name) => name.slice(savedPrefix.length));
  }

  /** A key was saved or removed, in this window or another one. */
  onDidChange(listener: (origin: string) => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key.startsWith(secretPrefix)) listener(key.slice(secretPrefix.length));
    });
  }
}
