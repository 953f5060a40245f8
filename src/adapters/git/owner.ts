import { readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Beside what a process has begun: says who that is, so that another one can tell whether it still lives. */
export const ownerFileName = 'owner';

export async function writeOwner(folder: string): Promise<void> {
  const owner = JSON.stringify({ host: os.hostname(), pid: process.pid });
  await writeFile(path.join(folder, ownerFileName), owner);
}

/**
 * A process of this machine is asked; one of another machine that shares the folder counts by its time.
 *
 * @param silentMs after so long without a sign even a living process id is somebody else's
 */
export async function isAlive(folder: string, now: number, silentMs: number): Promise<boolean> {
  const file = path.join(folder, ownerFileName);
  const last = (await modified(file)) ?? (await modified(folder)) ?? 0;
  if (now - last > silentMs) return false;
  const owner = await readOwner(file);
  if (owner?.host !== os.hostname()) return true;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readOwner(file: string): Promise<{ host: string; pid: number } | undefined> {
  try {
    const owner = JSON.parse(await readFile(file, 'utf8')) as { host?: unknown; pid?: unknown };
    const { host, pid } = owner;
    return typeof host === 'string' && typeof pid === 'number' && pid > 0 ? { host, pid } : undefined;
  } catch {
    // Half written by a process that is starting, or died then: its time decides.
    return undefined;
  }
}

/** Milliseconds since the epoch; undefined: there is no such file. */
export async function modified(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mtimeMs;
}
