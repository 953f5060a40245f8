import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { applyEdits } from './edits.ts';
import type { Edit } from './edits.ts';
import type { Docset } from './docset.ts';
import { isInside, isPage, isProtected } from './docset.ts';
import { readYamlText } from './front-matter.ts';
import { parentOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { stringLiterals } from './literals.ts';
import { urlOfPage } from './page-urls.ts';
import type { Span } from './tree.ts';

/** A page that is called otherwise from now on. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** A file that holds the site's navigation or configuration. */
export interface NavigationFile {
  readonly path: string;
  readonly text: string;
}

const maximumBytes = 1_000_000;

/** The files that name pages for the generator: its configuration, sidebars, and what these point at. */
export async function navigationFiles(docset: Docset): Promise<NavigationFile[]> {
  const { layout, root } = docset;
  if (layout.configPath === undefined) return [];
  const base = parentOf(layout.configPath);
  const paths = new Set<string>([layout.configPath]);
  const names = [...docset.files];
  if (layout.generator === 'docusaurus') {
    for (const path of names) {
      if (parentOf(path) === base && /(?:^|\/)sidebars?[\w.-]*\.(?:[cm]?[jt]s|json)$/i.test(path))
        paths.add(path);
    }
  } else if (layout.generator === 'vitepress') {
    for (const path of await configsBelow(root, base)) paths.add(path);
    for (const path of names) if (/(?:^|\/)config\.[cm]?[jt]s$/.test(path)) paths.add(path);
  } else if (layout.generator === 'nextra') {
    for (const path of names) if (/(?:^|\/)_meta\.(?:json|[cm]?[jt]sx?)$/.test(path)) paths.add(path);
  }
  const files: NavigationFile[] = [];
  for (const path of paths) {
    // A set grows while it is walked: what a file points at comes last.
    if (isProtected(path) || files.length >= 200) continue;
    const facts = await lstat(join(root, path)).catch(() => undefined);
    if (!facts?.isFile() || facts.size > maximumBytes || !(await liesInside(root, path))) continue;
    const text = await readFile(join(root, path), 'utf8');
    files.push({ path, text });
    if (layout.generator !== 'mintlify') continue;
    for (const { key, value } of stringLiterals(text)) {
      if (key === '$ref' && !value.includes('..')) paths.add(posix.join(parentOf(path), value));
    }
  }
  return files;
}

/** False where a folder on the way is a link that leads out: what it says is nobody's navigation. */
async function liesInside(root: string, path: string): Promise<boolean> {
  const way = relative(root, await realpath(join(root, path)));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/** Configuration of VitePress lies in its hidden folder, often cut into several files. */
async function configsBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const inner = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = posix.join(folder, entry.name);
      if (entry.isFile()) return /\.[cm]?[jt]s$/.test(entry.name) ? [path] : [];
      const ours = entry.isDirectory() && !/^(?:theme|cache|dist|node_modules)$/.test(entry.name);
      return ours && path.split('/').length < 8 ? configsBelow(root, path) : [];
    }),
  );
  return inner.flat();
}

/** Names whose value is an address, a path or a word of the generator. */
const machineKeys =
  /^(?:link|href|url|root|src|base|source|destination|from|to|path|file|icon|pattern|type|\$ref|\$schema|id|slug)$/i;

