import type { AcpCommand, AgentSettings, ModelProvider } from '../../src/contract/agents.ts';
import type { EditorModel } from '../../src/contract/editor-models.ts';
import { AgentRegistry, type FoundAgent } from '../../src/service/agent-registry.ts';
import { AgentService } from '../../src/service/agent-service.ts';
import { KnownAgentSettings, type ConfiguredAgents } from '../../src/service/agent-settings.ts';
import { EditorModelBridge } from '../../src/service/editor-models.ts';
import type { Agent } from '../../src/service/ports/agent.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { FakeClock } from './fake-clock.ts';

export const openAi: ModelProvider = {
  id: 'openai',
  name: 'OpenAI',
  kind: 'openai-compatible',
  baseUrl: 'https://api.openai.com/v1',
  models: ['gpt-5', 'o4/mini:2026'],
  apiKey: 'sk-of-openai-0123456789',
};
export const anthropic: ModelProvider = {
  id: 'anthropic',
  name: 'Anthropic',
  kind: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  models: ['claude-5'],
};
export const command: AcpCommand = {
  id: 'mine',
  name: 'My Agent',
  command: '/opt/mine',
  args: [],
  passVariables: [],
};
export const editorModel: EditorModel = {
  id: 'copilot/gpt-5',
  name: 'GPT-5',
  vendor: 'copilot',
  maxInputTokens: 100_000,
};

/** An agent that does nothing, with a name that tells how it was made. */
export function namedAgent(name: string): Agent {
  return { name, repairs: false, run: async () => ({ title: '', summary: '' }) };
}

/** A registry whose agents are made by name only, on a clock that stands still. */
export class AgentStand {
  readonly clock = new FakeClock();
  readonly redactor = new Redactor();
  readonly settings: KnownAgentSettings;
  readonly registry: AgentRegistry;
  readonly service: AgentService;
  /** The providers that were tried. */
  readonly checked: ModelProvider[] = [];
  readonly editorModels = new EditorModelBridge(this.clock);
  /** What was told to the writer. */
  readonly told: string[] = [];
  /** Ids of commands that are installed. */
  readonly installed = new Set<string>();
  readonly cancel = new AbortController();

  constructor(configured?: ConfiguredAgents) {
    this.settings = new KnownAgentSettings(this.redactor, configured);
    this.registry = new AgentRegistry({
      settings: this.settings,
      clock: this.clock,
      editorModels: this.editorModels,
      factories: {
        rules: namedAgent('rules'),
        model: async ({ id, apiKey }, model, { steps }) => namedAgent(`${id} ${model} ${apiKey} ${steps}`),
        editor: async ({ id, maxInputTokens }) => namedAgent(`${id} ${maxInputTokens}`),
        acp: async ({ command: program }) => namedAgent(program),
        findAcp: async (commands) => this.#find(commands),
      },
    });
    this.service = new AgentService({
      agents: this.registry,
      settings: this.settings,
      checkProvider: async (provider) => {
        this.checked.push(provider);
        return { ok: true, message: this.redactor.redact(`It takes ${provider.apiKey}.`), models: ['big'] };
      },
    });
  }

  handOver(settings: Partial<AgentSettings>): void {
    this.settings.replace({ providers: [], commands: [], limits: {}, ...settings });
  }

  /** A window asks for work for these models, and only these. */
  offer(...models: EditorModel[]): void {
    void this.editorModels.next({ window: 'w'.repeat(36), models }, this.cancel.signal);
  }

  /** The opened agent's name, or what went wrong as `code: message`. */
  async open(id: string): Promise<string> {
    try {
      const tell = async (step: string): Promise<void> => void this.told.push(step);
      return (await this.registry.open(id, this.cancel.signal, tell)).name;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return `${'code' in error ? String(error.code) : error.name}: ${error.message}`;
    }
  }

  #find(commands: readonly AcpCommand[]): FoundAgent[] {
    const known: AcpCommand = { ...command, id: 'opencode', name: 'opencode', command: 'opencode' };
    return [...commands, known].map((one) => {
      const ready = this.installed.has(one.id);
      const detail = ready ? 'It is there.' : `${one.name} was not found on this machine. Install it.`;
      return { command: one, info: { id: `acp:${one.id}`, kind: 'acp', name: one.name, ready, detail } };
    });
  }
}
