import * as vscode from 'vscode';
import { UserError } from './user-error.ts';
import type { RepositoryState } from './unseen-work.ts';

/** The part of the built-in git extension's interface (version 1) that is used. */
interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): GitApi;
}

interface GitApi {
  getRepository(uri: vscode.Uri): GitRepository | null;
  openRepository?(root: vscode.Uri): Promise<GitRepository | null>;
}

interface GitChange {
  readonly uri: vscode.Uri;
}

interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly HEAD:
      | {
          readonly name?: string;
          readonly commit?: string;
          readonly ahead?: number;
          readonly upstream?: { readonly name: string };
        }
      | undefined;
    readonly remotes: readonly { readonly name: string; readonly fetchUrl?: string }[];
    readonly indexChanges: readonly GitChange[];
    readonly mergeChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly untrackedChanges?: readonly GitChange[];
  };
  status(): Promise<void>;
  getBranch(name: string): Promise<{ readonly commit?: string }>;
}

/** Reading the state of a large repository may take long; what is told then is only less. Milliseconds. */
const limitMs = 2_000;

/**
 * The folder of the repository around a folder of this machine.
 *
 * @throws UserError `no_repository`
 */
export async function repositoryRoot(folder: vscode.Uri): Promise<vscode.Uri> {
  for (let at = folder; ; at = vscode.Uri.joinPath(at, '..')) {
    if (await exists(vscode.Uri.joinPath(at, '.git'))) return at;
    if (vscode.Uri.joinPath(at, '..').path === at.path) break;
  }
  throw new UserError(
    'no_repository',
    vscode.l10n.t(
      'This folder is not in a git repository. Jobs work on what is committed: run “git init” and commit your pages first.',
    ),
    { remedies: ['initRepository'] },
  );
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Of the remotes, as git knows them. May hold credentials: for looking at the host only. */
export async function remoteUrls(root: vscode.Uri): Promise<readonly string[]> {
  const repository = await within(findRepository(root));
  return (
    repository?.state.remotes.flatMap(({ fetchUrl }) => (fetchUrl === undefined ? [] : [fetchUrl])) ?? []
  );
}

/** What the built-in git extension knows of a repository; undefined when it is off or does not know it. */
export async function repositoryState(root: vscode.Uri): Promise<RepositoryState | undefined> {
  const repository = await within(findRepository(root));
  if (repository === undefined) return undefined;
  // A page that was saved a moment ago is not in the state before git has looked again.
  await within(repository.status());
  const { HEAD, remotes, indexChanges, mergeChanges, workingTreeChanges, untrackedChanges } =
    repository.state;
  const changes = [...indexChanges, ...mergeChanges, ...workingTreeChanges, ...(untrackedChanges ?? [])];
  const isPushed = HEAD?.upstream === undefined && (await isAtRemote(repository));
  return {
    branch: HEAD?.name,
    ahead: isPushed ? 0 : HEAD?.ahead,
    hasUpstream: HEAD?.upstream !== undefined || isPushed,
    hasRemote: remotes.length > 0,
    changed: changes.map(({ uri }) => uri.fsPath),
  };
}

/** True for a branch that was pushed without being told to follow the remote's: all of it is there. */
async function isAtRemote(repository: GitRepository): Promise<boolean> {
  const { HEAD, remotes } = repository.state;
  const [remote] = remotes;
  if (HEAD?.name === undefined || HEAD.commit === undefined || remote === undefined) return false;
  const there = await within(repository.getBranch(`${remote.name}/${HEAD.name}`));
  return there?.commit === HEAD.commit;
}

async function findRepository(root: vscode.Uri): Promise<GitRepository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) return undefined;
  const git = await extension.activate();
  // `getAPI` throws while `git.enabled` is off.
  if (!git.enabled) return undefined;
  const api = git.getAPI(1);
  const found = api.getRepository(root) ?? (await api.openRepository?.(root));
  return found ?? undefined;
}

/** The branch that the remote says is its main one, as far as this clone was told; undefined otherwise. */
export async function remoteDefaultBranch(root: vscode.Uri): Promise<string | undefined> {
  try {
    const head = vscode.Uri.joinPath(root, '.git', 'refs', 'remotes', 'origin', 'HEAD');
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(head));
    return /^ref: refs\/remotes\/origin\/(\S+)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** What takes too long or fails is not known: another extension's trouble must not stop a job. */
async function within<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
