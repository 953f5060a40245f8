import * as vscode from 'vscode';
import { ApiError } from '../client/api-error.ts';
import type { JobClient } from '../client/job-client.ts';
import { rulesAgentId, type AgentInfo } from '../contract/agents.ts';
import { providerOf } from './agent-rows.ts';
import { savedProviders } from './agent-settings.ts';
import { editorModelOf } from './agent-values.ts';
import type { EditorModels } from './editor-models.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { UserError } from './user-error.ts';

/**
 * Makes sure that an agent can take a job, before a job is made for it.
 *
 * @throws UserError with what to do: `agent_not_ready`, or what {@link EditorModels.askConsent} throws
 */
export async function requireReady(
  agent: string,
  client: Pick<JobClient, 'agents'>,
  models: Pick<EditorModels, 'askConsent'>,
  signal: AbortSignal,
): Promise<void> {
  if (agent === rulesAgentId) return;
  const ofEditor = editorModelOf(agent);
  if (ofEditor !== undefined) {
    await models.askConsent(ofEditor, signal);
    return;
  }
  const found = (await agentsOf(client, signal)).find(({ id }) => id === agent);
  if (found?.ready === true) return;
  throw new UserError(
    'agent_not_ready',
    found === undefined
      ? vscode.l10n.t('The chosen agent ({0}) is no longer there. Choose another one.', agent)
      : vscode.l10n.t('{0} is not ready. {1}', found.name, found.detail),
    { remedies: ['chooseAgent'] },
  );
}

/**
 * A service takes a provider without a key for one that needs none, so that a key that is gone would only
 * show when the job fails.
 *
 * @throws UserError `key_gone`
 */
export async function requireKey(agent: string, keys: Pick<ProviderKeys, 'find'>): Promise<void> {
  const provider = savedProviders().find(({ id }) => id === providerOf(agent));
  if (provider === undefined || (await keys.find(provider)).kind !== 'gone') return;
  throw new UserError(
    'key_gone',
    vscode.l10n.t(
      'The key of {0} was saved, but this machine’s secret storage no longer has it. Give it again with “Choose Agent…”; your prompt is kept.',
      provider.name,
    ),
    { remedies: ['chooseAgent', 'openKeyringHelp'] },
  );
}

/** @throws UserError `agent_invalid`: the setting was written by hand */
export function noAgentChosen(): UserError {
  return new UserError(
    'agent_invalid',
    vscode.l10n.t('The setting “docsAgent.agent” names no agent. Choose one again.'),
    { remedies: ['chooseAgent'] },
  );
}

/** @throws UserError `service_too_old` where a service of an earlier version still runs and knows no agents */
export async function agentsOf(
  client: Pick<JobClient, 'agents'>,
  signal: AbortSignal,
): Promise<readonly AgentInfo[]> {
  try {
    return (await client.agents({ signal })).agents;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_supported') throw error;
    throw new UserError(
      'service_too_old',
      vscode.l10n.t(
        'A local service of an earlier version is still at work and knows no other agents. Try again when its jobs have ended.',
      ),
      { remedies: ['refresh'], cause: error },
    );
  }
}
