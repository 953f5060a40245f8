import * as vscode from 'vscode';
import type { ApiKeys } from './api-keys.ts';
import { findProjects } from './docs-projects.ts';
import { serviceUrl } from './settings.ts';
import type { Situation } from './view-state.ts';

/**
 * What is open and how the chosen service stands. Sends nothing; reads a key only where one was saved and
 * is needed. Call it when the view is shown and empty, not at activation.
 */
export async function readSituation(keys: ApiKeys, isUnreachable: boolean): Promise<Situation> {
  const service = serviceUrl();
  const [projects, key] = await Promise.all([
    findProjects(),
    service?.kind === 'usable' ? keys.find(service.origin) : undefined,
  ]);
  return {
    hasFolder: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
    hasProject: projects.length > 0,
    key: key === undefined ? 'notNeeded' : key.kind === 'found' ? 'saved' : key.kind,
    isUnreachable,
  };
}
