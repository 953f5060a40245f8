/**
 * A git remote, understood. `url` is what may be handed to git, shown and stored: user info that could
 * hold a secret is taken out of it.
 */
export type RemoteUrl =
  | {
      readonly kind: 'http';
      readonly url: string;
      /** Scheme, host and port: what a credential belongs to. */
      readonly origin: string;
      /** Host name, with the port when it is not the scheme's own. */
      readonly host: string;
      /** Without leading slash, trailing slash and `.git`. */
      readonly path: string;
      readonly username: string | undefined;
      readonly secret: string | undefined;
      /** https, or http that never leaves this machine. */
      readonly mayCarrySecrets: boolean;
    }
  | {
      readonly kind: 'ssh' | 'git';
      readonly url: string;
      readonly host: string;
      readonly path: string;
    }
  | { readonly kind: 'file'; readonly url: string };

/** `user@host:path`, git's short form of ssh. A single letter before the colon is a Windows drive. */
const scpLike = /^(?:([^\s/@:]+)@)?([A-Za-z0-9][A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):(?!\/\/)(.+)$/;

/**
 * Reads a remote as git would. Undefined for what is refused: helpers such as `ext::`, which run
 * commands, unknown schemes, hosts that look like options, and text that is no remote.
 */
export function parseRemoteUrl(text: string): RemoteUrl | undefined {
  if (text === '' || /[\0\r\n]/.test(text) || text.startsWith('-')) return undefined;
  if (/^[A-Za-z0-9+.-]+::/.test(text)) return undefined;
  if (/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(text)) return parseUrl(text);
  const short = /^[A-Za-z]:[\\/]/.test(text) ? null : scpLike.exec(text);
  if (short && !text.slice(0, text.indexOf(':')).includes('/')) {
    const [, , host = '', path = ''] = short;
    return path.startsWith('-')
      ? undefined
      : { kind: 'ssh', url: text, host: host.toLowerCase(), path: trimPath(path) };
  }
  return { kind: 'file', url: text };
}

function parseUrl(text: string): RemoteUrl | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1).toLowerCase();
  if (scheme === 'file') return { kind: 'file', url: text };
  if (url.hostname === '' || url.hostname.startsWith('-')) return undefined;
  if (scheme === 'ssh' || scheme === 'git+ssh' || scheme === 'ssh+git' || scheme === 'git') {
    if (url.username.startsWith('-')) return undefined;
    url.password = '';
    const kind = scheme === 'git' ? 'git' : 'ssh';
    return { kind, url: url.href, host: url.hostname.toLowerCase(), path: trimPath(url.pathname) };
  }
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  const username = decode(url.username);
  const secret = decode(url.password);
  url.username = '';
  url.password = '';
  url.hash = '';
  return {
    kind: 'http',
    url: url.href,
    origin: url.origin,
    host: url.host,
    path: trimPath(url.pathname),
    username: username || undefined,
    secret: secret || undefined,
    mayCarrySecrets: scheme === 'https' || isLoopback(url.hostname),
  };
}

/** True for the names and addresses that never leave this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Owner and name, when the remote's path has exactly these two, as at GitHub. */
export function ownerAndName(remote: RemoteUrl): { owner: string; name: string } | undefined {
  if (remote.kind === 'file') return undefined;
  const [owner, name, ...rest] = remote.path.split('/');
  if (!owner || !name || rest.length > 0) return undefined;
  return isRepositoryWord(owner) && isRepositoryWord(name) ? { owner, name } : undefined;
}

function isRepositoryWord(word: string): boolean {
  return /^[A-Za-z0-9._-]{1,100}$/.test(word) && word !== '.' && word !== '..';
}

function trimPath(path: string): string {
  return path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
