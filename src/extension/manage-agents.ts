import * as vscode from 'vscode';
import type { JobClient } from '../client/job-client.ts';
import type { AcpCommand } from '../contract/agents.ts';
import {
  removeCommand,
  removeProvider,
  saveAgent,
  savedCommands,
  savedProviders,
  saveProvider,
} from './agent-settings.ts';
import { modelAgentId, type SavedProvider } from './agent-values.ts';
import type { CheckConsent } from './check-consent.ts';
import { askModel } from './model-choice.ts';
import { askChoiceOf, askText, type StepPlace } from './multi-step.ts';
import { withoutIcons } from './plain-words.ts';
import { readProviderAddress } from './provider-address.ts';
import { keyQuestionOf, tryProvider } from './provider-flow.ts';
import type { ProviderKeys } from './provider-keys.ts';

interface ActionItem extends vscode.QuickPickItem {
  readonly run?: () => Promise<unknown>;
}

type FindClient = () => Promise<JobClient>;

/** What was set up for agents, to be changed and removed. */
export class AgentManager {
  readonly #keys: ProviderKeys;
  readonly #consent: CheckConsent;
  readonly #signal: AbortSignal;

  constructor(keys: ProviderKeys, consent: CheckConsent, signal: AbortSignal) {
    this.#keys = keys;
    this.#consent = consent;
    this.#signal = signal;
  }

  hasAny(): boolean {
    return savedProviders().length + savedCommands().length + this.#consent.decisions().length > 0;
  }

  /** Ids of the providers whose key was saved and is no longer there. */
  async goneKeys(): Promise<ReadonlySet<string>> {
    const found = await Promise.all(
      savedProviders().map(async (provider) =>
        (await this.#keys.find(provider)).kind === 'gone' ? provider.id : '',
      ),
    );
    return new Set(found.filter((id) => id !== ''));
  }

  async manage(findClient: FindClient): Promise<void> {
    await this.#ask(vscode.l10n.t('What do you want to change?'), [
      ...(await Promise.all(savedProviders().map((provider) => this.#providerItem(provider, findClient)))),
      ...savedCommands().map((command) => commandItem(command)),
      ...this.#consent.decisions().map((decision) => ({
        label: `$(shield) ${withoutIcons(vscode.Uri.parse(decision.folder).fsPath)}`,
        description: decision.isAllowed
          ? vscode.l10n.t('its own check runs after jobs')
          : vscode.l10n.t('its own check never runs'),
        detail: vscode.l10n.t('Choose this to be asked again.'),
        run: async () => this.#consent.forget(decision.folder),
      })),
    ]);
  }

  /** Asks for another key, tries it, and saves it. False when the person gave up. */
  async changeKey(client: Pick<JobClient, 'checkProvider'>, provider: SavedProvider): Promise<boolean> {
    const result = await askText(placeFor(provider), {
      ...keyQuestionOf(provider),
      validate: async (text) => {
        const address = readProviderAddress(provider.baseUrl);
        if (address.kind === 'usable' && !address.takesKey) {
          return vscode.l10n.t(
            'The address is not encrypted, so no key is sent there. Change it to https:// first.',
          );
        }
        if (text.trim() === '') return vscode.l10n.t('Paste the key.');
        const tried = await tryProvider({ client, signal: this.#signal }, provider, text.trim());
        return tried.ok ? undefined : tried.message;
      },
    });
    if (result.kind !== 'done') return false;
    await this.#keys.save(provider, result.value.trim());
    return true;
  }

  async #providerItem(provider: SavedProvider, findClient: FindClient): Promise<ActionItem> {
    const { kind } = await this.#keys.find(provider);
    const host = URL.parse(provider.baseUrl)?.host ?? provider.baseUrl;
    const key =
      kind === 'found'
        ? vscode.l10n.t('key saved')
        : kind === 'gone'
          ? vscode.l10n.t('key gone from the secret storage')
          : vscode.l10n.t('no key');
    return {
      label: `$(sparkle) ${withoutIcons(provider.name)}`,
      description: withoutIcons(provider.name === host ? key : `${host} · ${key}`),
      detail: withoutIcons(provider.models.join(', ')),
      run: async () => this.#manageProvider(provider, findClient),
    };
  }

  async #manageProvider(provider: SavedProvider, findClient: FindClient): Promise<void> {
    await this.#ask(vscode.l10n.t('What do you want to change of {0}?', provider.name), [
      {
        label: vscode.l10n.t('$(key) Change key…'),
        run: async () => this.changeKey(await findClient(), provider),
      },
      {
        label: vscode.l10n.t('$(list-selection) Choose another model…'),
        run: async () => this.#changeModel(await findClient(), provider),
      },
      {
        label: vscode.l10n.t('$(link) Change address…'),
        detail: vscode.l10n.t('The key stays with the old address: for another server you give it again.'),
        run: async () => this.#changeAddress(await findClient(), provider),
      },
      {
        label: vscode.l10n.t('$(trash) Remove'),
        detail: vscode.l10n.t('The provider and its key go from this machine.'),
        run: async () => {
          // First what is secret: whatever happens next, it is gone.
          await this.#keys.remove(provider.id);
          await removeProvider(provider.id);
        },
      },
    ]);
  }

  async #changeModel(client: JobClient, provider: SavedProvider): Promise<void> {
    const found = await this.#keys.find(provider);
    const key = found.kind === 'found' ? found.key : undefined;
    const tried = await tryProvider({ client, signal: this.#signal }, provider, key);
    const models = [...tried.models, ...provider.models];
    const result = await askModel(placeFor(provider), provider.name, models, provider.models.at(-1));
    if (result.kind !== 'done') return;
    const all = [...provider.models.filter((model) => model !== result.value), result.value];
    await saveProvider({ ...provider, models: all.slice(-200) });
    await saveAgent(modelAgentId(provider.id, result.value));
  }

  async #changeAddress(client: JobClient, provider: SavedProvider): Promise<void> {
    const result = await askText(placeFor(provider), {
      prompt: vscode.l10n.t('Address of {0}, up to and with its version', provider.name),
      value: provider.baseUrl,
      validate: (text) => {
        const address = readProviderAddress(text);
        return address.kind === 'refused' ? address.message : undefined;
      },
    });
    if (result.kind !== 'done') return;
    const address = readProviderAddress(result.value);
    if (address.kind === 'refused' || address.baseUrl === provider.baseUrl) return;
    const moved = { ...provider, baseUrl: address.baseUrl };
    const hadKey = (await this.#keys.find(provider)).kind !== 'missing';
    const hasKey = (await this.#keys.find(moved)).kind === 'found';
    if (hadKey && !hasKey && address.takesKey && !(await this.changeKey(client, moved))) return;
    await saveProvider(moved);
  }

  async #ask(placeholder: string, items: readonly ActionItem[]): Promise<void> {
    const place = { title: vscode.l10n.t('Manage Providers and Keys'), step: 1, total: 1 };
    const result = await askChoiceOf<ActionItem>(place, placeholder, async () => ({ items }));
    if (result.kind === 'done') await result.value.run?.();
  }
}

function commandItem(command: AcpCommand): ActionItem {
  return {
    label: `$(terminal) ${withoutIcons(command.name)}`,
    description: withoutIcons([command.command, ...command.args].join(' ')),
    detail: vscode.l10n.t('Choose this to remove it from your settings.'),
    run: async () => removeCommand(command.id),
  };
}

function placeFor({ name }: SavedProvider): StepPlace {
  return { title: withoutIcons(name), step: 1, total: 1 };
}
