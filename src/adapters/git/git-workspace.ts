import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { leftTemporaries } from '../../docset/contained-file.ts';
import type { Change, Repository, Workspace } from '../../service/ports/workspaces.ts';
import { listChanges, measureChange } from './change-list.ts';
import { ownTreeConfiguration } from './environment.ts';
import { named } from './git-errors.ts';
import { refusePointerEdits } from './lfs-pointers.ts';
import type { Mirror } from './mirror.ts';
import { refuseLinks, refuseRepositories } from './never-committed.ts';
import { readText } from './read-text.ts';
import { removeTree } from './remove.ts';
import type { RunOptions } from './run-git.ts';

/** Who makes the commits. An address that belongs to nobody, so that no account is taken for the author. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

export interface WorkspaceFacts {
  readonly jobId: string;
  readonly repository: Repository;
  readonly baseCommit: string;
  readonly parentCommit: string;
  readonly author: Author;
  readonly signal: AbortSignal;
}

/** Where an agent's programs put what they need, there are pages that nobody wrote for the docs. */
const pages = [
  ...['md', 'mdx', 'markdown', 'rst', 'adoc'].map((extension) => `:(icase)*.${extension}`),
  ...['node_modules', 'site-packages', 'gems'].map((folder) => `:(exclude,glob)**/${folder}/**`),
  ':(exclude,glob)**/.*/**',
];

/**
 * A plain directory and an index beside it. The files have no repository that a program could find from
 * within the directory; git is told where both are.
 */
export class GitWorkspace implements Workspace {
  readonly directory: string;
  readonly repository: Repository;
  readonly baseCommit: string;
  readonly parentCommit: string;
  readonly #folder: string;
  readonly #mirror: Mirror;
  readonly #facts: WorkspaceFacts;

  private constructor(folder: string, mirror: Mirror, facts: WorkspaceFacts) {
    this.#folder = folder;
    this.directory = path.join(folder, 'tree');
    this.#mirror = mirror;
    this.#facts = facts;
    this.repository = facts.repository;
    this.baseCommit = facts.baseCommit;
    this.parentCommit = facts.parentCommit;
  }

  /** Takes over `folder`, which holds an empty directory `tree`; removes it when the files cannot be written. */
  static async create(folder: string, mirror: Mirror, facts: WorkspaceFacts): Promise<GitWorkspace> {
    const workspace = new GitWorkspace(folder, mirror, facts);
    try {
      await workspace.#run(['read-tree', '-m', '-u', facts.parentCommit]);
      await workspace.#setAsideWhatTheDiskChanged();
      return workspace;
    } catch (error) {
      await workspace[Symbol.asyncDispose]();
      throw error;
    }
  }

