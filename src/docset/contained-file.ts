import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findContained } from './contained-path.ts';
import type { Contained } from './contained-path.ts';

/** `reason` is a sentence for whoever gave the path. */
type Refused = { readonly kind: 'refused'; readonly reason: string };

/** Says of a path, spelled as on disk, why it may not be used, as a sentence; undefined when it may. */
export type Rule = (path: string) => string | undefined;

export type ContainedRead =
  | { readonly kind: 'read'; readonly path: string; readonly bytes: Buffer }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'missing'; readonly path: string }
  | Refused;

/**
 * Reads a file of a workspace by a path that nobody vouches for; see {@link findContained} for what such a path
 * can reach. A pipe or device is never waited for.
 *
 * @param maximumBytes larger files are refused
 */
export async function readContained(
  directory: string,
  given: string,
  maximumBytes: number,
  whyNot: Rule,
): Promise<ContainedRead> {
  const place = await findContained(directory, given);
  if (place.kind === 'refused') return place;
  const why = whyNot(place.path);
  if (why !== undefined) return refused(why);
  if (place.kind !== 'file') return { kind: place.kind, path: place.path };
  const file = await openPlain(place.absolute, constants.O_RDONLY).catch(gone);
  if (!file) return refused(`${place.path} changed in this moment; try again.`);
  try {
    const facts = await file.stat();
    if (facts.size > maximumBytes) {
      return refused(`${place.path} is larger than ${Math.floor(maximumBytes / 1000)} KB.`);
    }
    const bytes = await file.readFile();
    // A folder on the way may have become a link while it was opened: what is open must be what lies there.
    if (!(await liesAt(file, place.absolute)))
      return refused(`${place.path} changed in this moment; try again.`);
    return { kind: 'read', path: place.path, bytes };
  } finally {
    await file.close();
  }
}

export type ContainedWrite = { readonly kind: 'done'; readonly path: string } | Refused;

/**
 * Writes a whole file, new or not, by a path that nobody vouches for. The text goes to a new file beside it
 * that then takes its name: a reader sees the old text or the new one, and a hard link or a symbolic link that
 * appears at the last moment is replaced and not written through. An existing file keeps its mode.
 */
export async function writeContained(
  directory: string,
  given: string,
  content: string | Uint8Array,
  whyNot: Rule,
): Promise<ContainedWrite> {
  const place = await findContained(directory, given);
  if (place.kind === 'refused') return place;
  if (place.kind === 'folder') return refused(`${place.path || 'The workspace'} is a folder.`);
  const why = whyNot(place.path);
  if (why !== undefined) return refused(why);
  const mode = place.kind === 'file' ? place.facts.mode & 0o777 : 0o644;
  const folder = dirname(place.absolute);
  if (place.kind === 'missing' && !(await makeFolders(directory, folder))) return moved(place.path);

  return (await replaceFile(place.absolute, content, mode, place.kind === 'file'))
    ? { kind: 'done', path: place.path }
    : moved(place.path);
}

/** What a process that was killed in the middle of {@link replaceFile} may leave, as a pattern of git. */
export const leftTemporaries = '**/.docs-agent-*.tmp';

/**
 * Gives a path a new file: the content goes to a file beside it that then takes its name, so that no link, hard
 * or symbolic, is written through, and a reader sees the old text or the new one. False when the folder is no
 * plain one any more, and nothing was written.
 *
 * @param path absolute, without links in it
 * @param exactly whether the mode counts as it is, also where new files get another one
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  mode: number,
  exactly: boolean,
): Promise<boolean> {
  const temporary = join(dirname(path), `.docs-agent-${randomBytes(9).toString('hex')}.tmp`);
  const file = await openPlain(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    mode,
  ).catch(gone);
  if (!file) return false;
  let isOurs = false;
  try {
    try {
      isOurs = await liesAt(file, temporary);
      // Not a byte before it is sure where the file lies.
      if (!isOurs) return false;
      await file.writeFile(content);
      if (exactly) await file.chmod(mode);
    } finally {
      await file.close();
    }
    // Should the folder have been exchanged since, the temporary file is not in it, and this fails.
    await renameOver(temporary, path);
    isOurs = false;
    return true;
  } finally {
    if (isOurs) await rm(temporary, { force: true });
  }
}

/** Removes one file, never a folder, by a path that nobody vouches for. A symbolic link is refused, not followed. */
export async function removeContained(
  directory: string,
  given: string,
  whyNot: Rule,
): Promise<ContainedWrite> {
  const place = await findContained(directory, given);
  if (place.kind === 'refused') return place;
  if (place.kind !== 'file') {
    return refused(
      place.kind === 'folder'
        ? `${place.path || 'The workspace'} is a folder.`
        : `There is no ${place.path}.`,
    );
  }
  const why = whyNot(place.path);
  if (why !== undefined) return refused(why);
  const parent = dirname(place.absolute);
  if ((await realpath(parent)) !== parent) return moved(place.path);
  await rm(place.absolute);
  return { kind: 'done', path: place.path };
}

/** Makes the folders down to `folder`, one by one, none of them below a link. */
async function makeFolders(directory: string, folder: string): Promise<boolean> {
  const root = await realpath(directory);
  let path = root;
  for (const part of relative(root, folder).split(sep)) {
    if (part === '') continue;
    path = join(path, part);
    await mkdir(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory()) return false;
  }
  return (await realpath(folder)) === folder;
}

/** True when an open file is the one of this path, and no link stands on the way to it. */
async function liesAt(file: FileHandle, path: string): Promise<boolean> {
  const [own, there, parent] = await Promise.all([
    file.stat({ bigint: true }),
    lstat(path, { bigint: true }).catch(() => undefined),
    realpath(dirname(path)).catch(() => undefined),
  ]);
  return own.isFile() && there?.ino === own.ino && there.dev === own.dev && parent === dirname(path);
}

/** Without O_NONBLOCK, opening a pipe waits for somebody at its other end. Windows has neither flag. */
function openPlain(path: string, flags: number, mode?: number): Promise<FileHandle> {
  const { O_NOFOLLOW, O_NONBLOCK } = constants as Partial<Record<'O_NOFOLLOW' | 'O_NONBLOCK', number>>;
  return open(path, flags | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), mode);
}

/** On Windows a virus scanner may have the file open for a moment. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const mayPass = process.platform === 'win32' && /^(?:EPERM|EACCES|EBUSY)$/.test(code ?? '');
      if (!mayPass || attempt === 5) throw error;
      await delay(attempt * 20);
    }
  }
}

/** What was there a moment ago is gone, became a link, or something else is there now. */
function gone(error: unknown): undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/^(?:ENOENT|ENOTDIR|ELOOP|EMLINK|EEXIST|ENXIO)$/.test(code)) return undefined;
  throw error;
}

function moved(path: string): Refused {
  return refused(`The folder of ${path} changed in this moment; try again.`);
}

function refused(reason: string): Extract<Contained, { kind: 'refused' }> {
  return { kind: 'refused', reason };
}
