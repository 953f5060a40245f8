import * as vscode from 'vscode';
import { remoteDefaultBranch, repositoryRoot, repositoryState } from './git-state.ts';
import type { JobTarget } from './job-target.ts';
import { askChoice } from './multi-step.ts';
import { baseBranchSetting } from './settings.ts';
import { unseenWork, type UnseenWork } from './unseen-work.ts';

/** What the folder holds that a job of this target will not see; undefined when it sees everything. */
export async function findUnseenWork({ project }: JobTarget): Promise<UnseenWork | undefined> {
  const unsaved = vscode.workspace.textDocuments
    .filter((document) => document.isDirty && document.uri.scheme === project.uri.scheme)
    .map((document) => document.uri.fsPath);
  const inside = `${project.folder.uri.fsPath}/`.replaceAll('\\', '/');
  const isInside = (path: string): boolean => {
    const normal = path.replaceAll('\\', '/');
    // The editor's own settings are no pages; setting the project id writes there.
    return normal.startsWith(inside) && !normal.startsWith(`${inside}.vscode/`);
  };
  try {
    const root = await repositoryRoot(project.folder.uri);
    const [repository, main] = await Promise.all([repositoryState(root), remoteDefaultBranch(root)]);
    // Without a remote, the service starts from what is checked out.
    const base =
      baseBranchSetting(project.folder.uri) ?? (repository?.hasRemote === false ? repository.branch : main);
    return unseenWork(unsaved, repository, base, isInside);
  } catch {
    // A hosted service may know the repository although this folder is none.
    return unseenWork(unsaved, undefined, baseBranchSetting(project.folder.uri), isInside);
  }
}

/** One or two sentences for the writer. */
export function unseenSentence(work: UnseenWork): string {
  const { base, hasRemote, otherBranch } = work;
  const sees = hasRemote
    ? base === undefined
      ? vscode.l10n.t('Docs Agent works on what is committed and pushed.')
      : vscode.l10n.t('Docs Agent works on what is committed and pushed to {0}.', base)
    : vscode.l10n.t('Docs Agent works on what is committed.');
  const changed = work.unsaved.length + work.uncommitted.length;
  const misses: string[] = [];
  if (changed === 1) misses.push(vscode.l10n.t('1 file has changes that it will not see.'));
  if (changed > 1) misses.push(vscode.l10n.t('{0} files have changes that it will not see.', changed));
  if (otherBranch !== undefined) {
    misses.push(vscode.l10n.t('It will not see what is only on the branch {0}.', otherBranch));
  } else if (work.unpushed === 1) misses.push(vscode.l10n.t('1 commit is not pushed yet.'));
  else if (work.unpushed !== undefined && work.unpushed > 1) {
    misses.push(vscode.l10n.t('{0} commits are not pushed yet.', work.unpushed));
  }
  return [sees, ...misses].join(' ');
}

/** Asks whether to go on. Choosing to look at the changes saves the pages and ends the flow. */
export async function confirmUnseen(title: string, work: UnseenWork): Promise<boolean> {
  const go = { label: vscode.l10n.t('$(check) Create Anyway') };
  const look = { label: vscode.l10n.t('$(diff) Save and Show Changes') };
  const place = { title, step: 1, total: 1 };
  const result = await askChoice(place, unseenSentence(work), [go, look]);
  if (result.kind === 'done' && result.value === look) await saveAndShowChanges(work);
  return result.kind === 'done' && result.value === go;
}

export async function saveAndShowChanges(work: UnseenWork): Promise<void> {
  const documents = vscode.workspace.textDocuments.filter((document) =>
    work.unsaved.includes(document.uri.fsPath),
  );
  await Promise.all(documents.map(async (document) => document.save()));
  await vscode.commands.executeCommand('workbench.view.scm');
}