  readParent(files: readonly string[], maxBytes: number): Promise<string | undefined> {
    return named(() => readText(this.#mirror, this.parentCommit, files, maxBytes));
  }

  openCopy(commit: string): Promise<AsyncDisposable & { readonly directory: string }> {
    return named(async () => {
      const name = randomBytes(4).toString('hex');
      const directory = path.join(this.#folder, `copy-${name}`);
      const index = path.join(this.#folder, `copy-${name}.index`);
      const remove = async (): Promise<void> => {
        await removeTree(directory);
        await rm(index, { force: true });
      };
      try {
        await mkdir(directory);
        const args = [`--work-tree=${directory}`, 'read-tree', '-m', '-u', commit];
        const env = { GIT_INDEX_FILE: index };
        const { signal } = this.#facts;
        await this.#mirror.run(args, { cwd: directory, signal, config: ownTreeConfiguration, env });
      } catch (error) {
        await remove();
        throw error;
      }
      return { directory, [Symbol.asyncDispose]: remove };
    });
  }

  changes(): Promise<Change> {
    return named(async () => {
      await this.#stage();
      const range = ['--cached', this.parentCommit];
      return measureChange(this.#mirror, this.#command('diff-index'), range, this.#options());
    });
  }

  leftOut(): Promise<readonly string[]> {
    return named(async () => {
      const ignored = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'];
      return (await this.#line([...ignored, '--', ...pages])).split('\0').filter(Boolean);
    });
  }

  commit(message: string, trailers: Readonly<Record<string, string>>): Promise<string | undefined> {
    return named(async () => {
      await this.#stage();
      const tree = await this.#line(['write-tree']);
      if (tree === (await this.#line(['rev-parse', `${this.parentCommit}^{tree}`]))) return undefined;
      const text = withTrailers(message, trailers);
      const ref = `refs/docs-agent/jobs/${encodeURIComponent(this.#facts.jobId)}`;
      // An attempt that died after its commit is repeated with the same result: the same commit, not a
      // second one that the first one's branch would refuse.
      const earlier = await this.#earlierCommit(ref, tree, text);
      if (earlier !== undefined) return earlier;
      const commit = await this.#line(['commit-tree', tree, '-p', this.parentCommit, '-F', '-'], {
        input: text,
        env: identity(this.#facts.author),
      });
      await this.#run(['update-ref', ref, commit]);
      return commit;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeTree(this.#folder);
  }

  async #stage(): Promise<void> {
    await refuseRepositories(this.directory);
    await this.#run(['add', '--all', '--', '.', `:(exclude,glob)${leftTemporaries}`]);
    const range = ['--cached', this.parentCommit];
    const changes = await listChanges(this.#mirror, this.#command('diff-index'), range, this.#options());
    refuseLinks(changes);
    await refusePointerEdits(this.#mirror, this.parentCommit, changes);
  }

  async #earlierCommit(ref: string, tree: string, text: string): Promise<string | undefined> {
    const found = await this.#line(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], {
      accept: [1, 128],
    });
    if (found === '') return undefined;
    const format = '--format=%T%n%P%n%B';
    const known = await this.#line(['log', '-1', '--no-show-signature', format, found]);
    return known.trimEnd() === `${tree}\n${this.parentCommit}\n${text}`.trimEnd() ? found : undefined;
  }

  /**
   * On a disk that does not tell case apart, or that normalises names, two files of the repository can
   * be one. Such files are left as they are instead of becoming a change of the job.
   */
  async #setAsideWhatTheDiskChanged(): Promise<void> {
    if (process.platform !== 'darwin' && process.platform !== 'win32') return;
    const differing = await this.#line(['diff-files', '--name-only', '-z', '--ignore-submodules=all']);
    if (differing === '') return;
    await this.#run(['update-index', '--skip-worktree', '-z', '--stdin'], { input: differing });
  }

  #command(name: string): string[] {
    return [`--work-tree=${this.directory}`, name];
  }

  #options(more: RunOptions = {}): RunOptions {
    return {
      ...more,
      cwd: this.directory,
      signal: this.#facts.signal,
      config: ownTreeConfiguration,
      env: { ...more.env, GIT_INDEX_FILE: path.join(this.#folder, 'index') },
    };
  }

  async #run(args: readonly string[], options?: RunOptions): Promise<void> {
    await this.#mirror.run([`--work-tree=${this.directory}`, ...args], this.#options(options));
  }

  #line(args: readonly string[], options?: RunOptions): Promise<string> {
    return this.#mirror.line([`--work-tree=${this.directory}`, ...args], this.#options(options));
  }
}

export function identity({ name, email }: Author): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

function withTrailers(message: string, trailers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(trailers).map(
    ([name, value]) => `${name}: ${value.replace(/\s+/g, ' ').trim()}`,
  );
  const text = message.replaceAll('\0', '').trim();
  return lines.length === 0 ? `${text}\n` : `${text}\n\n${lines.join('\n')}\n`;
}

/** Leaves a note of what the folder uses, for the clean-up of another process. */
export async function writeMirrorNote(folder: string, mirror: Mirror): Promise<void> {
  await writeFile(path.join(folder, 'mirror'), path.basename(mirror.gitDir));
}
