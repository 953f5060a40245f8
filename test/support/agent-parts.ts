import assert from 'node:assert/strict';
import { type AgentFactories, AgentRegistry } from '../../src/service/agent-registry.ts';
import { KnownAgentSettings } from '../../src/service/agent-settings.ts';
import { type Clock, systemClock } from '../../src/service/clock.ts';
import { EditorModelBridge } from '../../src/service/editor-models.ts';
import { ownSecrets } from '../../src/service/own-secrets.ts';
import type { AgentWalk } from './agent-walk.ts';

/** Of a provider's model, as the editor hands it over. */
export const modelKey = 'sk-of-the-company-0123456789';
/** Of the service's own environment, which agents of this machine sign in with. */
export const serviceEnv = {
  SCRIPTED_API_KEY: 'sk-of-the-service-0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef',
};
export const secrets = Object.values(serviceEnv);

export const task = 'Say *sign in* instead of *log in*.';

/** The registry of a service, with the factory of one kind. */
export function registryOf(
  walk: AgentWalk,
  factories: Partial<AgentFactories>,
  editorModels = new EditorModelBridge(systemClock),
  clock: Clock = systemClock,
): { readonly registry: AgentRegistry; readonly settings: KnownAgentSettings } {
  const { redactor } = walk.service;
  for (const secret of ownSecrets(serviceEnv)) redactor.register(secret);
  const settings = new KnownAgentSettings(redactor);
  const none = async (): Promise<never> => assert.fail('another kind of agent was asked for');
  const registry = new AgentRegistry({
    settings,
    editorModels,
    clock,
    factories: {
      rules: walk.rules,
      model: none,
      editor: none,
      acp: none,
      findAcp: async () => [],
      ...factories,
    },
  });
  return { registry, settings };
}
