import os from 'node:os';
import { endLeftAgents } from './adapters/agents/acp/left-agents.ts';
import type { ServiceFolders } from './contract/local-service.ts';
import { AgentRegistry, type AgentFactories } from './service/agent-registry.ts';
import { AgentService } from './service/agent-service.ts';
import { KnownAgentSettings } from './service/agent-settings.ts';
import { systemClock } from './service/clock.ts';
import type { ServiceConfig } from './service/config.ts';
import { EditorModelBridge } from './service/editor-models.ts';
import { ownSecrets } from './service/own-secrets.ts';
import type { PageCheck } from './service/page-checks.ts';
import type { Agent } from './service/ports/agent.ts';
import type { PageTools } from './service/ports/page-tools.ts';
import type { Redactor } from './service/redaction.ts';

export interface AgentOptions {
  /** The rules agent. */
  readonly agent: Agent;
  readonly check: PageCheck;
  readonly tools: PageTools;
  readonly redactor: Redactor;
  readonly config: Pick<ServiceConfig, 'agents'>;
  /** Of this process, through the proxy that it is to use. */
  readonly fetch: typeof fetch;
  readonly env: NodeJS.ProcessEnv;
  readonly folders: Pick<ServiceFolders, 'data'>;
  /** Of Docs Agent. */
  readonly version: string;
}

export interface ServiceAgents extends Disposable {
  readonly forJobs: {
    readonly agents: AgentRegistry;
    readonly check: PageCheck;
    readonly holdsSecret: (text: string) => boolean;
  };
  readonly forRequests: { readonly agents: AgentService; readonly editorModels: EditorModelBridge };
}

/** The part of door 2 that names the agents. What a kind of agent needs is loaded with its first job. */
export async function serviceAgents(options: AgentOptions): Promise<ServiceAgents> {
  await endLeftAgents(options.folders.data);
  const { redactor } = options;
  // Before the first agent is started: it may be given one of them, and may print it.
  for (const secret of ownSecrets(options.env)) redactor.register(secret);
  const settings = new KnownAgentSettings(redactor, options.config.agents);
  const editorModels = new EditorModelBridge(systemClock);
  const factories = agentFactories(options, editorModels);
  const registry = new AgentRegistry({ factories, settings, editorModels, clock: systemClock });
  const agents = new AgentService({
    agents: registry,
    settings,
    checkProvider: async (provider, signal) => {
      const { checkProvider } = await import('./adapters/agents/model/check-provider.ts');
      const model = provider.models.length === 1 ? provider.models[0] : undefined;
      return checkProvider(provider, model, options.fetch, redactor, signal);
    },
  });
  return {
    forJobs: { agents: registry, check: options.check, holdsSecret: (text) => redactor.holds(text) },
    forRequests: { agents, editorModels },
    [Symbol.dispose]: () => editorModels[Symbol.dispose](),
  };
}

function agentFactories(options: AgentOptions, models: EditorModelBridge): AgentFactories {
  const { agent, tools, redactor, version } = options;
  const folder = options.folders.data;
  const machine = { env: options.env, platform: process.platform, home: os.homedir() };
  return {
    rules: agent,
    model: async (provider, model, limits) => {
      const { openProviderAgent } = await import('./adapters/agents/model/open-agents.ts');
      return openProviderAgent({ provider, model, limits, tools, redactor, fetch: options.fetch });
    },
    editor: async (model, limits) => {
      const { openEditorAgent } = await import('./adapters/agents/model/open-agents.ts');
      return openEditorAgent({ model, models, limits, tools, redactor });
    },
    acp: async (command) => {
      const { createAcpAgent } = await import('./adapters/agents/acp/acp-agent.ts');
      const redact = (text: string): string => redactor.redact(text);
      return createAcpAgent(command, { machine, folder, redact, version });
    },
    findAcp: async (commands) => {
      const { findAcpAgents } = await import('./adapters/agents/acp/find-acp-agents.ts');
      return findAcpAgents(machine, commands);
    },
  };
}
