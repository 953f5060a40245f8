import {
  acpCommandSchema,
  agentIdSchema,
  modelProviderSchema,
  rulesAgentId,
  usageLimitsSchema,
  type AcpCommand,
  type ModelProvider,
  type UsageLimits,
} from '../contract/agents.ts';
import { readProviderAddress } from './provider-address.ts';

/** A provider as the settings hold it: its key is in the secret storage. */
export type SavedProvider = Omit<ModelProvider, 'apiKey'>;

const savedProviderSchema = modelProviderSchema.omit({ apiKey: true });

/**
 * The providers that a setting holds. People write settings by hand, so whatever is no provider is left
 * out, and of two with the same id the first counts. A key in it is dropped: settings are no place for keys.
 */
export function readProviders(value: unknown): readonly SavedProvider[] {
  const found = listed(value, (item) => savedProviderSchema.safeParse(item).data);
  return found.filter(({ baseUrl }) => readProviderAddress(baseUrl).kind === 'usable');
}

/** The commands that a setting holds, as {@link readProviders}. */
export function readCommands(value: unknown): readonly AcpCommand[] {
  return listed(value, (item) => acpCommandSchema.safeParse(item).data);
}

/** Each limit by itself: one that is wrong does not take the others along. */
export function readLimits(value: unknown): UsageLimits {
  if (typeof value !== 'object' || value === null) return {};
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).filter(
    ([name, limit]) => usageLimitsSchema.safeParse({ [name]: limit }).success,
  );
  return usageLimitsSchema.parse(Object.fromEntries(entries));
}

/** The chosen agent. Undefined for what is no agent's id; an empty setting means the default. */
export function readAgentId(value: unknown): string | undefined {
  if (value === undefined || value === '') return rulesAgentId;
  return agentIdSchema.safeParse(value).data;
}

export function modelAgentId(provider: string, model: string): string {
  return `model:${provider}/${model}`;
}

const editorPrefix = 'editor:';

export function editorAgentId(model: string): string {
  return editorPrefix + model;
}

/** The editor's own id of a model; undefined for other agents. */
export function editorModelOf(agent: string | undefined): string | undefined {
  return agent?.startsWith(editorPrefix) === true ? agent.slice(editorPrefix.length) : undefined;
}

/** True for a name that can be part of an agent's id. */
export function isModelName(name: string): boolean {
  return agentIdSchema.safeParse(modelAgentId('x', name)).success;
}

/** An id that is not taken yet, made of a name. */
export function freeId(name: string, taken: readonly string[]): string {
  const base =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 30)
      .replace(/-+$/, '') || 'other';
  let id = base;
  for (let number = 2; taken.includes(id); number++) id = `${base}-${number}`;
  return id;
}

/**
 * A setting's list with an item in the place of the one with its id, or after all others. What cannot be
 * read stays as it is: somebody wrote it by hand and may yet mend it.
 */
export function withItem(value: unknown, item: { readonly id: string }): readonly unknown[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const at = all.findIndex((each) => idOf(each) === item.id);
  return at === -1 ? [...all, item] : all.with(at, item);
}

/** A setting's list without an id; undefined, which clears the setting, when nothing is left. */
export function withoutItem(value: unknown, id: string): readonly unknown[] | undefined {
  const rest = (Array.isArray(value) ? value : []).filter((each) => idOf(each) !== id);
  return rest.length === 0 ? undefined : rest;
}

function idOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
}

function listed<T extends { readonly id: string }>(
  value: unknown,
  read: (item: unknown) => T | undefined,
): readonly T[] {
  if (!Array.isArray(value)) return [];
  const byId = new Map<string, T>();
  for (const item of value.slice(0, 50)) {
    const found = read(item);
    if (found !== undefined && !byId.has(found.id)) byId.set(found.id, found);
  }
  return [...byId.values()];
}
