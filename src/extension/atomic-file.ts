import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How the name of an unfinished file ends. One that is left over belongs to a window that died. */
export const unfinishedSuffix = '.unfinished';

/** On Windows a rename fails while a scanner or another window has the target open, mostly for milliseconds. */
const renameAttempts = 8;
const busyCodes: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Replaces a file in one step and durably: a reader or a crash finds the old content or the new. */
export async function writeFileAtomically(target: string, text: string): Promise<void> {
  const unfinished = `${target}.${randomUUID()}${unfinishedSuffix}`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await renamePatiently(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (attempt === renameAttempts || !busyCodes.has((error as NodeJS.ErrnoException).code)) throw error;
      await pause(10 * 2 ** attempt);
    }
  }
}

/** True for the error of a file that is not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
