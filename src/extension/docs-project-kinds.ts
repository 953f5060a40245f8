/** What makes a site out of the pages. `markdown` is a folder of pages without a known generator. */
export const docsProjectKinds = [
  'mintlify',
  'docusaurus',
  'mkdocs',
  'vitepress',
  'sphinx',
  'hugo',
  'nextra',
  'antora',
  'markdown',
] as const;
export type DocsProjectKind = (typeof docsProjectKinds)[number];

/** Names directly inside one folder. */
export interface FolderListing {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Lists a folder by its path below the workspace folder, with `/`; an empty listing when it is not there. */
export type ListFolder = (folder: string) => Promise<FolderListing>;

export interface DocsProject {
  readonly kind: DocsProjectKind;
  /** The project's folder below the workspace folder, with `/`; empty for the workspace folder itself. */
  readonly root: string;
}

/** Where a repository that holds more than its docs usually keeps them. */
const usualFolders = ['docs', 'website', 'documentation', 'doc', 'site', 'docs-site'];

/**
 * Finds the docs project of a workspace folder: a generator's files in the folder itself, or one level down
 * where docs usually are; else pages in the same places.
 */
export async function findDocsProject(list: ListFolder): Promise<DocsProject | undefined> {
  const top = await list('');
  const places = [
    { root: '', listing: top },
    ...(await Promise.all(
      usualFolders
        .filter((name) => top.folders.includes(name))
        .map(async (root) => ({ root, listing: await list(root) })),
    )),
  ];
  for (const { root, listing } of places) {
    const kind = await generatorOf(root, listing, list);
    if (kind !== undefined) return { kind, root: rootOf(kind, root) };
  }
  const pages = places.filter(({ listing }) => listing.files.some(isPage));
  // A README alone does not make the top folder the docs when there is a folder of them.
  const found = pages.find(({ listing }) => listing.files.some(isOwnPage)) ?? pages.at(-1);
  return found === undefined ? undefined : { kind: 'markdown', root: found.root };
}

async function generatorOf(
  root: string,
  { files, folders }: FolderListing,
  list: ListFolder,
): Promise<Exclude<DocsProjectKind, 'markdown'> | undefined> {
  const inside = (name: string): Promise<FolderListing> => list(root === '' ? name : `${root}/${name}`);
  const has = (pattern: RegExp): boolean => files.some((name) => pattern.test(name));
  if (has(/^(?:docs|mint)\.json$/)) return 'mintlify';
  if (has(/^docusaurus\.config\.[cm]?[jt]s$/)) return 'docusaurus';
  if (has(/^mkdocs\.ya?ml$/)) return 'mkdocs';
  if (folders.includes('.vitepress')) {
    const inner = await inside('.vitepress');
    if (inner.files.some((name) => /^config\.[cm]?[jt]s$/.test(name)) || inner.folders.includes('config')) {
      return 'vitepress';
    }
  }
  if (has(/^antora(?:-playbook)?\.ya?ml$/)) return 'antora';
  if (has(/^myst\.ya?ml$/)) return 'sphinx';
  // Many programs have a conf.py; Sphinx has its first page beside it, or all of it in `source`.
  if (isSphinx(files) || (folders.includes('source') && isSphinx((await inside('source')).files))) {
    return 'sphinx';
  }
  if (has(/^hugo\.(?:toml|ya?ml|json)$/)) return 'hugo';
  if (has(/^config\.(?:toml|ya?ml|json)$/) && folders.includes('content')) return 'hugo';
  if (has(/^next\.config\.[cm]?[jt]s$/) && (await isNextra(files, folders, inside))) return 'nextra';
  return undefined;
}

function isSphinx(files: readonly string[]): boolean {
  return files.includes('conf.py') && files.some((name) => /^index\.(?:rst|md|txt)$/.test(name));
}

async function isNextra(
  files: readonly string[],
  folders: readonly string[],
  inside: (name: string) => Promise<FolderListing>,
): Promise<boolean> {
  const tells = (name: string): boolean =>
    /^(?:_meta\.(?:[cm]?[jt]sx?|json)|theme\.config\.[jt]sx?|mdx-components\.[jt]sx?)$/.test(name);
  if (files.some(tells)) return true;
  const within = ['content', 'pages', 'app', 'src'].filter((name) => folders.includes(name));
  const listings = await Promise.all(within.map(inside));
  return listings.some((listing) => listing.files.some(tells));
}

/** A Docusaurus site in `website` has its pages in `docs` beside it. */
function rootOf(kind: DocsProjectKind, root: string): string {
  return kind === 'docusaurus' ? '' : root;
}

function isPage(name: string): boolean {
  return /\.(?:md|mdx|markdown)$/i.test(name);
}

function isOwnPage(name: string): boolean {
  return (
    isPage(name) &&
    !/^(?:readme|changelog|contributing|code_of_conduct|security|license|support|agents|claude)\b/i.test(name)
  );
}
