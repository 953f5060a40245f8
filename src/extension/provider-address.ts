import { readServiceUrl } from '../client/service-url.ts';

/** `takesKey` is false where the address is not encrypted, so that no key may be sent there. */
export type ProviderAddress =
  | {
      readonly kind: 'usable';
      /** Without a trailing slash. */
      readonly baseUrl: string;
      readonly origin: string;
      readonly takesKey: boolean;
    }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Reads the address of a model provider. As for services, `https:` or loopback; beside that `http:` for a
 * model server in the own network, which often has no certificate. It gets no key.
 */
export function readProviderAddress(text: string): ProviderAddress {
  const trimmed = text.trim();
  const reading = readServiceUrl(trimmed);
  if (reading.kind === 'usable') {
    return { kind: 'usable', baseUrl: reading.base, origin: reading.origin, takesKey: true };
  }
  const url = /^http:/i.test(trimmed) ? URL.parse(trimmed) : null;
  if (url === null) return reading;
  // All other rules are the same.
  const others = readServiceUrl(trimmed.replace(/^http:/i, 'https:'));
  if (others.kind === 'refused') return others;
  const baseUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  return { kind: 'usable', baseUrl, origin: url.origin, takesKey: false };
}
