import { agentIdSchema, rulesAgentId, type AcpCommand } from '../contract/agents.ts';
import { editorModelOf, type SavedProvider } from './agent-values.ts';
import type { Translate } from './translate.ts';

/** What the settings know of names. */
export interface KnownNames {
  readonly providers: readonly SavedProvider[];
  readonly commands: readonly AcpCommand[];
}

/**
 * The agents that the local service finds by itself, by the ids that it gives them: their names are needed
 * where it is not asked. A test compares them with the service's own.
 */
const foundAgents: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  copilot: 'GitHub Copilot CLI',
};

/**
 * An agent's name for people, made without asking the service. Undefined for the rules, which are what
 * there is when nobody has chosen.
 */
export function agentName(id: string, { providers, commands }: KnownNames): string | undefined {
  if (id === rulesAgentId) return undefined;
  const ofEditor = editorModelOf(id);
  if (ofEditor !== undefined) return ofEditor;
  const [, kind, rest = ''] = /^(\w+):(.+)$/.exec(id) ?? [];
  if (kind === 'acp')
    return commands.find((command) => command.id === rest)?.name ?? foundAgents[rest] ?? rest;
  const slash = rest.indexOf('/');
  const provider = providers.find((each) => each.id === rest.slice(0, slash));
  return provider === undefined ? rest.slice(slash + 1) : `${rest.slice(slash + 1)} (${provider.name})`;
}

/**
 * Who does a job of the local service, for people: it tells the agent's id until the agent has begun, and
 * from then on the name of what has really answered.
 */
export function agentTitle(told: string, names: KnownNames | undefined, t: Translate): string {
  if (told === rulesAgentId) return t('Built-in rules');
  if (names === undefined || !agentIdSchema.safeParse(told).success) return told;
  return agentName(told, names) ?? told;
}
