/** The extension that shows pull requests of GitHub inside the editor. */
export const gitHubExtensionId = 'github.vscode-pull-request-github';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The link in the form in which it is opened, or undefined when a service must not make an editor open
 * it: only `https:`, or `http:` of this machine, without user name or password.
 */
export function openableLink(link: string | undefined): string | undefined {
  if (link === undefined || !URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (url.username !== '' || url.password !== '') return undefined;
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && loopbackNames.has(url.hostname));
  return isSafe ? url.href : undefined;
}

/**
 * The address that opens a pull request inside this editor; undefined when the GitHub extension would
 * not take it: it wants exactly `https://github.com/OWNER/REPO/pull/N`.
 */
export function insideEditor(link: string, uriScheme: string): string | undefined {
  if (!/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/pull\/[1-9]\d*$/.test(link)) return undefined;
  return `${uriScheme}://${gitHubExtensionId}/open-pull-request-webview?uri=${encodeURIComponent(link)}`;
}
