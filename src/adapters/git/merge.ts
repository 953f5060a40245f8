import path from 'node:path';
import type { MergeResult } from '../../service/ports/workspaces.ts';
import { ServiceError } from '../../service/service-error.ts';
import { ownTreeConfiguration } from './environment.ts';
import { translateGitError } from './git-errors.ts';
import { type Author, identity } from './git-workspace.ts';
import type { Location } from './locate.ts';
import type { Mirror } from './mirror.ts';
import { pushToRemote } from './push.ts';
import { removeTree } from './remove.ts';
import { type Git, GitFailure } from './run-git.ts';
import { WriterRepository } from './writer-repository.ts';

export interface MergeRequest {
  readonly branch: string;
  readonly baseBranch: string;
  readonly head: string;
  readonly message: string;
  readonly author: Author;
  /** A folder of this merge alone; removed at its end. */
  readonly folder: string;
}

/** Somebody who pushes to the base just then is rare; three times in a row is a machine at work. */
const attempts = 3;

/** Merges a job's commit into the newest base. The base moves forwards or not at all. */
export async function mergeIntoBase(
  git: Git,
  mirror: Mirror,
  location: Location,
  request: MergeRequest,
): Promise<MergeResult> {
  const { baseBranch, folder } = request;
  try {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const base = await mirror.fetchBranch(baseBranch, undefined);
      if (base === undefined)
        return { kind: 'refused', reason: `The branch ${baseBranch} does not exist any more.` };
      const merged = await mergeInMirror(mirror, { ...request, base });
      if (merged.kind === 'conflict' || merged.commit === base) return merged;
      if (!location.remote)
        return await moveLocalBase(git, mirror, location, baseBranch, base, merged.commit);
      if (await pushUnlessMoved(mirror, baseBranch, base, merged.commit)) return merged;
    }
    return { kind: 'refused', reason: `${baseBranch} keeps moving at the moment. Try again.` };
  } finally {
    await removeTree(folder);
  }
}

/** False when somebody else has moved the branch since `base`. */
async function pushUnlessMoved(
  mirror: Mirror,
  branch: string,
  base: string,
  commit: string,
): Promise<boolean> {
  try {
    await pushToRemote(mirror, branch, commit, undefined);
    return true;
  } catch (error) {
    const translated = translateGitError(error);
    const rejected = translated instanceof ServiceError && translated.code === 'push_rejected';
    const raced = rejected || (translated instanceof ServiceError && translated.retryable);
    if (!raced) throw translated;
    const now = await mirror.fetchBranch(branch, undefined);
    if (now !== undefined && (await mirror.isAncestor(commit, now))) return true;
    if (now === base) throw translated;
    return false;
  }
}

async function moveLocalBase(
  git: Git,
  mirror: Mirror,
  { local }: Location,
  baseBranch: string,
  base: string,
  commit: string,
): Promise<MergeResult> {
  if (!local) return { kind: 'refused', reason: 'The project names no repository.' };
  const ref = `refs/docs-agent/out/${commit}`;
  await mirror.run(['update-ref', ref, commit]);
  const source = { mirrorDir: mirror.gitDir, ref };
  return new WriterRepository(git, local).moveBranch(baseBranch, base, commit, source);
}

type MirrorMerge =
  | { readonly kind: 'merged'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/**
 * Merges `head` into `base` within the mirror and gives the merge commit; no branch moves. A work tree instead of `merge-tree`, because
 * that needs git 2.38 and this has to run on 2.31.
 */
async function mergeInMirror(
  mirror: Mirror,
  { base, head, message, author, folder }: MergeRequest & { readonly base: string },
): Promise<MirrorMerge> {
  if (await mirror.isAncestor(head, base)) return { kind: 'merged', commit: base };
  const env = identity(author);
  if (await mirror.isAncestor(base, head)) {
    // The base did not move: the result's files are the head's, and nothing has to be checked out.
    const args = ['commit-tree', `${head}^{tree}`, '-p', base, '-p', head, '-F', '-'];
    return { kind: 'merged', commit: await mirror.line(args, { input: message, env }) };
  }
  const tree = path.join(folder, 'merge');
  const config = ownTreeConfiguration;
  try {
    await mirror.run(['worktree', 'add', '--quiet', '--detach', tree, base], { config });
    const inside = { cwd: tree, config, env };
    const merge = ['merge', '--quiet', '--no-ff', '--no-verify', '-m', message, head];
    const { exitCode } = await mirror.git.run(merge, { ...inside, accept: [1] });
    if (exitCode === 0)
      return { kind: 'merged', commit: await mirror.git.line(['rev-parse', 'HEAD'], inside) };
    const paths = await mirror.git.line(['diff', '--name-only', '--diff-filter=U', '-z'], inside);
    // Without a path in conflict it failed for another reason, which must not pass for one.
    if (paths === '') throw new GitFailure('merge', 'exit', exitCode, 'no conflict, and no merge either');
    return { kind: 'conflict', paths: paths.split('\0').filter((name) => name !== '') };
  } finally {
    await removeTree(tree);
    await mirror.run(['worktree', 'prune', '--expire=now']);
  }
}
