import { lstat, mkdir, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isProtected, readDocsetPage } from './docset.ts';
import type { Docset } from './docset.ts';
import { linkReason } from './text-file.ts';

/** Why a file cannot be moved to a place, as a sentence; undefined when it can. Changes nothing. */
export async function whyNotMoved(docset: Docset, from: string, to: string): Promise<string | undefined> {
  if ([from, to].some((path) => isProtected(path) || !docset.mayWrite(path)))
    return 'That place is protected.';
  const source = join(docset.root, from);
  const own = await lstat(source).catch(() => undefined);
  if (own === undefined) return 'It is not there any more.';
  const page = own.isFile() ? await readDocsetPage(docset, from) : undefined;
  if (page === undefined || (page.kind === 'refused' && page.reason === linkReason))
    return 'It is a symbolic link.';
  let path = docset.root;
  for (const part of to.split('/').slice(0, -1)) {
    path = join(path, part);
    const facts = await lstat(path).catch(() => undefined);
    if (facts === undefined) break;
    if (!facts.isDirectory()) return 'A part of the new path is no folder.';
  }
  const existing = await lstat(join(docset.root, to)).catch(() => undefined);
  if (existing === undefined) return undefined;
  // Where capitals do not count in file names, a page may change only its capitals.
  const isSame =
    existing.ino === own.ino && existing.dev === own.dev && from.toLowerCase() === to.toLowerCase();
  return isSame ? undefined : 'There is a page of that name already.';
}

/**
 * Moves a file inside the workspace and makes the folders for it. Never goes through a symbolic link and
 * never overwrites what is there when it looks.
 *
 * @returns undefined when done, else why not, as a sentence
 */
export async function moveFile(docset: Docset, from: string, to: string): Promise<string | undefined> {
  const why = await whyNotMoved(docset, from, to);
  if (why !== undefined) return why;
  let path = docset.root;
  for (const part of to.split('/').slice(0, -1)) {
    path = join(path, part);
    const facts = await lstat(path).catch(() => undefined);
    if (!facts) await mkdir(path);
  }
  const target = join(docset.root, to);
  const folder = await realpath(dirname(target));
  if (folder !== dirname(target) && process.platform !== 'win32')
    return 'The new folder leads out of the workspace.';
  await rename(join(docset.root, from), target);
  return undefined;
}
