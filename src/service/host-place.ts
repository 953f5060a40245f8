import type { ServiceConfig } from './config.ts';
import { type HostKind, hostKindOf } from './host-kinds.ts';
import { isLoopback, parseRemoteUrl, type RemoteUrl } from './remote-url.ts';

/** Where a repository stands at its code host. Addresses are without a slash at their end. */
export interface HostPlace {
  readonly kind: HostKind;
  /** Name of the web host, with its port when that is not the scheme's own. */
  readonly host: string;
  /** The site's address, with the folder that it may live in: `https://example.com/gitlab`. */
  readonly webUrl: string;
  /** Where its REST interface begins. */
  readonly apiUrl: string;
  /** The repository's path below {@link webUrl} as the remote names it, without `.git`, part by part, decoded. */
  readonly path: readonly string[];
  /** What a credential is asked for with, also when git itself talks ssh. */
  readonly credentialUrl: string;
}

type Hosts = ServiceConfig['hosts'];

/** Sites whose ssh stands under a name of its own. */
const sshHosts: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
  'ssh.dev.azure.com': 'dev.azure.com',
  'vs-ssh.visualstudio.com': 'dev.azure.com',
};

/** Undefined for a folder, for an address that is no remote, and for a host of which nobody knows the kind. */
export function hostPlace(remoteUrl: string | undefined, hosts: Hosts): HostPlace | undefined {
  const remote = remoteUrl === undefined ? undefined : parseRemoteUrl(remoteUrl);
  if (!remote || remote.kind === 'file') return undefined;
  const name = configuredName(remote, hosts);
  const entry = hosts[name] ?? {};
  const kind = hostKindOf(name, hosts);
  if (kind === undefined) return undefined;
  const webUrl = entry.webUrl ?? webOrigin(remote, name);
  const below = pathBelow(webUrl, remote);
  if (below === undefined) return undefined;
  const path = remote.kind === 'http' ? below : httpPath(kind, below);
  const { host } = new URL(webUrl);
  const ending = kind === 'azure' ? '' : '.git';
  const credentialUrl =
    remote.kind === 'http' ? remote.url : `${webUrl}/${path.map(encodeURIComponent).join('/')}${ending}`;
  return { kind, host, webUrl, path, credentialUrl, apiUrl: entry.apiUrl ?? apiUrl(kind, webUrl, host) };
}

/**
 * The entry of the configuration that a host's credential stands in: the one of its own name, or the one whose
 * site has been given this address.
 *
 * @param host name in lower case, with the port when it is not the scheme's own
 */
export function configuredHost(host: string, hosts: Hosts): Hosts[string] | undefined {
  return (
    hosts[host] ??
    Object.values(hosts).find(({ webUrl }) => webUrl !== undefined && new URL(webUrl).host === host)
  );
}

/** Ssh has its own port, so a server with a port in the configuration is found by its name alone. */
function configuredName(remote: Exclude<RemoteUrl, { kind: 'file' }>, hosts: Hosts): string {
  if (remote.kind === 'http' || hosts[remote.host] !== undefined) return remote.host;
  const alone = sshHosts[remote.host];
  if (alone !== undefined) return alone;
  const names = Object.keys(hosts).filter((name) => name.replace(/:\d+$/, '') === remote.host);
  return names.length === 1 && names[0] !== undefined ? names[0] : remote.host;
}

/** Https, except for a server on this machine: a token goes nowhere else in the clear. */
function webOrigin(remote: RemoteUrl, name: string): string {
  if (remote.kind !== 'http') return `https://${name}`;
  const { protocol, hostname } = new URL(remote.origin);
  return protocol === 'http:' && isLoopback(hostname) ? remote.origin : `https://${name}`;
}

/** Undefined when the remote is outside the folder of the site, or holds a part that no host allows. */
function pathBelow(webUrl: string, remote: Exclude<RemoteUrl, { kind: 'file' }>): string[] | undefined {
  const folder = new URL(webUrl).pathname.split('/').filter((part) => part !== '');
  const parts = remote.path.split('/').filter((part) => part !== '');
  const inside = folder.length > 0 && folder.every((part, index) => parts[index] === part);
  // An ssh remote does not know of the folder that the site lives in.
  if (folder.length > 0 && !inside && remote.kind === 'http') return undefined;
  const path = (inside && remote.kind === 'http' ? parts.slice(folder.length) : parts).map(decode);
  const bad = path.some((part) => part === '' || part === '.' || part === '..' || /[/\\\p{Cc}]/u.test(part));
  return bad ? undefined : path;
}

/** How https names a repository that ssh names otherwise. */
function httpPath(kind: HostKind, path: readonly string[]): readonly string[] {
  const [version, organisation, project, name, ...rest] = path;
  if (kind === 'azure' && version === 'v3' && organisation && project && name && rest.length === 0) {
    return [organisation, project, '_git', name];
  }
  return kind === 'bitbucket-server' && path[0] !== 'scm' ? ['scm', ...path] : path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function apiUrl(kind: HostKind, webUrl: string, host: string): string {
  switch (kind) {
    case 'github':
      // GitHub.com and its data-residency sites have a host for it, Enterprise Server has a folder.
      if (host === 'github.com' || host.endsWith('.ghe.com')) return `https://api.${host}`;
      return `${webUrl}/api/v3`;
    case 'gitlab':
      return `${webUrl}/api/v4`;
    case 'gitea':
      return `${webUrl}/api/v1`;
    case 'bitbucket':
      return host === 'bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${webUrl}/2.0`;
    case 'bitbucket-server':
      return `${webUrl}/rest/api/1.0`;
    case 'azure':
      return webUrl;
  }
}
