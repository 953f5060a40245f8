/** A repository at Gitea or Forgejo. */
export interface GiteaPlace {
  readonly owner: string;
  readonly name: string;
  /** Of the site. */
  readonly webUrl: string;
}

/** Below the REST interface. */
export function repositoryPath({ owner, name }: GiteaPlace): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
