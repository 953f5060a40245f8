import { rm } from 'node:fs/promises';
import path from 'node:path';
import { modified } from './owner.ts';
import { GitFailure } from './run-git.ts';

/** Git holds these for milliseconds. Short enough that a job's third attempt, after 45 seconds, gets through. */
const staleMs = 30_000;

/**
 * Removes the lock that git stumbled over when it is one that a power cut left: nobody would ever take it
 * away, and every job on the repository would fail. True when trying again makes sense.
 *
 * @param gitDir only locks inside it are touched
 */
export async function removeStaleLock(gitDir: string, error: unknown): Promise<boolean> {
  if (!(error instanceof GitFailure)) return false;
  const named = /Unable to create '([^'\n]+\.lock)': File exists/i.exec(error.stderr)?.[1];
  if (named === undefined) return false;
  const file = path.resolve(named);
  if (!file.startsWith(path.resolve(gitDir) + path.sep)) return false;
  const made = await modified(file);
  if (made !== undefined && Date.now() - made < staleMs) return false;
  await rm(file, { force: true });
  return true;
}
