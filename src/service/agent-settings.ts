import type { AcpCommand, AgentSettings, ModelProvider, UsageLimits } from '../contract/agents.ts';
import { Changes } from './changes.ts';
import type { Redactor } from './redaction.ts';
import { RequestError } from './request-error.ts';

/** What the service's own configuration says about agents; it holds as long as the process. */
export interface ConfiguredAgents extends Pick<AgentSettings, 'providers' | 'commands' | 'limits'> {
  /** False where nobody may hand anything over. */
  readonly handOver: boolean;
}

const nothing: ConfiguredAgents = { handOver: true, providers: [], commands: [], limits: {} };

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

  /**
   * Replaces what was handed over before, whole.
   *
   * @throws RequestError `forbidden` where nothing may be handed over
   */
  replace(settings: AgentSettings): void {
    this.#refuseStrangers();
    // Before anything else can see a key.
    this.#hide(settings.providers);
    this.#handedOver = settings;
    this.changes.announce();
  }

  /** A provider that is only tried: its key is hidden, nothing of it is kept. Throws as {@link replace}. */
  hide(provider: ModelProvider): void {
    this.#refuseStrangers();
    this.#hide([provider]);
  }

  /** False until the editor has handed its settings over since the service began; true where nobody may. */
  get handedOver(): boolean {
    return this.#handedOver !== undefined || !this.#configured.handOver;
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

  #refuseStrangers(): void {
    if (this.#configured.handOver) return;
    throw new RequestError('forbidden', 'This service takes its agents from its own configuration only.');
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
