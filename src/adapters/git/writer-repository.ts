import type { CheckOutResult, MergeResult } from '../../service/ports/workspaces.ts';
import type { ConfigurationEntry } from './environment.ts';
import type { LocalRepository } from './locate.ts';
import { type Git, GitFailure, type RunOptions } from './run-git.ts';

/**
 * The only things that are ever written to the writer's repository, each because a person clicked it:
 * a merge into a branch of a repository without a remote, and a branch to check out.
 */
export class WriterRepository {
  readonly #git: Git;
  readonly #local: LocalRepository;
  #filters: Promise<ConfigurationEntry[]> | undefined;

  constructor(git: Git, local: LocalRepository) {
    this.#git = git;
    this.#local = local;
  }

  /** Moves `branch` from `base` to `commit`, which the mirror at `mirrorDir` holds under `ref`. */
  async moveBranch(
    branch: string,
    base: string,
    commit: string,
    source: { mirrorDir: string; ref: string },
  ): Promise<MergeResult> {
    const checkouts = await this.#checkoutsOf(branch);
    if (checkouts.length > 1) return refused(`${branch} is checked out in several places. Merge it by hand.`);
    const [checkout] = checkouts;
    if (checkout === undefined) {
      await this.#bring(source);
      const moved = await this.#updateRef(branch, commit, base);
      return moved ? { kind: 'merged', commit } : refused(`${branch} has just moved. Try again.`);
    }
    if (await this.#isDirty(checkout)) {
      return refused(
        `${branch} is checked out with changes that are not committed. Commit or stash them, then click Merge again.`,
      );
    }
    if ((await this.#line(['rev-parse', 'HEAD'], { cwd: checkout })) !== base) {
      return refused(`${branch} has just moved. Try again.`);
    }
    await this.#bring(source);
    try {
      await this.#run(['merge', '--quiet', '--ff-only', '--no-verify', '--no-stat', commit], {
        cwd: checkout,
      });
    } catch (error) {
      const inTheWay = filesInTheWay(error);
      if (inTheWay === undefined) throw error;
      return refused(
        `Files that are not in git are in the way: ${inTheWay}. Move them away, then click Merge again.`,
      );
    }
    return { kind: 'merged', commit };
  }

  /** Puts `branch` at `commit` and switches the checkout to it. Uncommitted work stays, or stops it. */
  async checkOut(
    branch: string,
    commit: string,
    source: { mirrorDir: string; ref: string },
  ): Promise<CheckOutResult> {
    const { checkout } = this.#local;
    if (checkout === undefined)
      return refused('The project has no folder that a branch could be checked out in.');
    const before = await this.#line(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], {
      cwd: checkout,
      accept: [1],
    });
    const elsewhere = (await this.#checkoutsOf(branch)).find((folder) => folder !== checkout);
    if (elsewhere !== undefined) return refused(`${branch} is checked out in ${elsewhere} already.`);
    const current = await this.#line(['symbolic-ref', '--quiet', '--short', 'HEAD'], {
      cwd: checkout,
      accept: [1],
    });
    await this.#bring(source);
    if (before !== '' && !(await this.#contains(commit, before))) {
      return refused(`The branch ${branch} has other commits in your repository. Rename it, then try again.`);
    }
    if (current === branch) {
      if (before === commit) return { kind: 'checked_out' };
      const moved = await this.moveBranch(branch, before, commit, source);
      return moved.kind === 'refused' ? moved : { kind: 'checked_out' };
    }
    if (!(await this.#updateRef(branch, commit, before))) {
      return refused(`The branch ${branch} has just moved. Try again.`);
    }
    try {
      await this.#run(['checkout', '--quiet', '--no-recurse-submodules', branch, '--'], { cwd: checkout });
      return { kind: 'checked_out' };
    } catch (error) {
      await this.#restore(branch, commit, before);
      if (!(error instanceof GitFailure)) throw error;
      const inTheWay = filesInTheWay(error);
      return refused(
        inTheWay === undefined
          ? `Git could not switch to ${branch}: ${firstLine(error.stderr)}`
          : `Your changes are in the way (${inTheWay}). Commit or stash them, then try again.`,
      );
    }
  }

  async #restore(branch: string, commit: string, before: string): Promise<void> {
    if (before === '') await this.#run(['update-ref', '-d', `refs/heads/${branch}`, commit]);
    else await this.#updateRef(branch, before, commit);
  }

  /** Objects only: no branch, no FETCH_HEAD, no tag. */
  async #bring({ mirrorDir, ref }: { mirrorDir: string; ref: string }): Promise<void> {
    const options = [
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--no-auto-maintenance',
    ];
    await this.#run(['fetch', ...options, '--', mirrorDir, ref]);
  }

  /** False when the branch is not at `before` any more; an empty `before` means that there is none yet. */
  async #updateRef(branch: string, commit: string, before: string): Promise<boolean> {
    try {
      await this.#run(['update-ref', '-m', 'docs-agent: merge', `refs/heads/${branch}`, commit, before]);
      return true;
    } catch (error) {
      if (error instanceof GitFailure && /but expected|reference already exists/i.test(error.stderr))
        return false;
      throw error;
    }
  }

  async #contains(commit: string, ancestor: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', ancestor, commit];
    return (await this.#run(args, { accept: [1] })).exitCode === 0;
  }

  /** Folders of the work trees, linked ones too, that have the branch checked out. */
  async #checkoutsOf(branch: string): Promise<string[]> {
    const { stdout } = await this.#run(['worktree', 'list', '--porcelain']);
    return stdout.split(/\r?\n\r?\n/).flatMap((block) => {
      const lines = block.split(/\r?\n/);
      const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
      return folder !== undefined && lines.includes(`branch refs/heads/${branch}`) && !lines.includes('bare')
        ? [folder]
        : [];
    });
  }

  async #isDirty(checkout: string): Promise<boolean> {
    const args = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=all'];
    return (await this.#line(args, { cwd: checkout })) !== '';
  }

  async #run(args: readonly string[], options: RunOptions = {}): ReturnType<Git['run']> {
    const cwd = options.cwd ?? this.#local.checkout ?? this.#local.gitDir;
    return this.#git.run(args, { scope: 'user', ...options, cwd, config: await this.#withoutFilters() });
  }

  async #line(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await this.#run(args, options)).stdout.replace(/\r?\n$/, '');
  }

  /** Commands that the repository's own configuration names are not run; the person's own (LFS) are. */
  #withoutFilters(): Promise<ConfigurationEntry[]> {
    this.#filters ??= this.#findFilters();
    return this.#filters;
  }

  async #findFilters(): Promise<ConfigurationEntry[]> {
    const cwd = this.#local.checkout ?? this.#local.gitDir;
    const args = [
      'config',
      '--local',
      '--includes',
      '--name-only',
      '-z',
      '--get-regexp',
      '^(filter|merge)\\..*\\.',
    ];
    const names = (await this.#git.line(args, { scope: 'user', cwd, accept: [1] })).split('\0');
    return names.flatMap((key) => {
      if (/\.(?:clean|smudge|process|driver)$/.test(key)) return [{ key, value: '' }];
      return key.endsWith('.required') ? [{ key, value: 'false' }] : [];
    });
  }
}

function refused(reason: string): { kind: 'refused'; reason: string } {
  return { kind: 'refused', reason };
}

/** The files that git lists when it would have overwritten something. Undefined: it failed for another reason. */
function filesInTheWay(error: unknown): string | undefined {
  if (!(error instanceof GitFailure) || !/would be overwritten|would lose untracked/i.test(error.stderr))
    return undefined;
  const files = error.stderr.split(/\r?\n/).flatMap((line) => (line.startsWith('\t') ? [line.trim()] : []));
  const more = files.length > 5 ? ` and ${files.length - 5} more` : '';
  return files.slice(0, 5).join(', ') + more;
}

function firstLine(text: string): string {
  return (text.split(/\r?\n/)[0] ?? '').replace(/^(?:error|fatal): /, '');
}
