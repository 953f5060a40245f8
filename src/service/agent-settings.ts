import type { AcpCommand, AgentSettings, ModelProvider, UsageLimits } from '../contract/agents.ts';
import { Changes } from './changes.ts';
import type { Redactor } from './redaction.ts';

/** What the service's own configuration says about agents; it holds as long as the process. */
export type ConfiguredAgents = Pick<AgentSettings, 'providers' | 'commands' | 'limits'>;

const nothing: ConfiguredAgents = { providers: [], commands: [], limits: {} };

/**
 * The providers, commands and limits that are known now: those of the configuration and those that the
 * editor handed over. In memory only, keys included: after a restart the editor has to hand over again.
 */
export class KnownAgentSettings {
  readonly changes = new Changes();
  readonly #redactor: Redactor;
  readonly #configured: ConfiguredAgents;
  #handedOver: AgentSettings | undefined;

  constructor(redactor: Redactor, configured: ConfiguredAgents = nothing) {
    this.#redactor = redactor;
    this.#configured = configured;
    this.#hide(configured.providers);
  }

  /** Replaces what was handed over before, whole. */
  replace(settings: AgentSettings): void {
    // Before anything else can see a key.
    this.#hide(settings.providers);
    this.#handedOver = settings;
    this.changes.announce();
  }

  /** A provider that is only tried: its key is hidden, nothing of it is kept. */
  hide(provider: ModelProvider): void {
    this.#hide([provider]);
  }

  /** False until the editor has handed its settings over since the service began. */
  get handedOver(): boolean {
    return this.#handedOver !== undefined;
  }

  /** Each id once. What the configuration names, nobody else can name otherwise. */
  get providers(): readonly ModelProvider[] {
    return byId(this.#configured.providers, this.#handedOver?.providers);
  }

  get commands(): readonly AcpCommand[] {
    return byId(this.#configured.commands, this.#handedOver?.commands);
  }

  /** Where both name a limit, the configuration's is the last word. */
  get limits(): UsageLimits {
    return { ...this.#handedOver?.limits, ...defined(this.#configured.limits) };
  }

  #hide(providers: readonly ModelProvider[]): void {
    for (const { apiKey } of providers) if (apiKey !== undefined) this.#redactor.register(apiKey);
  }
}

function byId<T extends { readonly id: string }>(first: readonly T[], second: readonly T[] = []): T[] {
  const all = new Map<string, T>();
  for (const one of [...first, ...second]) if (!all.has(one.id)) all.set(one.id, one);
  return [...all.values()];
}

function defined(limits: UsageLimits): UsageLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
