import {
  agentIdSchema,
  rulesAgentId,
  type AcpCommand,
  type AgentInfo,
  type ModelProvider,
  type UsageLimits,
} from '../contract/agents.ts';
import type { EditorModel } from '../contract/editor-models.ts';
import type { KnownAgentSettings } from './agent-settings.ts';
import { type Changes, waitFor } from './changes.ts';
import type { Clock } from './clock.ts';
import type { Agent } from './ports/agent.ts';
import type { Agents } from './ports/agents.ts';
import type { EditorModels } from './ports/editor-models.ts';
import { ServiceError } from './service-error.ts';

/** An agent that speaks the Agent Client Protocol, as it was looked for on this machine. */
export interface FoundAgent {
  readonly info: AgentInfo;
  readonly command: AcpCommand;
}

/** How agents are made. Each is asked for only when a job needs it, so that nothing is loaded before. */
export interface AgentFactories {
  readonly rules: Agent;
  readonly model: (provider: ModelProvider, model: string, limits: UsageLimits) => Promise<Agent>;
  readonly editor: (model: EditorModel, limits: UsageLimits) => Promise<Agent>;
  readonly acp: (command: AcpCommand) => Promise<Agent>;
  /** The known ones and those of the settings, also what is not there. Only looks at files. */
  readonly findAcp: (commands: readonly AcpCommand[]) => Promise<readonly FoundAgent[]>;
}

export interface AgentRegistryDeps {
  readonly factories: AgentFactories;
  readonly settings: KnownAgentSettings;
  readonly editorModels: Pick<EditorModels, 'list'> & { readonly changes: Changes };
  readonly clock: Clock;
  /** How long a job waits for the editor, in milliseconds. */
  readonly waitMs?: number;
}

/** A window that reloads is back within seconds, an editor that was closed and is opened again within a minute. */
const defaultWaitMs = 120_000;

/** Anthropic's own interface takes nothing without one; endpoints of one's own machine or company may. */
const lacksKey = (provider: ModelProvider): boolean =>
  provider.kind === 'anthropic' && provider.apiKey === undefined;

/** All agents of this service, each by its id. */
export class AgentRegistry implements Agents {
  readonly #deps: AgentRegistryDeps;

  constructor(deps: AgentRegistryDeps) {
    this.#deps = deps;
  }

  async list(signal: AbortSignal): Promise<readonly AgentInfo[]> {
    signal.throwIfAborted();
    const { settings, editorModels, factories } = this.#deps;
    const found = await factories.findAcp(settings.commands);
    const all = [
      rulesInfo,
      ...settings.providers.flatMap((provider) => provider.models.map((model) => modelInfo(provider, model))),
      ...found.map(({ info }) => info),
      ...editorModels.list().map(editorInfo),
    ];
    // A model's name that no id can hold is one that nobody can ask for.
    return all.filter(({ id }) => agentIdSchema.safeParse(id).success);
  }

  async open(id: string, signal: AbortSignal, tell: (step: string) => Promise<void>): Promise<Agent> {
    signal.throwIfAborted();
    const colon = id.indexOf(':');
    const rest = id.slice(colon + 1);
    if (id === rulesAgentId) return this.#deps.factories.rules;
    switch (id.slice(0, colon)) {
      case 'model':
        return this.#openModel(rest, signal, tell);
      case 'acp':
        return this.#openAcp(rest, signal, tell);
      case 'editor':
        return this.#openEditor(rest, signal, tell);
      default:
        throw unavailable('This service does not know the agent of this job. Choose another one.');
    }
  }

