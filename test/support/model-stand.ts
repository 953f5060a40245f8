import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelProvider } from '../../src/contract/agents.ts';
import { languageModelOf } from '../../src/adapters/agents/model/language-model.ts';
import { createModelAgent, type ModelAgentOptions } from '../../src/adapters/agents/model/model-agent.ts';
import type { Agent, AgentResult, AgentTask } from '../../src/service/ports/agent.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { PagesInMemory } from './pages-in-memory.ts';
import { patientTimes, QuickClock } from './quick-clock.ts';
import { startScriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';

export const wires = ['openai-compatible', 'anthropic'] as const;
export const scriptedKey = 'sk-scripted-0123456789';

export interface ModelStandOptions extends Partial<ScriptedModelOptions>, Partial<ModelAgentOptions> {
  readonly kind?: ModelProvider['kind'];
  readonly script: ScriptedModelOptions['script'];
  /** What is asked for; default: what the scripted model has. */
  readonly asks?: string;
  /** Parts of the provider that are otherwise than those of the scripted model. */
  readonly provided?: Partial<ModelProvider>;
  readonly pages?: PagesInMemory;
}

/** A model agent in front of a scripted model, on a clock without pauses. */
export class ModelStand implements AsyncDisposable {
  readonly model: ScriptedModel;
  readonly pages: PagesInMemory;
  readonly clock = new QuickClock();
  readonly redactor = new Redactor();
  readonly progress: string[] = [];
  readonly agent: Agent;
  readonly cancel = new AbortController();

  private constructor(model: ScriptedModel, options: ModelStandOptions) {
    this.model = model;
    this.pages = options.pages ?? new PagesInMemory();
    const provider: ModelProvider = {
      id: 'scripted',
      name: 'Scripted',
      kind: options.kind ?? 'openai-compatible',
      baseUrl: model.url,
      models: ['docs-model'],
      apiKey: scriptedKey,
      ...options.provided,
    };
    const language: LanguageModelV4 = languageModelOf(
      provider,
      options.asks ?? 'docs-model',
      fetch,
      this.redactor,
    );
    this.agent = createModelAgent({
      provider: provider.name,
      tools: this.pages,
      limits: {},
      redactor: this.redactor,
      clock: this.clock,
      random: () => 1,
      times: patientTimes,
      ...options,
      model: language,
    });
  }

  static async start(options: ModelStandOptions): Promise<ModelStand> {
    const model = await startScriptedModel({ key: scriptedKey, ...options });
    try {
      return new ModelStand(model, options);
    } catch (error) {
      await model[Symbol.asyncDispose]();
      throw error;
    }
  }

  run(task: Partial<AgentTask> | string = 'Replace *log in* with *sign in*.'): Promise<AgentResult> {
    return this.agent.run({
      prompt: 'Replace *log in* with *sign in*.',
      earlier: [],
      directory: '/workspace',
      docsRoot: 'docs',
      outsideDocsRoot: false,
      signal: this.cancel.signal,
      onProgress: (message) => this.progress.push(message),
      ...(typeof task === 'string' ? { prompt: task } : task),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model[Symbol.asyncDispose]();
  }
}
