import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Docset } from './docset.ts';

export interface TermListFile {
  readonly path: string;
  readonly text: string;
}

const maximumBytes = 1_000_000;

const listNames =
  /^(?:terms?|term-?list|terminology|substitutions?|word-?list|preferred-terms)\.(?:csv|tsv|ya?ml|json|md)$/i;

/** Where Vale's styles lie when its configuration does not say. */
const usualStyles = ['styles', '.vale/styles', '.vale', 'vale/styles', '.github/styles'];

/** Files with the usual names of term lists in the repository's top, the docs and their `styles` folders. */
export async function findTermLists(docset: Docset): Promise<TermListFile[]> {
  const bases = ['', docset.docsRoot, docset.layout.contentRoot];
  const inner = ['styles', 'terms', 'terminology'];
  const folders = new Set(bases.flatMap((base) => [base, ...inner.map((name) => posix.join(base, name))]));
  const named = [...docset.files].filter((path) => {
    const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
    return folders.has(folder) && listNames.test(posix.basename(path));
  });
  return readAll(docset, named.toSorted());
}

/** The YAML files of Vale's styles, whatever they hold. Hidden folders are only read. */
export async function findValeStyles(docset: Docset, signal: AbortSignal): Promise<TermListFile[]> {
  const styles = new Set(usualStyles);
  for (const name of ['.vale.ini', '_vale.ini', 'vale.ini']) {
    const configuration = await readSmall(docset, name);
    const path =
      configuration === undefined
        ? undefined
        : /^\s*StylesPath\s*=\s*["']?([^"'\r\n]{1,300}?)["']?\s*$/m.exec(configuration)?.[1];
    if (path !== undefined && !path.split('/').includes('..') && !posix.isAbsolute(path))
      styles.add(posix.normalize(path));
  }
  const found = new Set<string>();
  for (const folder of styles) await yamlBelow(docset, folder, 0, found, signal);
  return readAll(docset, [...found].toSorted());
}

/** One list that the writer named; undefined when it is no readable file of the workspace. */
export async function readNamedTermList(docset: Docset, words: string): Promise<TermListFile | undefined> {
  const name = posix.normalize(words.replaceAll('\\', '/').replace(/^\.?\/+/, ''));
  if (name.split('/').includes('..')) return undefined;
  for (const folder of ['', docset.docsRoot, docset.layout.contentRoot]) {
    const path = posix.join(folder, name);
    const text = await readSmall(docset, path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

async function readAll(docset: Docset, paths: readonly string[]): Promise<TermListFile[]> {
  const files: TermListFile[] = [];
  for (const path of paths.slice(0, 200)) {
    const text = await readSmall(docset, path);
    if (text !== undefined) files.push({ path, text });
  }
  return files;
}

async function yamlBelow(
  docset: Docset,
  folder: string,
  depth: number,
  found: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (depth > 4 || found.size > 500 || !(await isPlain(docset, folder))) return;
  const entries = await readdir(join(docset.root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) await yamlBelow(docset, path, depth + 1, found, signal);
    else if (entry.isFile() && /\.ya?ml$/i.test(entry.name)) found.add(path);
  }
}

async function readSmall(docset: Docset, path: string): Promise<string | undefined> {
  if (path === '' || !(await isPlain(docset, path))) return undefined;
  const facts = await lstat(join(docset.root, path)).catch(() => undefined);
  if (!facts?.isFile() || facts.size > maximumBytes) return undefined;
  return readFile(join(docset.root, path), 'utf8');
}

/** No part of the path is a symbolic link: it may lead out of the workspace. */
async function isPlain(docset: Docset, path: string): Promise<boolean> {
  let at = docset.root;
  for (const part of path.split('/')) {
    at = join(at, part);
    const facts = await lstat(at).catch(() => undefined);
    if (!facts || facts.isSymbolicLink()) return false;
  }
  return true;
}