  async #openModel(
    place: string,
    signal: AbortSignal,
    tell: (step: string) => Promise<void>,
  ): Promise<Agent> {
    const slash = place.indexOf('/');
    const [providerId, model] = [place.slice(0, slash), place.slice(slash + 1)];
    const { settings, factories } = this.#deps;
    const look = (): ModelProvider | undefined => settings.providers.find((one) => one.id === providerId);
    const known = look();
    if (known === undefined || lacksKey(known)) {
      await this.#handOver(`the key of ${known?.name ?? providerId}`, signal, tell);
    }
    const provider = look();
    if (provider === undefined) {
      throw unavailable(
        settings.handedOver
          ? `The provider ${providerId} is not in the settings any more. Add it again, or choose another agent.`
          : `The editor has not handed over its settings for ${providerId}. Open VS Code with Docs Agent and try again.`,
      );
    }
    if (lacksKey(provider)) {
      throw unavailable(`There is no key for ${provider.name}. Set it with “Choose Agent…” and try again.`);
    }
    if (provider.models.length > 0 && !provider.models.includes(model)) {
      throw unavailable(
        `The model ${model} is not among those of ${provider.name} any more. Choose another agent.`,
      );
    }
    return factories.model(provider, model, settings.limits);
  }

  async #openAcp(
    commandId: string,
    signal: AbortSignal,
    tell: (step: string) => Promise<void>,
  ): Promise<Agent> {
    const { settings, factories } = this.#deps;
    const find = async (): Promise<FoundAgent | undefined> =>
      (await factories.findAcp(settings.commands)).find(({ command }) => command.id === commandId);
    let found = await find();
    if (found?.info.ready !== true && !settings.handedOver) {
      await this.#handOver(`the command of ${found?.info.name ?? commandId}`, signal, tell);
      found = await find();
    }
    if (found === undefined) {
      throw unavailable(
        `This service does not know the agent ${commandId}. Add its command to the settings, or choose another agent.`,
      );
    }
    if (!found.info.ready) throw unavailable(found.info.detail);
    return factories.acp(found.command);
  }

  async #openEditor(
    modelId: string,
    signal: AbortSignal,
    tell: (step: string) => Promise<void>,
  ): Promise<Agent> {
    const { settings, factories, editorModels } = this.#deps;
    const look = (): EditorModel | undefined => editorModels.list().find(({ id }) => id === modelId);
    if (look() === undefined) await tell(`Waiting for an editor window with the model ${modelId}`);
    const model = await this.#wait(look, [editorModels.changes], signal);
    if (model === undefined) {
      throw unavailable(
        `No window of the editor offers the model ${modelId}. Open VS Code, sign in to the extension that brings ` +
          'the model, and try again; or choose another agent.',
      );
    }
    return factories.editor(model, settings.limits);
  }

  /** Until the editor has handed its settings over, or the time is up. */
  async #handOver(what: string, signal: AbortSignal, tell: (step: string) => Promise<void>): Promise<void> {
    const { settings } = this.#deps;
    if (settings.handedOver) return;
    await tell(`Waiting for an editor window that hands over ${what}`);
    await this.#wait(() => settings.handedOver || undefined, [settings.changes], signal);
  }

  #wait<T>(
    look: () => T | undefined,
    changes: readonly Changes[],
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { clock, waitMs = defaultWaitMs } = this.#deps;
    return waitFor(look, { changes, ms: waitMs, clock, signal });
  }
}

const rulesInfo: AgentInfo = {
  id: rulesAgentId,
  kind: 'rules',
  name: 'Built-in rules',
  ready: true,
  detail: 'Replaces terms, repairs links, renames pages, tidies Markdown. No model.',
};

function modelInfo(provider: ModelProvider, model: string): AgentInfo {
  const ready = !lacksKey(provider);
  return {
    id: `model:${provider.id}/${model}`,
    kind: 'model',
    name: `${model} (${provider.name})`,
    ready,
    detail: ready
      ? `A language model at ${hostOf(provider.baseUrl)}.`
      : `There is no key for ${provider.name}. Set it with “Choose Agent…”.`,
  };
}

function editorInfo(model: EditorModel): AgentInfo {
  return {
    id: `editor:${model.id}`,
    kind: 'editor',
    name: model.vendor === '' ? model.name : `${model.name} (${model.vendor})`,
    ready: true,
    detail: 'A language model of the editor. Works while a window is open.',
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that cannot be read';
}

function unavailable(message: string): ServiceError {
  return new ServiceError('agent_unavailable', message);
}
