import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, utimes } from 'node:fs/promises';
import path from 'node:path';
import { setInterval } from 'node:timers';
import { usedFileName } from './mirror.ts';
import { isAlive, modified, ownerFileName, writeOwner } from './owner.ts';
import { removeTree } from './remove.ts';

/** How often a process says that it lives, and after how long a silent one counts as gone. */
const heartbeatMs = 60_000;
const goneAfterMs = 10 * heartbeatMs;

/** A mirror that was used this recently may be in the middle of a push that no workspace tells of. */
const inUseMs = 3_600_000;

export interface CacheFolders {
  readonly cache: string;
  readonly data: string;
}

export function mirrorsFolder(folders: CacheFolders): string {
  return path.join(folders.cache, 'mirrors');
}

/** Work on repositories without a remote lives nowhere else, so it is no cache. */
export function repositoriesFolder(folders: CacheFolders): string {
  return path.join(folders.data, 'repositories');
}

/** This process's part of the cache. Its workspaces go with it, by itself or by the next process's clean-up. */
export class ProcessFolder implements AsyncDisposable {
  readonly folder: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(folder: string) {
    this.folder = folder;
    this.#timer = setInterval(() => {
      const now = new Date();
      // A disk that is full or gone shows up where work is done.
      utimes(path.join(folder, ownerFileName), now, now).catch(() => {});
    }, heartbeatMs);
    this.#timer.unref();
  }

  static async create(folders: CacheFolders): Promise<ProcessFolder> {
    // Short, because Windows counts the characters of a whole path.
    const folder = path.join(folders.cache, 'work', randomBytes(4).toString('hex'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeOwner(folder);
    return new ProcessFolder(folder);
  }

  async newWorkspace(): Promise<string> {
    const folder = path.join(this.folder, randomBytes(4).toString('hex'));
    await mkdir(path.join(folder, 'tree'), { recursive: true, mode: 0o700 });
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await remove(this.folder);
  }
}

/**
 * Removes what dead processes left, and the least recently used mirrors beyond `limitBytes`. Never
 * touches a mirror that is in use, nor the repositories that hold work of their own.
 *
 * @param own this process's folder, which lives also when it has been silent: a machine that wakes up from a long
 *   sleep may come here before the next heartbeat
 */
export async function cleanCache(
  folders: CacheFolders,
  limitBytes: number,
  own?: string,
  now: number = Date.now(),
): Promise<{ workspaces: number; mirrors: number }> {
  const work = path.join(folders.cache, 'work');
  const inUse = new Set<string>();
  let workspaces = 0;
  for (const name of await list(work)) {
    const folder = path.join(work, name);
    if (folder === own || (await isAlive(folder, now, goneAfterMs)))
      for (const mirror of await usedMirrors(folder)) inUse.add(mirror);
    else {
      await remove(folder);
      workspaces++;
    }
  }
  await dropDrafts(repositoriesFolder(folders), now);
  const mirrors = await dropMirrors(mirrorsFolder(folders), limitBytes, inUse, now);
  return { workspaces, mirrors };
}

/** What was begun there by processes that are gone, and holds no work yet. */
async function dropDrafts(folder: string, now: number): Promise<void> {
  for (const name of await list(folder)) {
    const draft = path.join(folder, name);
    if (!name.endsWith('.git') && !(await isAlive(draft, now, inUseMs))) await remove(draft);
  }
}

async function dropMirrors(
  folder: string,
  limitBytes: number,
  inUse: ReadonlySet<string>,
  now: number,
): Promise<number> {
  const known: { path: string; used: number; bytes: number; free: boolean }[] = [];
  for (const name of await list(folder)) {
    const mirror = path.join(folder, name);
    const finished = name.endsWith('.git');
    const used = (await modified(path.join(mirror, usedFileName))) ?? (await modified(mirror)) ?? 0;
    const idle = now - used > inUseMs;
    if (!finished && (idle || !(await isAlive(mirror, now, inUseMs)))) await remove(mirror);
    if (finished)
      known.push({ path: mirror, used, bytes: await size(mirror), free: idle && !inUse.has(name) });
  }
  let total = known.reduce((sum, { bytes }) => sum + bytes, 0);
  let removed = 0;
  for (const mirror of known.sort((a, b) => a.used - b.used)) {
    if (total <= limitBytes) break;
    if (!mirror.free) continue;
    // Out of the way first: whoever comes now makes a new one instead of meeting half of this.
    const trash = `${mirror.path}.old-${randomBytes(4).toString('hex')}`;
    await rename(mirror.path, trash);
    await remove(trash);
    total -= mirror.bytes;
    removed++;
  }
  return removed;
}

async function usedMirrors(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const workspace of await list(folder)) {
    const note = await readFile(path.join(folder, workspace, 'mirror'), 'utf8').catch(() => undefined);
    if (note !== undefined) names.push(note);
  }
  return names;
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function size(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => (await lstat(path.join(folder, entry)).catch(() => undefined))?.size ?? 0),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** The owner goes last: whoever is killed meanwhile leaves something that still tells whose it was. */
async function remove(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one !== ownerFileName)) await removeTree(path.join(folder, name));
  await removeTree(folder);
}
