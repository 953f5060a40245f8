/** `usable`: `base` has no trailing slash; `origin` is what a stored key is bound to. */
export type ServiceUrlReading =
  | { readonly kind: 'usable'; readonly base: string; readonly origin: string }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Reads the base URL of a service. `https:` only, `http:` on a loopback address only, because the key
 * travels in every request; no user name or password, no query, no fragment. A path is kept.
 */
export function readServiceUrl(text: string): ServiceUrlReading {
  const url = parse(text.trim());
  if (url === undefined) {
    return refused('This is not a web address. Write it like https://api.example.com');
  }
  if (url.username !== '' || url.password !== '') {
    return refused('Leave user name and password out of the address. The key is asked for separately.');
  }
  if (!isSafe(url)) {
    return refused(
      'The address must begin with https:// (http:// only for this machine), to protect the key.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    return refused('Leave out what follows the ? or # of the address.');
  }
  return { kind: 'usable', base: `${url.origin}${url.pathname}`.replace(/\/+$/, ''), origin: url.origin };
}

/**
 * The normal form of a link that may be opened: `https:`, or `http:` on a loopback address, without user
 * info. Undefined for everything else. A job's `prLink` is text from a server, so it goes through here.
 */
export function openableLink(link: string | undefined): string | undefined {
  const url = link === undefined ? undefined : parse(link);
  if (url === undefined || !isSafe(url) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

function refused(message: string): ServiceUrlReading {
  return { kind: 'refused', message };
}

function parse(text: string): URL | undefined {
  // The URL parser drops line breaks and tabs silently; whoever wrote them meant to hide something.
  if (/[\p{Cc}\s\\]/u.test(text)) return undefined;
  return URL.parse(text) ?? undefined;
}

function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** The URL parser has already written every spelling of an IPv4 address as four decimal numbers. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
