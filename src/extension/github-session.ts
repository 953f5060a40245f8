import * as vscode from 'vscode';
import { remoteUrls, repositoryRoot } from './git-state.ts';
import { isGitHubRemote } from './github-remote.ts';

/**
 * The token of the editor's GitHub session, when there is one already and the repository is at github.com.
 * Never asks the person to sign in: the service may find another credential.
 */
export async function gitHubToken(folder: vscode.Uri): Promise<string | undefined> {
  try {
    const remotes = await remoteUrls(await repositoryRoot(folder));
    if (!remotes.some(isGitHubRemote)) return undefined;
    const session = await vscode.authentication.getSession('github', ['repo'], { silent: true });
    return session?.accessToken;
  } catch {
    // Without the authentication extension there is no session.
    return undefined;
  }
}
