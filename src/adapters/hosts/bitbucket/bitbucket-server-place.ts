import type { HostPlace } from '../../../service/host-place.ts';
import { type Site, siteInFolder } from '../own-site.ts';

/** A repository of Bitbucket Data Center. */
export interface ServerPlace extends Site {
  /** `DOCS`, or `~kim` for a personal project. */
  readonly projectKey: string;
  readonly slug: string;
}

/**
 * `https://host/[context/]scm/{key}/{slug}.git` and `ssh://git@host:7999/{key}/{slug}.git`; ssh does not know of
 * the context that the site lives in. Undefined for any other form.
 */
export function serverPlace({ path, webUrl, apiUrl }: HostPlace): ServerPlace | undefined {
  const [projectKey, slug] = path.slice(-2);
  const before = path.slice(0, -2);
  if (projectKey === undefined || slug === undefined) return undefined;
  if (before.length > 0 && before.pop() !== 'scm') return undefined;
  return { projectKey, slug, ...siteInFolder({ webUrl, apiUrl }, before) };
}

/** Below the REST interface. */
export function serverPath({ projectKey, slug }: ServerPlace): string {
  return `/projects/${encodeURIComponent(projectKey)}/repos/${encodeURIComponent(slug)}`;
}

/** The repository's web page: personal projects stand below `users`. */
export function serverPage({ projectKey, slug, webUrl }: ServerPlace): string {
  const owner = projectKey.startsWith('~')
    ? `users/${encodeURIComponent(projectKey.slice(1))}`
    : `projects/${encodeURIComponent(projectKey)}`;
  return `${webUrl}/${owner}/repos/${encodeURIComponent(slug)}`;
}
