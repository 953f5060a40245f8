import * as vscode from 'vscode';
import { readServiceUrl, type ServiceUrlReading } from '../client/service-url.ts';
import { settingNames, settingsSection } from './setting-names.ts';

export type OpenPullRequestMode = 'automatically' | 'ask' | 'never';
export type NotificationMode = 'always' | 'unfocused' | 'never';

/** Where a value comes from decides how far it is trusted. */
export interface ProjectIdSetting {
  readonly id: string;
  /** True when files of the workspace said it, so that a repository may have chosen it. */
  readonly fromWorkspace: boolean;
}

/**
 * The address of the service, undefined for the local one. Only the user's own settings count: a
 * repository that could set it would get the key with the next request.
 */
export function serviceUrl(): ServiceUrlReading | undefined {
  const value = section().inspect<unknown>(settingNames.baseUrl)?.globalValue;
  return typeof value === 'string' && value.trim() !== '' ? readServiceUrl(value) : undefined;
}

/** The project id for a folder; undefined when none is set. */
export function projectIdSetting(folder: vscode.Uri): ProjectIdSetting | undefined {
  const found = section(folder).inspect<unknown>(settingNames.projectId);
  const fromWorkspace = text(found?.workspaceFolderValue) ?? text(found?.workspaceValue);
  if (fromWorkspace !== undefined) return { id: fromWorkspace, fromWorkspace: true };
  const fromUser = text(found?.globalValue);
  return fromUser === undefined ? undefined : { id: fromUser, fromWorkspace: false };
}

/** The branch that jobs of a folder start from; undefined for the remote's default branch. */
export function baseBranchSetting(folder: vscode.Uri): string | undefined {
  return text(section(folder).get<unknown>(settingNames.baseBranch));
}

export function openPullRequestMode(): OpenPullRequestMode {
  const value = section().get<unknown>(settingNames.openPullRequest);
  return value === 'ask' || value === 'never' ? value : 'automatically';
}

export function notificationMode(): NotificationMode {
  const value = section().get<unknown>(settingNames.notifications);
  return value === 'unfocused' || value === 'never' ? value : 'always';
}

/** An empty address chooses the local service. */
export async function setServiceUrl(url: string): Promise<void> {
  await section().update(
    settingNames.baseUrl,
    url === '' ? undefined : url,
    vscode.ConfigurationTarget.Global,
  );
}

/** Kept in the folder's settings, so that it comes along with the project. */
export async function setProjectIdSetting(folder: vscode.Uri, id: string): Promise<void> {
  await section(folder).update(
    settingNames.projectId,
    id === '' ? undefined : id,
    vscode.ConfigurationTarget.WorkspaceFolder,
  );
}

function section(folder?: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(settingsSection, folder);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
