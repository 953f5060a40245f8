import { rulesAgentId, type AgentInfo } from '../contract/agents.ts';
import type { Agent } from './ports/agent.ts';
import type { Agents } from './ports/agents.ts';
import { ServiceError } from './service-error.ts';

export interface AgentRegistryDeps {
  readonly rules: Agent;
}

/** All agents of this service, each known by its id. */
export class AgentRegistry implements Agents {
  readonly #deps: AgentRegistryDeps;

  constructor(deps: AgentRegistryDeps) {
    this.#deps = deps;
  }

  async list(signal: AbortSignal): Promise<readonly AgentInfo[]> {
    signal.throwIfAborted();
    return [
      {
        id: rulesAgentId,
        kind: 'rules',
        name: 'Rules',
        ready: true,
        detail:
          'Replaces terms, repairs links, renames pages and tidies Markdown. Needs no model and no key.',
      },
    ];
  }

  async open(id: string, signal: AbortSignal): Promise<Agent> {
    signal.throwIfAborted();
    if (id === rulesAgentId) return this.#deps.rules;
    throw new ServiceError(
      'agent_unavailable',
      'This service does not have the agent of this job. Choose another agent and start a new job.',
    );
  }
}