/** The words of a navigation file that readers see: titles and labels, not the names of pages. */
export function navigationLabels(docset: Docset, { path, text }: NavigationFile): string[] {
  const { contentRoot } = docset.layout;
  const namesPage = (value: string): boolean =>
    /^[^\s]*[/][^\s]*$|^[^\s]+\.\w{1,5}$/.test(value) ||
    ['.md', '.mdx'].some((extension) => docset.files.has(posix.join(contentRoot, value + extension)));
  const labels = stringsOf(path, text).flatMap(({ value, key, isKey }) =>
    isKey === true || machineKeys.test(key ?? '') || namesPage(value) ? [] : [value],
  );
  if (!/\.ya?ml$/i.test(path)) return labels;
  // In the `nav` of MkDocs a page's label is its key.
  const nav = /^nav:[^\n]*\n((?:[ \t#-][^\n]*\n|\s*\n)*)/m.exec(`${text}\n`)?.[1] ?? '';
  return [
    ...labels,
    ...[...nav.matchAll(/^\s*-\s+["']?([^"':#\n]{1,200})["']?:/gm)].map((match) => match[1] ?? ''),
  ];
}

export interface NavigationChange {
  readonly path: string;
  readonly text: string;
  readonly entries: number;
}

export interface NavigationResult {
  readonly changes: readonly NavigationChange[];
  /** What a person should look at, as sentences. */
  readonly notes: readonly string[];
}

/** Gives a renamed page its new name in navigation files; only whole strings that mean the page are touched. */
export function renameInNavigation(
  docset: Docset,
  files: readonly NavigationFile[],
  renaming: Renaming,
): NavigationResult {
  const changes: NavigationChange[] = [];
  const notes: string[] = [];
  // A configuration that lies among the pages of one language is about these pages, and no other one is.
  const { contentRoot } = docset.layout;
  const owned = files
    .map(({ path }) => parentOf(path))
    .filter(
      (folder) => folder !== contentRoot && isInside(folder, contentRoot) && !folder.includes('.vitepress'),
    );
  for (const { path, text } of files) {
    const edits = stringsOf(path, text).flatMap((each): Edit[] => {
      const fresh = renamed(docset, { path, owned }, each, renaming, notes);
      return fresh === undefined || fresh === each.value ? [] : [{ ...each.span, text: fresh }];
    });
    if (edits.length > 0) changes.push({ path, text: applyEdits(text, edits), entries: edits.length });
  }
  return { changes, notes };
}

interface NavigationPlace {
  readonly path: string;
  /** Folders of pages that have a configuration of their own. */
  readonly owned: readonly string[];
}

interface NavigationString {
  readonly value: string;
  readonly key: string | undefined;
  readonly isKey?: boolean;
  readonly span: Span;
}

function stringsOf(path: string, text: string): readonly NavigationString[] {
  if (!/\.ya?ml$/i.test(path)) return stringLiterals(text);
  const yaml = readYamlText(text, 0);
  return yaml.kind === 'invalid' ? [] : yaml.strings;
}

/** Names whose value is a text for people or an address that must go on working. */
const otherKeys =
  /^(?:label|title|text|description|name|type|source|from|icon|tag|message|group|tab|anchor)$/;

function renamed(
  docset: Docset,
  file: NavigationPlace,
  { value, key, isKey }: NavigationString,
  renaming: Renaming,
  notes: string[],
): string | undefined {
  const { layout } = docset;
  const metaName = layout.generator === 'nextra' && /(?:^|\/)_meta\./.test(file.path);
  if (metaName)
    return isKey === true || key === undefined ? renamedMeta(file.path, value, renaming, notes) : undefined;
  if (isKey === true || (key !== undefined && otherKeys.test(key))) return undefined;
  const [path, hash] = splitHash(value);
  for (const [old, fresh] of namesOf(renaming, layout)) {
    if (path === old) return fresh + hash;
  }
  return layout.generator === 'vitepress' && key === 'link'
    ? renamedBelowBase(docset, file, value, renaming, notes)
    : undefined;
}

/** All the ways in which a configuration may name a page, old and new. */
function namesOf({ from, to }: Renaming, layout: Layout): [string, string][] {
  const inContent = (path: string): string => posix.relative(layout.contentRoot || '.', path);
  const bare = (path: string): string => path.replace(/\.(?:md|mdx|markdown)$/i, '');
  const oldUrl = urlOfPage(from, layout);
  const newUrl = urlOfPage(to, layout);
  const names: [string, string][] = [
    [inContent(from), inContent(to)],
    [bare(inContent(from)), bare(inContent(to))],
    [`/${inContent(from)}`, `/${inContent(to)}`],
    [`/${bare(inContent(from))}`, `/${bare(inContent(to))}`],
    [oldUrl, newUrl],
    [`${oldUrl}/`, `${newUrl}/`],
    [`${oldUrl}.html`, `${newUrl}.html`],
  ];
  if (layout.generator === 'docusaurus') {
    names.push(
      [`/docs${oldUrl}`, `/docs${newUrl}`],
      [`docs${oldUrl}`, `docs${newUrl}`],
      [oldUrl.slice(1), newUrl.slice(1)],
    );
  }
  for (const root of isPage(from) ? [] : layout.staticRoots) {
    if (!isInside(from, root) || !isInside(to, root)) continue;
    const [old, fresh] = [from, to].map((path) => posix.relative(root || '.', path));
    names.push([old ?? '', fresh ?? ''], [`/${old ?? ''}`, `/${fresh ?? ''}`]);
  }
  // The start page's own name, a lone slash or nothing, is everybody's.
  return names.filter(([old]) => old !== '' && old !== '/' && old !== '//');
}

function splitHash(value: string): [string, string] {
  const at = value.search(/[#?]/);
  return at === -1 ? [value, ''] : [value.slice(0, at), value.slice(at)];
}

/** VitePress joins a sidebar's `base` and its items' `link`, which may be any last part of the address. */
function renamedBelowBase(
  docset: Docset,
  file: NavigationPlace,
  value: string,
  { from, to }: Renaming,
  notes: string[],
): string | undefined {
  const [path, hash] = splitHash(value);
  const part = path.replace(/^\/+|\/+$/g, '').replace(/\.(?:md|html)$/, '');
  const oldUrl = urlOfPage(from, docset.layout);
  const newUrl = urlOfPage(to, docset.layout);
  if (part === '' || !oldUrl.endsWith(`/${part}`)) return undefined;
  const folder = parentOf(file.path);
  const isOurs = (page: string): boolean =>
    file.owned.includes(folder) ? isInside(page, folder) : !file.owned.some((other) => isInside(page, other));
  if (!isOurs(from)) return undefined;
  const others = docset.pages.filter(
    (page) => page !== from && isOurs(page) && urlOfPage(page, docset.layout).endsWith(`/${part}`),
  );
  const base = oldUrl.slice(0, -part.length);
  if (!newUrl.startsWith(base) || others.length > 0) {
    notes.push(
      `\`${file.path}\` has a link \`${value.replaceAll('`', '')}\` that may mean this page, below a \`base\` that the new address does not have: change it by hand.`,
    );
    return undefined;
  }
  return path.replace(part, newUrl.slice(base.length)) + hash;
}

function renamedMeta(
  file: string,
  value: string,
  { from, to }: Renaming,
  notes: string[],
): string | undefined {
  const name = (path: string): string => posix.basename(path).replace(/\.\w+$/, '');
  if (parentOf(from) !== parentOf(file) || value !== name(from)) return undefined;
  if (parentOf(to) === parentOf(from)) return name(to);
  notes.push(
    `\`${file}\` still names the page; the page is in another folder now, so move its entry by hand.`,
  );
  return undefined;
}
