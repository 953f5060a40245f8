import * as vscode from 'vscode';
import type { AcpCommand, UsageLimits } from '../contract/agents.ts';
import { pullRequestExtrasSchema, type PullRequestExtras } from '../contract/project.ts';
import type { KnownNames } from './agent-name.ts';
import {
  readAgentId,
  readCommands,
  readLimits,
  readProviders,
  withItem,
  withoutItem,
  type SavedProvider,
} from './agent-values.ts';
import { agentSettingNames, settingNames, settingsSection } from './setting-names.ts';

/**
 * Which agents there are and which one is chosen. Only the user's own settings count: a repository that
 * could set them would run its command here, or get the pages and a key sent to its address.
 */

/** Undefined when the setting holds something that is no agent. */
export function chosenAgent(): string | undefined {
  return readAgentId(own(settingNames.agent));
}

export function savedProviders(): readonly SavedProvider[] {
  return readProviders(own(settingNames.modelProviders));
}

export function savedCommands(): readonly AcpCommand[] {
  return readCommands(own(settingNames.agentCommands));
}

/** What is called how, for names that are shown without asking the service. */
export function savedNames(): KnownNames {
  return { providers: savedProviders(), commands: savedCommands() };
}

export function savedLimits(): UsageLimits {
  return readLimits(own(settingNames.agentLimits));
}

export async function saveAgent(id: string): Promise<void> {
  await save(settingNames.agent, id);
}

/** Puts a provider in the place of the one with its id, or after all others. */
export async function saveProvider(provider: SavedProvider): Promise<void> {
  await save(settingNames.modelProviders, withItem(own(settingNames.modelProviders), provider));
}

export async function removeProvider(id: string): Promise<void> {
  await save(settingNames.modelProviders, withoutItem(own(settingNames.modelProviders), id));
}

export async function saveCommand(command: AcpCommand): Promise<void> {
  await save(settingNames.agentCommands, withItem(own(settingNames.agentCommands), command));
}

export async function removeCommand(id: string): Promise<void> {
  await save(settingNames.agentCommands, withoutItem(own(settingNames.agentCommands), id));
}

export function changesAgents(event: vscode.ConfigurationChangeEvent): boolean {
  return agentSettingNames.some((name) =>
    event.affectsConfiguration(`${settingsSection}.${settingNames[name]}`),
  );
}

/** What a folder's settings want of its pull requests; undefined when they say nothing. */
export function pullRequestSetting(folder: vscode.Uri): PullRequestExtras | undefined {
  const section = vscode.workspace.getConfiguration(settingsSection, folder);
  const value = {
    ...(section.get<unknown>(settingNames.draft) === true ? { draft: true } : {}),
    ...names('labels', section.get<unknown>(settingNames.labels)),
    ...names('reviewers', section.get<unknown>(settingNames.reviewers)),
  };
  if (Object.keys(value).length === 0) return undefined;
  return pullRequestExtrasSchema.safeParse(value).data;
}

function names(name: 'labels' | 'reviewers', value: unknown): PullRequestExtras {
  if (!Array.isArray(value)) return {};
  const texts = value.flatMap((each) => (typeof each === 'string' ? [each.trim()] : []));
  const usable = texts.filter((text) => text !== '' && text.length <= 100).slice(0, 20);
  return usable.length === 0 ? {} : { [name]: usable };
}

function own(name: string): unknown {
  return vscode.workspace.getConfiguration(settingsSection).inspect<unknown>(name)?.globalValue;
}

async function save(name: string, value: unknown): Promise<void> {
  const section = vscode.workspace.getConfiguration(settingsSection);
  await section.update(name, value, vscode.ConfigurationTarget.Global);
}
