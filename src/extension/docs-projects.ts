import * as vscode from 'vscode';
import { findDocsProject, type DocsProject, type FolderListing } from './docs-project-kinds.ts';

export interface FoundProject extends DocsProject {
  readonly folder: vscode.WorkspaceFolder;
  /** The project's own folder. */
  readonly uri: vscode.Uri;
}

/** A network file system that takes longer must not hold up the person; the folder counts as it is. Milliseconds. */
const limitMs = 3_000;

/** What is known of each workspace folder. Looked up again when it is asked for: looking costs a few listings. */
export async function findProject(folder: vscode.WorkspaceFolder): Promise<FoundProject | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs);
  });
  try {
    const found = await Promise.race([findDocsProject((path) => list(folder.uri, path)), late]);
    const project = found === 'late' ? ({ kind: 'markdown', root: '' } as const) : found;
    if (project === undefined) return undefined;
    const uri = project.root === '' ? folder.uri : vscode.Uri.joinPath(folder.uri, project.root);
    return { ...project, folder, uri };
  } finally {
    clearTimeout(timer);
  }
}

/** The docs projects that are open, in the order of the workspace's folders. */
export async function findProjects(): Promise<readonly FoundProject[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = await Promise.all(folders.map(findProject));
  return found.filter((project) => project !== undefined);
}

async function list(folder: vscode.Uri, path: string): Promise<FolderListing> {
  const uri = path === '' ? folder : vscode.Uri.joinPath(folder, path);
  try {
    const entries = await vscode.workspace.fs.readDirectory(uri);
    const names = (type: vscode.FileType): string[] =>
      // A link counts as what it leads to, so the type is a set of bits.
      entries.filter(([, each]) => (each & type) !== 0).map(([name]) => name);
    return { files: names(vscode.FileType.File), folders: names(vscode.FileType.Directory) };
  } catch {
    return { files: [], folders: [] };
  }
}
