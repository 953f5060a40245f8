/** The extension that shows pull requests of GitHub inside the editor. */
export const gitHubExtensionId = 'github.vscode-pull-request-github';

/**
 * The address that opens a pull request inside this editor; undefined when the GitHub extension would
 * not take it: it wants exactly `https://github.com/OWNER/REPO/pull/N`.
 */
export function insideEditor(link: string, uriScheme: string): string | undefined {
  if (!/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/pull\/[1-9]\d*$/.test(link)) return undefined;
  return `${uriScheme}://${gitHubExtensionId}/open-pull-request-webview?uri=${encodeURIComponent(link)}`;
}
