import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isGitName } from '../../../../docset/portable-name.ts';
import { isSecretFile } from './secret-files.ts';

/** Installed and generated: nobody writes docs in them, and they hold more files than all the rest. */
const passedOver = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  '.venv',
  'venv',
  '.next',
  '.docusaurus',
]);

/** More files than any docs repository has. */
const mostFiles = 300_000;

export interface Walked {
  /** Relative to the workspace, with `/`; sorted in each folder, folders after their files. */
  readonly files: readonly string[];
  readonly complete: boolean;
}

/**
 * All files below a folder, hidden ones too. No link is followed or listed; `.git`, what holds keys, and what is
 * installed are left out.
 *
 * @param root real path of the workspace
 * @param folder found by `findContained`
 * @throws the signal's reason when aborted
 */
export async function walkFiles(root: string, folder: string, signal: AbortSignal): Promise<Walked> {
  const files: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(join(root, next), { withFileTypes: true }).catch(() => []);
    const folders: string[] = [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = next === '' ? entry.name : `${next}/${entry.name}`;
      if (isGitName(entry.name)) continue;
      if (entry.isFile() && !isSecretFile(path)) files.push(path);
      else if (entry.isDirectory() && !passedOver.has(entry.name)) folders.push(path);
    }
    if (files.length > mostFiles) return { files: files.slice(0, mostFiles), complete: false };
    waiting.push(...folders.toReversed());
  }
  return { files, complete: true };
}
