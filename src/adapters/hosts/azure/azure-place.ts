import type { HostPlace } from '../../../service/host-place.ts';
import { type Site, siteInFolder } from '../own-site.ts';

/** A repository of Azure DevOps; the names are decoded and may hold spaces. */
export interface AzurePlace extends Site {
  readonly project: string;
  readonly repository: string;
  /** Where people are looked up: Microsoft's own service has a host for them, a server of one's own does it itself. */
  readonly identityUrl: string;
}

/** Microsoft's own site; the other one is `{organisation}.visualstudio.com`. */
const site = 'dev.azure.com';
const oldSite = '.visualstudio.com';

/**
 * `https://dev.azure.com/{org}/{project}/_git/{repo}`, `https://{org}.visualstudio.com/[DefaultCollection/]{project}/_git/{repo}`
 * and `https://{server}/[tfs/]{collection}/{project}/_git/{repo}`. A repository that is named like its project may
 * leave the project out. Undefined for any other form.
 */
export function azurePlace(place: HostPlace): AzurePlace | undefined {
  const { path, host } = place;
  const at = path.findLastIndex((part) => part === '_git' || part === '_ssh');
  // `_optimized` and `_full` ask a virtual file system for its kind of clone.
  const behind = path.slice(at + 1).filter((part) => part !== '_optimized' && part !== '_full');
  const [repository] = behind;
  if (at < 0 || repository === undefined || behind.length > 1) return undefined;
  const before = path.slice(0, at);
  const depth = collectionDepth(host, before);
  if (before.length < depth) return undefined;
  const project = before.length > depth ? before.pop() : repository;
  if (project === undefined) return undefined;
  const inside = siteInFolder(place, before);
  return { ...inside, project, repository, identityUrl: identityUrl(host, inside.apiUrl) };
}

/** How many parts before the project belong to the collection. */
function collectionDepth(host: string, before: readonly string[]): number {
  const first = before[0]?.toLowerCase();
  if (host.endsWith(oldSite)) return first === 'defaultcollection' ? 1 : 0;
  return host !== site && first === 'tfs' ? 2 : 1;
}

function identityUrl(host: string, apiUrl: string): string {
  const url = new URL(apiUrl);
  // An interface of another address is a proxy or a test, and gets everything.
  if (url.host !== host) return apiUrl;
  if (host === site) url.host = `vssps.${site}`;
  if (host.endsWith(oldSite)) url.host = host.replace(oldSite, `.vssps${oldSite}`);
  return url.href.replace(/\/$/, '');
}

/** Below the REST interface of the collection. */
export function repositoryPath({ project, repository }: AzurePlace): string {
  return `/${encodeURIComponent(project)}/_apis/git/repositories/${encodeURIComponent(repository)}`;
}

export function repositoryPage({ webUrl, project, repository }: AzurePlace): string {
  return `${webUrl}/${encodeURIComponent(project)}/_git/${encodeURIComponent(repository)}`;
}
