import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { detectLayout } from './layout.ts';
import type { Layout } from './layout.ts';
import { readPage, writePage } from './text-file.ts';
import type { PageRead } from './text-file.ts';

/** More files than any docs repository has; a walk that goes on beyond is somebody's trap. */
const maximumFiles = 300_000;

/** A docs project as files. Paths are relative to the workspace, with `/` on every system. */
export interface Docset {
  /** Real path of the workspace. */
  readonly root: string;
  /** Folder of the docs inside it; empty for the whole. */
  readonly docsRoot: string;
  readonly layout: Layout;
  /** Every file outside hidden and generated folders; no symbolic link is followed or listed. */
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  /** Pages in the docs root that may be edited, sorted. */
  readonly pages: readonly string[];
  /** Pages in the docs root that are never edited, such as instructions for coding agents. */
  readonly protectedPages: readonly string[];
  /** Whether a file may be written by the rules of whoever opened the docset. */
  readonly mayWrite: (path: string) => boolean;
}

/**
 * Lists a docs project.
 *
 * @param mayWrite a file that it refuses is never written, moved or made through the docset
 * @throws the signal's reason when aborted; an Error when the docs root is not inside the workspace
 */
export async function openDocset(
  directory: string,
  docsRoot: string,
  signal: AbortSignal,
  mayWrite: (path: string) => boolean = () => true,
): Promise<Docset> {
  const root = await realpath(directory);
  const docs = cleanFolder(docsRoot);
  const files = new Set<string>();
  const folders = new Set<string>();
  await walk(root, files, folders, signal);
  if (docs !== '' && !folders.has(docs) && !(await isPlainFolder(root, docs))) {
    throw new Error('The docs root is no folder of the workspace.');
  }
  const layout = await detectLayout(root, docs, [...folders]);
  const inDocs = [...files].filter((path) => isPage(path) && isInside(path, docs)).toSorted();
  // A skill of a coding agent is a folder: all its pages are instructions.
  const skills = [...files].filter((path) => path.endsWith('/SKILL.md')).map((path) => posix.dirname(path));
  const isInstruction = (path: string): boolean =>
    isProtected(path) || skills.some((folder) => isInside(path, folder)) || !mayWrite(path);
  const instructions = new Set(inDocs.filter(isInstruction));
  return {
    root,
    docsRoot: docs,
    layout,
    files,
    folders,
    pages: inDocs.filter((path) => !instructions.has(path)),
    protectedPages: [...instructions],
    mayWrite,
  };
}

export function readDocsetPage(docset: Docset, path: string): Promise<PageRead> {
  return readPage(join(docset.root, path));
}

/** Gives an existing page or navigation file a new text. Throws for a protected path: no edit may come that far. */
export async function writeDocsetPage(
  docset: Docset,
  path: string,
  text: string,
  byteOrderMark: boolean,
): Promise<void> {
  if (isProtected(path) || !docset.mayWrite(path)) throw new Error('The file is protected.');
  await writePage(join(docset.root, path), text, byteOrderMark);
}

export function isPage(path: string): boolean {
  return /\.(?:md|mdx|markdown)$/i.test(path);
}

export function isInside(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Instructions for coding agents: a change of words there changes what programs do. */
const agentsInstructions =
  /^(?:agents|claude|gemini|copilot-instructions|copilot|skill|cursorrules)(?:\.[\w-]+)?$/i;

/** Legal texts of the repository; a page about the licence inside the docs is a page. */
const legalTexts = /^(?:license|licence|copying|codeowners|notice)(?:\.[\w-]+)?$/i;

/** True for what no instruction may edit: hidden folders (`.git`, `.github`), CI configuration, agents' instructions. */
export function isProtected(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  // A VitePress configuration is the one file in a hidden folder that belongs to the docs.
  const hidden = parts.some((part) => part.startsWith('.') && part !== '.vitepress');
  const buildServer = /^(?:jenkinsfile|azure-pipelines\.ya?ml|appveyor\.yml|bitbucket-pipelines\.yml)$/i;
  const legal = parts.length === 1 && legalTexts.test(name);
  return hidden || legal || agentsInstructions.test(name) || buildServer.test(name);
}

function cleanFolder(folder: string): string {
  const clean = posix.normalize(`/${folder.replaceAll('\\', '/')}`).replace(/^\/+|\/+$/g, '');
  if (folder.split(/[\\/]/).includes('..')) throw new Error('The docs root leaves the workspace.');
  return clean;
}

async function isPlainFolder(root: string, folder: string): Promise<boolean> {
  let path = root;
  for (const part of folder.split('/')) {
    path = join(path, part);
    const facts = await lstat(path).catch(() => undefined);
    if (!facts?.isDirectory()) return false;
  }
  return true;
}

const generatedFolders = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  '_build',
  '_site',
  'venv',
]);
const possibleOutputs = new Set(['dist', 'build', 'out', 'site', 'coverage']);

async function walk(
  root: string,
  files: Set<string>,
  folders: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    // A built site lies beside what it was built from; a docs section called "build" has no index.html.
    const hasSource = entries.some((entry) => /^(?:package\.json|mkdocs\.ya?ml)$/.test(entry.name));
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) {
        if (!entry.name.startsWith('.')) files.add(path);
        if (files.size > maximumFiles) throw new Error('The workspace has more than 300,000 files.');
      } else if (entry.isDirectory() && !entry.name.startsWith('.') && !generatedFolders.has(entry.name)) {
        const output = hasSource && possibleOutputs.has(entry.name);
        if (output && (await lstat(join(root, path, 'index.html')).catch(() => undefined))) continue;
        folders.add(path);
        waiting.push(path);
      }
    }
  }
}
