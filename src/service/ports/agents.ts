import type { AgentInfo } from '../../contract/agents.ts';
import type { Agent } from './agent.ts';

/** The agents of this service, by the ids of `contract/agents.ts`. */
export interface Agents {
  /** All that are known, the ones that are not ready with the reason. */
  list(signal: AbortSignal): Promise<readonly AgentInfo[]>;
  /**
   * The agent of an id, ready to run. Waits a bounded time for what the editor has still to hand over.
   *
   * @param tell says in words what is waited for
   * @throws ServiceError `agent_unavailable` with what to do
   */
  open(id: string, signal: AbortSignal, tell: (step: string) => Promise<void>): Promise<Agent>;
}
