import * as vscode from 'vscode';
import type { JobClient } from '../client/job-client.ts';
import type { ProviderCheck } from '../contract/agents.ts';
import { freeId, type SavedProvider } from './agent-values.ts';
import { askModel } from './model-choice.ts';
import { askChoiceOf, askSteps, askText, type Step, type StepResult } from './multi-step.ts';
import { readProviderAddress } from './provider-address.ts';
import {
  presetsInOrder,
  providerPresets,
  type ProviderPreset,
  type RunningServer,
} from './provider-presets.ts';

/** What was found out about a provider, all of it tried. */
export interface TriedProvider {
  readonly provider: SavedProvider;
  /** Undefined for a server that wants none. */
  readonly key: string | undefined;
  readonly model: string;
}

export interface ProviderFlowOptions {
  readonly client: Pick<JobClient, 'checkProvider'>;
  /** Those that are set up already. */
  readonly providers: readonly SavedProvider[];
  /** A key that was saved for just this provider and address. */
  readonly savedKey: (provider: SavedProvider) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly preset?: ProviderPreset;
  readonly baseUrl: string;
  readonly key?: string | undefined;
  /** What the last successful try told; undefined until there was one. */
  readonly models?: readonly string[];
  readonly model: string;
}

/** How long a model server of this machine may take to say that it is there. Milliseconds. */
const lookLimitMs = 2_000;

/**
 * From nothing to a provider that answers: which one, its address, its key, its model. Address and key are
 * tried where they are typed, so that what is wrong is said there and nothing typed is lost. Nothing is saved
 * here.
 */
export async function askProvider(options: ProviderFlowOptions): Promise<StepResult<TriedProvider>> {
  const result = await askSteps<Answer>(
    { title: vscode.l10n.t('Add a Language Model'), hasBack: true },
    [presetStep(options), addressStep(options), keyStep(options), modelStep()],
    { baseUrl: '', model: '' },
  );
  if (result.kind !== 'done') return result;
  const { preset, baseUrl, key, model } = result.value;
  if (preset === undefined) return { kind: 'cancelled' };
  const provider = providerOf(preset, baseUrl, options.providers);
  const known = options.providers.find(({ id }) => id === provider.id)?.models ?? [];
  const models = [...new Set([...known, model])].slice(-200);
  return { kind: 'done', value: { provider: { ...provider, models }, key, model } };
}

/** Tries an address and a key. A service that cannot be asked is a failed try: the box says so, nothing is lost. */
export async function tryProvider(
  { client, signal }: Pick<ProviderFlowOptions, 'client' | 'signal'>,
  provider: SavedProvider,
  key: string | undefined,
): Promise<ProviderCheck> {
  try {
    return await client.checkProvider(
      { ...provider, ...(key === undefined ? {} : { apiKey: key }) },
      { signal },
    );
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error), models: [] };
  }
}

interface PresetItem extends vscode.QuickPickItem {
  /** Undefined for the heading of a group. */
  readonly preset?: ProviderPreset;
  readonly models?: readonly string[];
}

function presetStep(options: ProviderFlowOptions): Step<Answer> {
  return async (answer, place) => {
    const result = await askChoiceOf<PresetItem>(
      place,
      vscode.l10n.t('Whose language model should write?'),
      async () => {
        const items = presetItems(await runningServers(options));
        const active = items.find(({ preset }) => preset !== undefined && preset === answer.preset);
        return { items, active };
      },
    );
    if (result.kind !== 'done') return result;
    const { preset, models } = result.value;
    const { preset: _, models: __, ...rest } = answer;
    if (preset === undefined) return { kind: 'cancelled' };
    return {
      kind: 'done',
      value: { ...rest, preset, baseUrl: preset.baseUrl, ...(models === undefined ? {} : { models }) },
    };
  };
}

/** One line for each, so that all of them are seen at once; what they have in common is told above them. */
function presetItems(running: readonly RunningServer[]): readonly PresetItem[] {
  const others = presetsInOrder(running).slice(running.length);
  const isFixed = ({ place }: ProviderPreset): boolean => place === 'fixed';
  return [
    ...group(
      vscode.l10n.t('Running on this machine: no key, and your pages stay here'),
      running.map(({ preset, models }) => ({
        label: `$(vm-active) ${preset.name}`,
        description: modelCount(models.length),
        preset,
        models,
      })),
    ),
    ...group(
      vscode.l10n.t('Needs an API key, and gets the pages that a job reads'),
      others.filter(isFixed).map((preset) => ({
        label: `$(cloud) ${preset.name}`,
        description: URL.parse(preset.baseUrl)?.host ?? '',
        preset,
      })),
    ),
    ...group(
      vscode.l10n.t('On this machine, or a server that you know'),
      others.filter((preset) => !isFixed(preset)).map(ownServerItem),
    ),
  ];
}

function ownServerItem(preset: ProviderPreset): PresetItem {
  if (preset.id === '') {
    return {
      label: vscode.l10n.t('$(globe) Another OpenAI-compatible address…'),
      description: vscode.l10n.t('a gateway of your company, for example'),
      preset,
    };
  }
  const isLocal = preset.place === 'local';
  return {
    label: `$(vm) ${preset.name}`,
    description: isLocal ? vscode.l10n.t('not running') : '',
    preset,
  };
}

