import { rulesAgentId, type AgentInfo, type AgentKind } from '../contract/agents.ts';
import type { EditorModel } from '../contract/editor-models.ts';
import { oneLine, shortened } from '../client/server-text.ts';
import { editorAgentId } from './agent-values.ts';
import { withoutIcons } from './plain-words.ts';
import type { Translate } from './translate.ts';

/** What the list ends with. */
export type AgentListAction = 'addProvider' | 'addCommand' | 'manage';

/** One row of the list of agents, as plain data. */
export type AgentRow =
  | { readonly kind: 'separator'; readonly label: string }
  | {
      readonly kind: 'agent';
      readonly agent: AgentInfo;
      /** With its icon. */
      readonly label: string;
      readonly description: string;
      readonly detail: string;
      readonly isChosen: boolean;
      /** A key is kept for its provider, which can be changed from here. */
      readonly hasKey: boolean;
    }
  | {
      readonly kind: 'action';
      readonly action: AgentListAction;
      readonly label: string;
      readonly detail: string;
    };

export interface AgentListContent {
  /** What the service told. */
  readonly agents: readonly AgentInfo[];
  readonly editorModels: readonly EditorModel[];
  /** Undefined when the setting holds something that is no agent. */
  readonly chosen: string | undefined;
  /** By the ids of providers for which a key was saved: whether the secret storage still has it. */
  readonly keys: ReadonlyMap<string, 'found' | 'gone'>;
  /** Something is there to manage. */
  readonly canManage: boolean;
}

const icons: Readonly<Record<AgentKind, string>> = {
  rules: 'checklist',
  model: 'sparkle',
  acp: 'terminal',
  editor: 'comment-discussion',
};

/**
 * All agents and what else can be done, in the order in which a person needs it: what works, what lacks
 * only a word of theirs, what to add, and last the programs that this machine does not have.
 */
export function agentRows(content: AgentListContent, t: Translate): readonly AgentRow[] {
  const all = allAgents(content, t);
  const rowOf = (agent: AgentInfo): Extract<AgentRow, { kind: 'agent' }> => ({
    kind: 'agent',
    agent,
    label: `$(${icons[agent.kind]}) ${withoutIcons(shortened(oneLine(agent.name), 80))}`,
    description: agent.id === content.chosen ? `$(check) ${t('chosen')}` : '',
    detail: withoutIcons(shortened(oneLine(agent.detail), 300)),
    isChosen: agent.id === content.chosen,
    hasKey: content.keys.has(providerOf(agent.id) ?? ''),
  });
  // What to install does not fit into a row: who chooses the row is told it.
  const absentRowOf = (agent: AgentInfo): AgentRow => ({
    ...rowOf(agent),
    description: t('see what it needs'),
    detail: '',
  });
  const ready = all.filter((agent) => agent.ready).map(rowOf);
  const isAbsent = (agent: AgentInfo): boolean => agent.kind === 'acp' && agent.id !== content.chosen;
  const others = all.filter((agent) => !agent.ready);
  const group = (label: string, rows: readonly AgentRow[]): readonly AgentRow[] =>
    rows.length === 0 ? [] : [{ kind: 'separator', label }, ...rows];
  return [
    ...group(t('Ready'), ready),
    ...group(t('Not ready yet'), others.filter((agent) => !isAbsent(agent)).map(rowOf)),
    ...group(t('Add'), actions(content.canManage, t)),
    ...group(t('Not on this machine'), others.filter(isAbsent).map(absentRowOf)),
  ];
}

function actions(canManage: boolean, t: Translate): readonly AgentRow[] {
  return [
    {
      kind: 'action',
      action: 'addProvider',
      label: `$(add) ${t('Add a language model…')}`,
      detail: t('OpenAI, Anthropic, Mistral and others with a key; Ollama without one.'),
    },
    {
      kind: 'action',
      action: 'addCommand',
      label: `$(add) ${t('Add an agent by its command…')}`,
      detail: t('A program of this machine that speaks the Agent Client Protocol (ACP).'),
    },
    ...(canManage
      ? [
          {
            kind: 'action',
            action: 'manage',
            label: `$(gear) ${t('Manage providers and keys…')}`,
            detail: t('Change a key, an address or a model; remove what is no longer needed.'),
          } as const,
        ]
      : []),
  ];
}

function allAgents(content: AgentListContent, t: Translate): readonly AgentInfo[] {
  const ofEditor = content.editorModels.map((model): AgentInfo => ({
    id: editorAgentId(model.id),
    kind: 'editor',
    name: model.name,
    ready: true,
    detail: t('A language model of this editor, by {0}. It works while a window is open.', model.vendor),
  }));
  const known = new Set(ofEditor.map(({ id }) => id));
  const told = content.agents
    .filter(({ id }) => !known.has(id))
    .map((agent) => withGoneKey(agent, content, t));
  const all = [...told, ...ofEditor];
  const { chosen } = content;
  if (chosen === undefined || all.some(({ id }) => id === chosen)) return all;
  return [...all, vanished(chosen, t)];
}

/** That a key is gone is known to the editor only: to the service it looks as if there had never been one. */
function withGoneKey(agent: AgentInfo, { keys }: AgentListContent, t: Translate): AgentInfo {
  if (keys.get(providerOf(agent.id) ?? '') !== 'gone') return agent;
  return {
    ...agent,
    ready: false,
    // One line: a row shows no more.
    detail: t('Its key is gone from the secret storage. Choose this to give it again.'),
  };
}

/** The provider's id in the id of a model's agent; undefined for other agents. */
export function providerOf(agent: string): string | undefined {
  return /^model:([^/]+)\//.exec(agent)?.[1];
}

/** Chosen once, and neither the service nor the editor has it now. */
function vanished(id: string, t: Translate): AgentInfo {
  const kind =
    id === rulesAgentId
      ? 'rules'
      : id.startsWith('editor:')
        ? 'editor'
        : id.startsWith('acp:')
          ? 'acp'
          : 'model';
  return {
    id,
    kind,
    name: id.replace(/^[a-z]+:/, ''),
    ready: false,
    detail:
      kind === 'editor'
        ? t('This model is not in the editor now: sign in to its provider, or choose another agent.')
        : t('This agent is no longer there. Choose another one.'),
  };
}
