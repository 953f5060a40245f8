import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type CacheFolders, mirrorsFolder, repositoriesFolder } from './cache.ts';
import { type Git, GitFailure } from './run-git.ts';

/** A large repository is packed anew in a minute or two; nobody waits for it. */
const packTimeLimitMs = 600_000;

/** The service's attempts last minutes; a job that is taken up again after this starts from its branch. */
const keepCommitsDays = 30;

const packingConfiguration = [
  { key: 'gc.auto', value: '5000' },
  // Every fetch leaves a pack, and git looks through all of them.
  { key: 'gc.autoPackLimit', value: '50' },
  { key: 'gc.autoDetach', value: 'false' },
  // Far longer than any job: what nobody points to yet may be in the middle of becoming a commit.
  { key: 'gc.pruneExpire', value: '2.weeks.ago' },
];

/** Keeps the service's bare repositories small and quick, as git itself would in a person's clone. */
export async function tendRepositories(git: Git, folders: CacheFolders): Promise<void> {
  for (const folder of [mirrorsFolder(folders), repositoriesFolder(folders)]) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.endsWith('.git')) await tend(git, path.join(folder, name));
    }
  }
}

async function tend(git: Git, gitDir: string): Promise<void> {
  const inside = `--git-dir=${gitDir}`;
  try {
    await forgetOldCommits(git, inside);
    const options = { timeLimitMs: packTimeLimitMs, config: packingConfiguration };
    await git.run([inside, 'gc', '--auto', '--quiet'], options);
  } catch (error) {
    // In use, or broken: the next job that needs it will know.
    if (!(error instanceof GitFailure)) throw error;
  }
}

/** The notes of what jobs committed; what was pushed has its branch. */
async function forgetOldCommits(git: Git, inside: string): Promise<void> {
  const format = '--format=%(committerdate:unix) %(refname)';
  const list = await git.line([inside, 'for-each-ref', format, 'refs/docs-agent/']);
  const oldest = Date.now() / 1000 - keepCommitsDays * 86_400;
  const commands = list
    .split(/\r?\n/)
    .filter((line) => line !== '' && Number(line.split(' ')[0]) < oldest)
    .map((line) => `delete ${line.slice(line.indexOf(' ') + 1)}\n`);
  if (commands.length > 0) await git.run([inside, 'update-ref', '--stdin'], { input: commands.join('') });
}
