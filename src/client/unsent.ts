/** Why surely no request reached the service. */
export type UnsentReason = 'redirect' | 'certificate' | 'name' | 'proxy' | 'connect';

/** Codes of Node and undici, and of the editor's Chromium (`net::ERR_…`, which is in the message). */
const patterns: readonly (readonly [UnsentReason, RegExp])[] = [
  ['redirect', /unexpected redirect|redirect was cancelled|ERR_UNSAFE_REDIRECT|ERR_TOO_MANY_REDIRECTS/i],
  ['name', /\b(?:ENOTFOUND|EAI_[A-Z]+|ERR_NAME_[A-Z_]+)\b/],
  [
    'certificate',
    /\b(?:\w*SELF_SIGNED\w*|UNABLE_TO_\w*(?:CERT|ISSUER|SIGNATURE)\w*|CERT_\w+|ERR_CERT_\w+|ERR_TLS_CERT_\w+)\b/,
  ],
  // Another protocol answers at that port, or the handshake failed: the request comes after it.
  [
    'certificate',
    /\bERR_SSL_\w*(?:VERSION|HANDSHAKE|CIPHER|PACKET_LENGTH)|\bEPROTO\b.*(?:version|handshake|packet length)/is,
  ],
  ['proxy', /\b(?:ERR_PROXY_\w+|ERR_TUNNEL_\w+)\b|Proxy response \(\d+\)/],
  ['connect', /\b(?:ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|ERR_CONNECTION_REFUSED)\b/],
  ['connect', /\b(?:ERR_INTERNET_DISCONNECTED|ERR_ADDRESS_UNREACHABLE)\b/],
  ['connect', /before secure TLS connection was established/],
];

/** These also end a connection that was there, so the failed step has to be the connecting. */
const whileConnecting =
  /^(?:ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/;

/**
 * Reads from a failed fetch whether the request surely never reached the service, and why. Undefined when
 * it may have: a connection that broke after it had been made tells nothing about the request.
 */
export function unsentReason(error: unknown, depth = 0): UnsentReason | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined;
  // Several addresses were tried: surely nothing was sent only when that holds for each of them.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const each = error.errors.map((one) => unsentReason(one, depth + 1));
    return each.includes(undefined) ? undefined : each[0];
  }
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' && whileConnecting.test(code)) return 'connect';
  const text = `${code} ${error.message}`;
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? unsentReason(error.cause, depth + 1);
}