function modelCount(count: number): string {
  return count === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', count);
}

function group(label: string, items: readonly PresetItem[]): readonly PresetItem[] {
  if (items.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

async function runningServers({ client, signal }: ProviderFlowOptions): Promise<readonly RunningServer[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(lookLimitMs)]);
  const found = await Promise.all(
    providerPresets
      .filter(({ place }) => place === 'local')
      .map(async (preset): Promise<RunningServer | undefined> => {
        const check = await client
          .checkProvider(providerOf(preset, preset.baseUrl, []), { signal: limit })
          .catch((): ProviderCheck => ({ ok: false, message: '', models: [] }));
        return check.ok ? { preset, models: check.models } : undefined;
      }),
  );
  return found.filter((server) => server !== undefined);
}

function addressStep(options: ProviderFlowOptions): Step<Answer> {
  return async (answer, place) => {
    const { preset } = answer;
    if (preset === undefined || preset.place === 'fixed' || answer.models !== undefined)
      return { kind: 'skipped' };
    let models: readonly string[] | undefined;
    const result = await askText(place, {
      prompt:
        preset.place === 'local'
          ? vscode.l10n.t('Address of {0}. Start it, then press Enter.', preset.name)
          : vscode.l10n.t(
              'Address of the server, up to and with its version. Who runs it can tell you; it usually ends with /v1.',
            ),
      placeholder: preset.baseUrl || 'https://models.example.com/v1',
      value: answer.baseUrl,
      validate: async (text) => {
        const address = readProviderAddress(text);
        if (address.kind === 'refused') return address.message;
        const provider = providerOf(preset, address.baseUrl, []);
        const tried = await tryProvider(options, provider, undefined);
        if (tried.ok) ({ models } = tried);
        // It may only want a key, which is asked for next.
        return tried.ok || (tried.wantsKey === true && address.takesKey) ? undefined : tried.message;
      },
    });
    if (result.kind !== 'done') return result;
    const address = readProviderAddress(result.value);
    const baseUrl = address.kind === 'usable' ? address.baseUrl : '';
    return {
      kind: 'done',
      value: { ...answer, baseUrl, ...(models === undefined ? {} : { models }) },
    };
  };
}

function keyStep(options: ProviderFlowOptions): Step<Answer> {
  return async (answer, place) => {
    const { preset, baseUrl } = answer;
    // Whoever answers without a key needs none.
    if (preset === undefined || answer.models !== undefined) return { kind: 'skipped' };
    const provider = providerOf(preset, baseUrl, options.providers);
    let models: readonly string[] = [];
    let trouble: string | undefined;
    const saved = await options.savedKey(provider);
    if (saved !== undefined) {
      const tried = await tryProvider(options, provider, saved);
      if (tried.ok) return { kind: 'done', value: { ...answer, key: saved, models: tried.models } };
      trouble = tried.message;
    }
    const result = await askText(place, {
      ...keyQuestionOf(provider),
      ...(trouble === undefined ? {} : { notice: Promise.resolve(trouble) }),
      validate: async (text) => {
        const key = text.trim();
        if (key === '') return vscode.l10n.t('Paste the key.');
        const tried = await tryProvider(options, provider, key);
        if (tried.ok) ({ models } = tried);
        return tried.ok ? undefined : tried.message;
      },
    });
    if (result.kind !== 'done') return result;
    return { kind: 'done', value: { ...answer, key: result.value.trim(), models } };
  };
}

function modelStep(): Step<Answer> {
  return async (answer, place) => {
    const name = nameOf(answer.preset, answer.baseUrl);
    const result = await askModel(place, name, answer.models ?? [], answer.model || undefined);
    return result.kind === 'done' ? { kind: 'done', value: { ...answer, model: result.value } } : result;
  };
}

export function keyQuestionOf({ name, baseUrl }: SavedProvider): {
  prompt: string;
  placeholder: string;
  password: true;
} {
  const host = URL.parse(baseUrl)?.host ?? baseUrl;
  return {
    prompt: vscode.l10n.t(
      'API key of {0}. It is tried now, kept in VS Code’s secret storage, and sent to {1} only.',
      name,
      host,
    ),
    placeholder: vscode.l10n.t('Paste the key from the provider’s API keys page'),
    password: true,
  };
}

/** The provider that a preset stands for. Another server of the same kind gets an id of its own. */
function providerOf(preset: ProviderPreset, baseUrl: string, saved: readonly SavedProvider[]): SavedProvider {
  const name = nameOf(preset, baseUrl);
  const same = saved.find((each) => each.baseUrl === baseUrl);
  const wanted = preset.id === '' ? freeId(name, []) : preset.id;
  const isTaken = saved.some(({ id, baseUrl: other }) => id === wanted && other !== baseUrl);
  const id =
    same?.id ??
    (isTaken
      ? freeId(
          wanted,
          saved.map((each) => each.id),
        )
      : wanted);
  return { id, name: same?.name ?? name, kind: preset.kind, baseUrl, models: [] };
}

function nameOf(preset: ProviderPreset | undefined, baseUrl: string): string {
  return preset === undefined || preset.name === ''
    ? (URL.parse(baseUrl)?.host ?? '').slice(0, 60) || vscode.l10n.t('the provider')
    : preset.name;
}
