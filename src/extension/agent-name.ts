import { rulesAgentId, type AcpCommand } from '../contract/agents.ts';
import { editorModelOf, type SavedProvider } from './agent-values.ts';

/** What the settings know of names. */
export interface KnownNames {
  readonly providers: readonly SavedProvider[];
  readonly commands: readonly AcpCommand[];
}

/**
 * An agent's name for people, made without asking the service. Undefined for the rules, which are what
 * there is when nobody has chosen.
 */
export function agentName(id: string, { providers, commands }: KnownNames): string | undefined {
  if (id === rulesAgentId) return undefined;
  const ofEditor = editorModelOf(id);
  if (ofEditor !== undefined) return ofEditor;
  const [, kind, rest = ''] = /^(\w+):(.+)$/.exec(id) ?? [];
  if (kind === 'acp') return commands.find((command) => command.id === rest)?.name ?? rest;
  const slash = rest.indexOf('/');
  const provider = providers.find((each) => each.id === rest.slice(0, slash));
  return provider === undefined ? rest.slice(slash + 1) : `${rest.slice(slash + 1)} (${provider.name})`;
}
