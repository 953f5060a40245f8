import * as vscode from 'vscode';
import type { JobClient } from '../client/job-client.ts';
import type { AgentInfo } from '../contract/agents.ts';
import { agentsOf } from './agent-readiness.ts';
import { agentRows, providerOf, type AgentListAction, type AgentRow } from './agent-rows.ts';
import {
  chosenAgent,
  saveAgent,
  saveCommand,
  savedCommands,
  savedProviders,
  saveProvider,
} from './agent-settings.ts';
import { editorModelOf, modelAgentId, type SavedProvider } from './agent-values.ts';
import { askCommand } from './command-flow.ts';
import { commandIds } from './command-table.ts';
import type { EditorModels } from './editor-models.ts';
import { localServiceId } from './job-entry.ts';
import { requireTrust } from './job-target.ts';
import type { AgentManager } from './manage-agents.ts';
import { askChoiceOf } from './multi-step.ts';
import { withoutIcons, withoutLinks } from './plain-words.ts';
import { askProvider } from './provider-flow.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { chosenService } from './service-connection.ts';
import type { Services } from './services.ts';
import { UserError } from './user-error.ts';

export interface AgentActionsOptions {
  readonly services: Services;
  readonly keys: ProviderKeys;
  readonly models: EditorModels;
  readonly manager: AgentManager;
  /** Ends with the window. */
  readonly signal: AbortSignal;
}

interface RowItem extends vscode.QuickPickItem {
  readonly row: AgentRow;
}

/** Whether the list is to be shown again. */
type Next = 'back' | 'done';

const toldMs = 5_000;

/** Who writes: the choice of the local service's agent. */
export class AgentActions {
  readonly #options: AgentActionsOptions;

  constructor(options: AgentActionsOptions) {
    this.#options = options;
  }

  async chooseAgent(): Promise<void> {
    requireTrust(
      vscode.l10n.t(
        'An agent is chosen in a trusted workspace only, because the local service is not started in Restricted Mode.',
      ),
    );
    const service = chosenService();
    if (service.kind === 'hosted') {
      throw new UserError(
        'hosted_agent',
        vscode.l10n.t(
          'Your jobs go to {0}, which has its own agent. You can choose one for the local service.',
          service.id,
        ),
        { remedies: ['chooseService'] },
      );
    }
    let next = await this.#askOnce();
    while (next === 'back') next = await this.#askOnce();
  }

  async #askOnce(): Promise<Next> {
    const result = await askChoiceOf<RowItem>(
      { title: vscode.l10n.t('Choose Agent'), step: 1, total: 1 },
      vscode.l10n.t('Who should write? New jobs go to the agent that you choose.'),
      async () => {
        const items = (await this.#rows()).map(itemOf);
        return { items, active: items.find(({ row }) => row.kind === 'agent' && row.isChosen) };
      },
    );
    if (result.kind !== 'done') return 'done';
    const { row } = result.value;
    if (row.kind === 'action') return this.#act(row.action);
    if (row.kind === 'separator') return 'done';
    if (result.isButton !== true) return this.#take(row.agent);
    const provider = savedProviders().find(({ id }) => id === providerOf(row.agent.id));
    return provider === undefined ? 'done' : this.#changeKey(provider);
  }

  async #rows(): Promise<readonly AgentRow[]> {
    const { models, manager, signal } = this.#options;
    const client = await this.#client();
    const [agents, editorModels, keys] = await Promise.all([
      agentsOf(client, signal),
      models.list(),
      manager.savedKeys(),
    ]);
    const content = { agents, editorModels, chosen: chosenAgent(), keys, canManage: manager.hasAny() };
    return agentRows(content, vscode.l10n.t);
  }

  async #changeKey(provider: SavedProvider): Promise<Next> {
    const result = await this.#options.manager.changeKey(await this.#client(), provider);
    return result.kind === 'back' ? 'back' : 'done';
  }

  async #take(agent: AgentInfo): Promise<Next> {
    const { models, manager, signal } = this.#options;
    const ofEditor = editorModelOf(agent.id);
    if (ofEditor !== undefined) await models.askConsent(ofEditor, signal);
    else if (!agent.ready) {
      const provider = savedProviders().find(({ id }) => id === providerOf(agent.id));
      if (provider === undefined) {
        tellWhatToDo(agent);
        return 'done';
      }
      const result = await manager.changeKey(await this.#client(), provider);
      if (result.kind !== 'done') return result.kind === 'back' ? 'back' : 'done';
    }
    await this.#choose(agent.id, agent.name);
    return 'done';
  }

  async #act(action: AgentListAction): Promise<Next> {
    switch (action) {
      case 'addProvider':
        return this.#addProvider();
      case 'addCommand':
        return this.#addCommand();
      case 'manage':
        return this.#options.manager.manage(() => this.#client());
    }
  }

  async #addProvider(): Promise<Next> {
    const { keys, signal } = this.#options;
    const result = await askProvider({
      client: await this.#client(),
      providers: savedProviders(),
      savedKey: async (provider) => {
        const found = await keys.find(provider);
        return found.kind === 'found' ? found.key : undefined;
      },
      signal,
    });
    if (result.kind !== 'done') return result.kind === 'back' ? 'back' : 'done';
    const { provider, key, model } = result.value;
    if (key !== undefined) await keys.save(provider, key);
    await saveProvider(provider);
    await this.#choose(modelAgentId(provider.id, model), `${model} (${provider.name})`);
    return 'done';
  }

  async #addCommand(): Promise<Next> {
    const result = await askCommand(savedCommands());
    if (result.kind !== 'done') return result.kind === 'back' ? 'back' : 'done';
    const command = result.value;
    await saveCommand(command);
    const id = `acp:${command.id}`;
    const found = (await agentsOf(await this.#client(), this.#options.signal)).find(
      (agent) => agent.id === id,
    );
    await saveAgent(id);
    if (found?.ready === false) tellWhatToDo(found);
    else tell(command.name);
    return 'done';
  }

  async #choose(id: string, name: string): Promise<void> {
    await saveAgent(id);
    tell(name);
  }

  /** Has been told of all settings and keys by then. */
  #client(): Promise<JobClient> {
    return this.#options.services.clientFor({ service: localServiceId }, this.#options.signal);
  }
}

function tell(name: string): void {
  vscode.window.setStatusBarMessage(
    vscode.l10n.t('$(check) New docs jobs go to {0}.', withoutIcons(name)),
    toldMs,
  );
}

/** An agent that this machine does not have is no error: the person has asked what it needs. */
function tellWhatToDo({ detail }: AgentInfo): void {
  const command = /`([^`]+)`/.exec(detail)?.[1];
  const copy = vscode.l10n.t('Copy Command');
  const again = vscode.l10n.t('Choose Agent');
  const buttons = command === undefined ? [again] : [copy, again];
  void vscode.window.showInformationMessage(withoutLinks(detail), ...buttons).then(async (chosen) => {
    if (chosen === copy && command !== undefined) await vscode.env.clipboard.writeText(command);
    if (chosen === again) await vscode.commands.executeCommand(commandIds.chooseAgent);
  });
}

function itemOf(row: AgentRow): RowItem {
  if (row.kind === 'separator') return { row, label: row.label, kind: vscode.QuickPickItemKind.Separator };
  const { label, detail } = row;
  if (row.kind === 'action') return { row, label, detail };
  const changeKey = { iconPath: new vscode.ThemeIcon('key'), tooltip: vscode.l10n.t('Change Key…') };
  return { row, label, detail, description: row.description, buttons: row.hasKey ? [changeKey] : [] };
}
