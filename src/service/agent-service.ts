import type { AgentList, AgentSettings, ModelProvider, ProviderCheck } from '../contract/agents.ts';
import type { KnownAgentSettings } from './agent-settings.ts';
import type { Agents } from './ports/agents.ts';

export interface AgentServiceDeps {
  readonly agents: Pick<Agents, 'list'>;
  readonly settings: KnownAgentSettings;
  /** Tries a provider's address and key. Answers what is wrong as a sentence instead of throwing. */
  readonly checkProvider: (provider: ModelProvider, signal: AbortSignal) => Promise<ProviderCheck>;
}

/** What one can do with agents, in the words of the contract. */
export class AgentService {
  readonly #deps: AgentServiceDeps;

  constructor(deps: AgentServiceDeps) {
    this.#deps = deps;
  }

  async list(signal: AbortSignal): Promise<AgentList> {
    const { agents, settings } = this.#deps;
    return { agents: [...(await agents.list(signal))], handedOver: settings.handedOver };
  }

  /** Takes what the editor hands over; it replaces what was handed over before. `forbidden` where nobody may. */
  handOver(settings: AgentSettings): void {
    this.#deps.settings.replace(settings);
  }

  /** Nothing of the provider is kept, but for its key among the secrets that are hidden in texts. */
  async check(provider: ModelProvider, signal: AbortSignal): Promise<ProviderCheck> {
    this.#deps.settings.hide(provider);
    return this.#deps.checkProvider(provider, signal);
  }
}
