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
import { askChoice, askText, type StepPlace, type StepResult } from './multi-step.ts';
import { withoutIcons } from './plain-words.ts';
import { readProviderAddress } from './provider-address.ts';
import { keyQuestionOf, tryProvider } from './provider-flow.ts';
import type { ProviderKeys } from './provider-keys.ts';

interface ActionItem extends vscode.QuickPickItem {
  readonly run?: () => Promise<StepResult<unknown> | void>;
}

const toldMs = 5_000;

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

  /** By the ids of the providers for which a key was saved: whether it is still there. */
  async savedKeys(): Promise<ReadonlyMap<string, 'found' | 'gone'>> {
    const all = savedProviders().map(async (provider) => {
      const { kind } = await this.#keys.find(provider);
      return kind === 'missing' ? undefined : ([provider.id, kind] as const);
    });
    return new Map((await Promise.all(all)).filter((each) => each !== undefined));
  }

  /** `back`: to the list that this was asked from. */
  async manage(findClient: FindClient): Promise<'back' | 'done'> {
    return this.#ask(vscode.l10n.t('What do you want to change?'), [
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

  /** Asks for another key, tries it, and saves it. */
  async changeKey(
    client: Pick<JobClient, 'checkProvider'>,
    provider: SavedProvider,
  ): Promise<StepResult<string>> {
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
    if (result.kind !== 'done') return result;
    await this.#keys.save(provider, result.value.trim());
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('$(check) The key of {0} is saved.', withoutIcons(provider.name)),
      toldMs,
    );
    return { kind: 'done', value: provider.id };
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

  async #manageProvider(provider: SavedProvider, findClient: FindClient): Promise<StepResult<unknown>> {
    const next = await this.#ask(vscode.l10n.t('What do you want to change of {0}?', provider.name), [
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
    return next === 'back' ? { kind: 'back' } : { kind: 'done', value: provider.id };
  }

  async #changeModel(client: JobClient, provider: SavedProvider): Promise<StepResult<unknown>> {
    const found = await this.#keys.find(provider);
    const key = found.kind === 'found' ? found.key : undefined;
    const tried = await tryProvider({ client, signal: this.#signal }, provider, key);
    const models = [...tried.models, ...provider.models];
    const result = await askModel(placeFor(provider), provider.name, models, provider.models.at(-1));
    if (result.kind !== 'done') return result;
    const all = [...provider.models.filter((model) => model !== result.value), result.value];
    await saveProvider({ ...provider, models: all.slice(-200) });
    await saveAgent(modelAgentId(provider.id, result.value));
    return result;
  }

  async #changeAddress(client: JobClient, provider: SavedProvider): Promise<StepResult<unknown>> {
    const result = await askText(placeFor(provider), {
      prompt: vscode.l10n.t('Address of {0}, up to and with its version', provider.name),
      value: provider.baseUrl,
      validate: (text) => {
        const address = readProviderAddress(text);
        return address.kind === 'refused' ? address.message : undefined;
      },
    });
    if (result.kind !== 'done') return result;
    const address = readProviderAddress(result.value);
    if (address.kind === 'refused' || address.baseUrl === provider.baseUrl) return result;
    const moved = { ...provider, baseUrl: address.baseUrl };
    const hadKey = (await this.#keys.find(provider)).kind !== 'missing';
    const hasKey = (await this.#keys.find(moved)).kind === 'found';
    if (hadKey && !hasKey && address.takesKey) {
      const given = await this.changeKey(client, moved);
      if (given.kind !== 'done') return given;
    }
    await saveProvider(moved);
    return result;
  }

  /** Back from what a row asks shows the rows again. */
  async #ask(placeholder: string, items: readonly ActionItem[]): Promise<'back' | 'done'> {
    const place = { title: vscode.l10n.t('Manage Providers and Keys'), step: 1, total: 1, hasBack: true };
    for (;;) {
      const result = await askChoice<ActionItem>(place, placeholder, items);
      if (result.kind !== 'done') return result.kind === 'back' ? 'back' : 'done';
      const next = await result.value.run?.();
      if (next?.kind !== 'back') return 'done';
    }
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
  return { title: withoutIcons(name), step: 1, total: 1, hasBack: true };
}
