import { lstat, mkdir, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isProtected, readDocsetPage } from './docset.ts';
import type { Docset } from './docset.ts';
import { linkReason } from './text-file.ts';

/**
 * Moves a page inside the workspace and makes the folders for it. Never goes through a symbolic link and
 * never overwrites.
 *
 * @returns undefined when done, else why not, as a sentence
 */
export async function movePage(docset: Docset, from: string, to: string): Promise<string | undefined> {
  if (isProtected(from) || isProtected(to)) return 'That place is protected.';
  const page = await readDocsetPage(docset, from);
  if (page.kind === 'refused' && page.reason === linkReason) return 'It is a symbolic link.';
  const parts = to.split('/');
  let path = docset.root;
  for (const part of parts.slice(0, -1)) {
    path = join(path, part);
    const facts = await lstat(path).catch(() => undefined);
    if (facts && !facts.isDirectory()) return 'A part of the new path is no folder.';
    if (!facts) await mkdir(path);
  }
  const source = join(docset.root, from);
  const target = join(docset.root, to);
  const existing = await lstat(target).catch(() => undefined);
  if (existing) {
    // Where capitals do not count in file names, a page may change only its capitals.
    const own = await lstat(source);
    const isSame =
      existing.ino === own.ino && existing.dev === own.dev && from.toLowerCase() === to.toLowerCase();
    if (!isSame) return 'There is a page of that name already.';
  }
  const folder = await realpath(dirname(target));
  if (folder !== dirname(target) && process.platform !== 'win32')
    return 'The new folder leads out of the workspace.';
  await rename(source, target);
  return undefined;
}
