import { readFile, readdir, stat } from 'node:fs/promises';
import { posix } from 'node:path';

export type Generator =
  | 'mintlify'
  | 'docusaurus'
  | 'mkdocs'
  | 'vitepress'
  | 'sphinx'
  | 'hugo'
  | 'nextra'
  | 'antora'
  | 'plain';

/** What builds the site, and where its parts lie. All paths are relative to the workspace, with `/`. */
export interface Layout {
  readonly generator: Generator;
  /** The generator's main configuration file; undefined for a plain folder. */
  readonly configPath: string | undefined;
  /** The configuration's text; empty without one. */
  readonly config: string;
  /** Folder that the site's addresses count from. */
  readonly contentRoot: string;
  /** Folders whose files are served from the site's root, such as `public` or `static`. */
  readonly staticRoots: readonly string[];
  /** Prefixes of page paths that the site's addresses lack or have replaced. */
  readonly rewrites: readonly { readonly from: string; readonly to: string }[];
}

const signs: readonly { readonly generator: Generator; readonly file: RegExp }[] = [
  { generator: 'mintlify', file: /^(?:docs|mint)\.json$/ },
  { generator: 'docusaurus', file: /^docusaurus\.config\.(?:[cm]?[jt]s)$/ },
  { generator: 'mkdocs', file: /^mkdocs\.ya?ml$/ },
  { generator: 'vitepress', file: /^\.vitepress$/ },
  { generator: 'hugo', file: /^hugo\.(?:toml|ya?ml|json)$/ },
  { generator: 'antora', file: /^antora\.yml$/ },
  { generator: 'sphinx', file: /^conf\.py$/ },
  { generator: 'hugo', file: /^config\.toml$/ },
  { generator: 'nextra', file: /^_meta\.(?:json|[cm]?[jt]sx?)$/ },
];

/**
 * Finds what builds the site: looks in the docs root, above it up to the workspace's top, then in the folders
 * next below. Never looks outside the workspace, nor at a file above 1 MB.
 */
export async function detectLayout(
  root: string,
  docsRoot: string,
  folders: readonly string[],
): Promise<Layout> {
  const upwards = [docsRoot];
  while (upwards.at(-1) !== '') upwards.push(parentOf(upwards.at(-1) ?? ''));
  const prefix = docsRoot === '' ? '' : `${docsRoot}/`;
  const downwards = folders.filter(
    (folder) =>
      folder.startsWith(prefix) && folder.slice(prefix.length).split('/').length <= 2 && folder !== docsRoot,
  );
  for (const folder of [...upwards, ...downwards.toSorted((a, b) => depth(a) - depth(b)).slice(0, 200)]) {
    const layout = await layoutIn(root, folder);
    if (layout) return layout;
  }
  return {
    generator: 'plain',
    configPath: undefined,
    config: '',
    contentRoot: docsRoot,
    staticRoots: [''],
    rewrites: [],
  };
}

async function layoutIn(root: string, folder: string): Promise<Layout | undefined> {
  const names = await readdir(posix.join(root, folder)).catch(() => []);
  for (const { generator, file } of signs) {
    const name = names.find((each) => file.test(each));
    if (name === undefined) continue;
    const configPath =
      generator === 'vitepress'
        ? await vitepressConfig(root, posix.join(folder, name))
        : posix.join(folder, name);
    const config = configPath === undefined ? '' : await smallText(posix.join(root, configPath));
    // `config.toml` and `docs.json` are common names: they count only with the generator's own words.
    if (name === 'config.toml' && !/^\s*baseURL\s*=/im.test(config)) continue;
    if (name === 'docs.json' && !/"(?:navigation|theme|colors)"/.test(config)) continue;
    return { generator, configPath, config, ...rootsOf(generator, folder, config) };
  }
  return undefined;
}

function rootsOf(
  generator: Generator,
  folder: string,
  config: string,
): Pick<Layout, 'contentRoot' | 'staticRoots' | 'rewrites'> {
  const inside = (name: string): string => insideFolder(folder, name);
  switch (generator) {
    case 'mkdocs': {
      const docs = inside(/^docs_dir:[ \t]{0,20}['"]?([^'"#\s]{1,300})/m.exec(config)?.[1] ?? 'docs');
      return { contentRoot: docs, staticRoots: [], rewrites: [] };
    }
    case 'docusaurus': {
      const path = /\bdocs\s*:\s*\{[^}]{0,500}?\bpath\s*:\s*['"]([\w./-]+)['"]/.exec(config)?.[1];
      return { contentRoot: inside(path ?? 'docs'), staticRoots: [inside('static')], rewrites: [] };
    }
    case 'vitepress': {
      const content = inside(/\bsrcDir\s*:\s*['"]([^'"\n]+)['"]/.exec(config)?.[1] ?? '.');
      const rewrites = [...config.matchAll(/['"]([\w./-]*):(\w+)\*['"]\s*:\s*['"]([\w./-]*):\2\*['"]/g)];
      return {
        contentRoot: content,
        staticRoots: [insideFolder(content, 'public')],
        rewrites: rewrites.map((match) => ({ from: match[1] ?? '', to: match[3] ?? '' })),
      };
    }
    case 'hugo':
      return {
        contentRoot: inside('content'),
        staticRoots: [inside('static'), inside('assets')],
        rewrites: [],
      };
    case 'nextra':
      return { contentRoot: folder, staticRoots: [insideFolder(parentOf(folder), 'public')], rewrites: [] };
    default:
      return { contentRoot: folder, staticRoots: [inside('public'), inside('static')], rewrites: [] };
  }
}

/** A configured folder, kept inside the workspace: the configuration is not ours. */
function insideFolder(folder: string, name: string): string {
  const joined = posix.normalize(posix.join('/', folder, name)).slice(1);
  return joined.replace(/\/+$/, '');
}

async function vitepressConfig(root: string, folder: string): Promise<string | undefined> {
  const names = await readdir(posix.join(root, folder)).catch(() => []);
  const name = names.find((each) => /^config\.[cm]?[jt]s$/.test(each));
  if (name !== undefined) return posix.join(folder, name);
  const inner = await readdir(posix.join(root, folder, 'config')).catch(() => []);
  const index = inner.find((each) => /^index\.[cm]?[jt]s$/.test(each));
  return index === undefined ? undefined : posix.join(folder, 'config', index);
}

async function smallText(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile() || facts.size > 1_000_000) return '';
  return readFile(path, 'utf8');
}

export function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === '.' ? '' : parent;
}

function depth(path: string): number {
  return path.split('/').length;
}
