import type { Disposable, Memento, SecretStorage } from 'vscode';
import type { ModelProvider } from '../contract/agents.ts';
import type { SavedProvider } from './agent-values.ts';
import { ApiKeys, type KeyLookup } from './api-keys.ts';
import { readProviderAddress } from './provider-address.ts';

/**
 * The keys of model providers. Each is bound to the provider and to the origin of its address: whoever
 * changes the address has to give the key again, and no setting can send it elsewhere.
 */
export class ProviderKeys {
  readonly #keys: ApiKeys;

  constructor(secrets: SecretStorage, state: Memento) {
    this.#keys = new ApiKeys(secrets, state, 'modelKey');
  }

  /** Reads the secret storage only where a key was saved. */
  async find(provider: SavedProvider): Promise<KeyLookup> {
    const place = placeOf(provider);
    return place !== undefined && this.#keys.wasSaved(place) ? this.#keys.find(place) : { kind: 'missing' };
  }

  /** @throws Error when a key may not go to that address, which whoever asks for one has to know before */
  async save(provider: SavedProvider, key: string): Promise<void> {
    const place = placeOf(provider);
    if (place === undefined) throw new Error('A key was to be saved for an address that takes none.');
    await this.#keys.save(place, key);
  }

  /** All keys that the provider ever had, also those of earlier addresses. */
  async remove(id: string): Promise<void> {
    const own = this.#keys.origins().filter((place) => place.startsWith(`${id} `));
    await Promise.all(own.map((place) => this.#keys.remove(place)));
  }

  /** The providers as the local service is told of them. */
  async withKeys(providers: readonly SavedProvider[]): Promise<ModelProvider[]> {
    return Promise.all(
      providers.map(async (provider) => {
        const found = await this.find(provider);
        return found.kind === 'found' ? { ...provider, apiKey: found.key } : { ...provider };
      }),
    );
  }

  /** A key was saved or removed, in this window or another one. */
  onDidChange(listener: () => void): Disposable {
    return this.#keys.onDidChange(() => listener());
  }
}

/** Ids hold no space, so the first one ends the id. */
function placeOf({ id, baseUrl }: SavedProvider): string | undefined {
  const address = readProviderAddress(baseUrl);
  return address.kind === 'usable' && address.takesKey ? `${id} ${address.origin}` : undefined;
}
