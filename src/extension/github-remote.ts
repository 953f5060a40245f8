/** True for the addresses that git has of a repository at github.com, and for no look-alike. */
export function isGitHubRemote(remote: string): boolean {
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)[^\\]/.exec(remote);
  if (short !== null && !remote.includes('://')) return isGitHubHost(short[1] ?? '');
  const url = URL.parse(remote);
  return url !== null && /^(?:https|ssh|git):$/.test(url.protocol) && isGitHubHost(url.hostname);
}

function isGitHubHost(host: string): boolean {
  const name = host.toLowerCase();
  // `ssh.github.com` is GitHub's own way around closed ports.
  return name === 'github.com' || name === 'www.github.com' || name === 'ssh.github.com';
}
