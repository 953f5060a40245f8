import { randomBytes } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type CacheFolders, repositoriesFolder } from './cache.ts';
import { sourceFileName, usedFileName } from './mirror.ts';
import { modified } from './owner.ts';
import { removeTree } from './remove.ts';
import { type Git, GitFailure } from './run-git.ts';

/** A quarter, as long as the store keeps what happened. */
const unusedMs = 90 * 86_400_000;

/**
 * Removes the repositories of writers without a remote that nobody has used for long and that hold no work which
 * is not in the writer's own repository, too: with what nobody merged they stay for ever, also when the writer's
 * folder is gone. One that is needed again is made anew. Answers how many went.
 *
 * @param now milliseconds since the epoch
 */
export async function removeSpentRepositories(
  git: Git,
  folders: CacheFolders,
  now: number = Date.now(),
): Promise<number> {
  const parent = repositoriesFolder(folders);
  let removed = 0;
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.endsWith('.git')) continue;
    const gitDir = path.join(parent, name);
    const used = await modified(path.join(gitDir, usedFileName));
    if (used === undefined || now - used < unusedMs) continue;
    if (!(await isSpent(git, gitDir))) continue;
    const trash = await setAside(gitDir, used);
    if (trash === undefined) continue;
    await removeTree(trash);
    removed++;
  }
  return removed;
}

/** Whoever begins something there touches its time before: nothing comes in between the look and the renaming. */
async function setAside(gitDir: string, used: number): Promise<string | undefined> {
  const trash = `${gitDir}.old-${randomBytes(4).toString('hex')}`;
  try {
    if (statSync(path.join(gitDir, usedFileName)).mtimeMs !== used) return undefined;
    renameSync(gitDir, trash);
    return trash;
  } catch {
    // Windows renames nothing that a scanner has open; there is a next time.
    return undefined;
  }
}

async function isSpent(git: Git, gitDir: string): Promise<boolean> {
  try {
    // Also what jobs committed and never pushed, for as long as it is kept.
    const places = ['refs/heads/', 'refs/docs-agent/'];
    const list = [`--git-dir=${gitDir}`, 'for-each-ref', '--format=%(objectname)', ...places];
    const { stdout, stderr } = await git.run(list);
    // Git passes over a branch that a power cut left broken with no more than a warning; its work can be saved.
    if (stderr !== '') return false;
    const commits = new Set(stdout.split(/\r?\n/).filter((line) => line !== ''));
    if (commits.size === 0) return true;
    const source = await readFile(path.join(gitDir, sourceFileName), 'utf8').catch(() => undefined);
    if (source === undefined) return false;
    for (const commit of commits) {
      const args = [`--git-dir=${source}`, 'for-each-ref', '--count=1', `--contains=${commit}`];
      if ((await git.line([...args, 'refs/heads/', 'refs/tags/'], { scope: 'user' })) === '') return false;
    }
    return true;
  } catch (error) {
    // The writer's repository has no such commit, or is no repository any more.
    if (error instanceof GitFailure) return false;
    throw error;
  }
}
