import type { HostPlace } from '../../service/host-place.ts';

/** In characters; what is longer is no address of a page. */
const maxLink = 2000;

/** The two addresses of a site, without a slash at their end. */
export type Site = Pick<HostPlace, 'webUrl' | 'apiUrl'>;

/**
 * The site in a folder of the place: what a remote's path holds before the repository's own names. A REST
 * interface that the configuration gave an address of its own stays where it is.
 *
 * @param folder parts of the path, decoded
 */
export function siteInFolder({ webUrl, apiUrl }: Site, folder: readonly string[]): Site {
  const inside = folder.map((part) => `/${encodeURIComponent(part)}`).join('');
  const below = `${apiUrl}/`.startsWith(`${webUrl}/`);
  return {
    webUrl: webUrl + inside,
    apiUrl: below ? webUrl + inside + apiUrl.slice(webUrl.length) : apiUrl,
  };
}

/**
 * The link that a host answered, when it leads to that host; otherwise the one that we know. Servers behind a
 * proxy tell the address of an inner network, and a hostile one could tell any.
 */
export function ownLink(answered: string | null | undefined, webUrl: string, known: string): string {
  if (!answered || answered.length > maxLink || !URL.canParse(answered)) return known;
  const link = new URL(answered);
  const bare = link.username === '' && link.password === '';
  return bare && link.origin === new URL(webUrl).origin ? link.href : known;
}

/** A branch in a path: its slashes stay slashes. */
export function branchInPath(branch: string): string {
  return branch.split('/').map(encodeURIComponent).join('/');
}

/** `a, b and c`, for sentences. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
