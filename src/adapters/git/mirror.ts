import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../service/service-error.ts';
import type { ConfigurationEntry } from './environment.ts';
import { isDamage, isLockConflict, otherObjectFormat, translateGitError } from './git-errors.ts';
import type { Location } from './locate.ts';
import { ownerFileName, writeOwner } from './owner.ts';
import type { Access, RemoteAccess } from './remote-access.ts';
import {
  type Git,
  type GitResult,
  questionTimeLimitMs,
  type RunOptions,
  transferTimeLimitMs,
} from './run-git.ts';
import { removeTree } from './remove.ts';
import { removeStaleLock } from './stale-lock.ts';

const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Its time is when the mirror was last used; clean-up goes by it. */
export const usedFileName = 'docs-agent-used';

/** Path of the writer's repository without a remote that the mirror belongs to. */
export const sourceFileName = 'docs-agent-source';

/**
 * Outranks every `.gitattributes`: bytes come out of the mirror and go back as they are, no filter has
 * a say. An encoding cannot be switched off with a minus, only be unsaid.
 */
const attributes = '* -text -filter -ident !eol !working-tree-encoding\n';

const fetchConfiguration: readonly ConfigurationEntry[] = [
  // Many small fetches each leave a pack; thousands of loose files would be slower still.
  { key: 'fetch.unpackLimit', value: '1' },
];

/**
 * The newest branches hold nearly all of the history. Each one is a file in the mirror that every later command
 * reads: with the ten thousands of a large repository a first job would take minutes longer.
 */
const seedBranches = 50;

/** A ref may be a file, whose name has at most 255 bytes on most systems, the `.lock` beside it included. */
const longestRefName = 200;

/** Five attempts within about a second and a half: git holds a lock for milliseconds. */
const lockAttempts = 5;

/**
 * The service's own bare copy of one repository. Branches of the source are kept under names without
 * slashes, so that a branch `a` that gave way to `a/b` never blocks a fetch; `refs/heads/` holds the
 * work of jobs on repositories without a remote.
 */
export class Mirror {
  readonly gitDir: string;
  readonly git: Git;
  readonly #remoteAccess: RemoteAccess;
  /** What is fetched: the remote, or the writer's repository itself when it has none. */
  readonly #access: Access;
  readonly #location: Location;
  #objectFormat: string;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(git: Git, remoteAccess: RemoteAccess, gitDir: string, location: Location) {
    this.git = git;
    this.#remoteAccess = remoteAccess;
    this.gitDir = gitDir;
    this.#location = location;
    this.#objectFormat = location.local?.objectFormat ?? 'sha1';
    const url = location.local?.gitDir ?? '';
    this.#access = {
      remote: location.remote ?? { kind: 'file', url },
      projectId: location.projectId,
      sshCommand: location.local?.person.sshCommand,
    };
  }

  get access(): Access {
    return this.#access;
  }

  /** Runs a command in the mirror, without the network and without anybody's configuration. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<GitResult> {
    const all = [`--git-dir=${this.gitDir}`, ...args];
    try {
      return await this.git.run(all, options);
    } catch (error) {
      if (!(await removeStaleLock(this.gitDir, error))) throw error;
      return this.git.run(all, options);
    }
  }

  async line(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await this.run(args, options)).stdout.replace(/\r?\n$/, '');
  }

  /** Talks to the source from within the mirror. */
  remote(args: readonly string[], signal: AbortSignal | undefined, timeLimitMs: number): Promise<GitResult> {
    const config = fetchConfiguration;
    return this.#remoteAccess.run(this.#access, [`--git-dir=${this.gitDir}`, ...args], {
      signal,
      timeLimitMs,
      config,
    });
  }

  /** Makes the mirror when there is none, with what the writer's clone holds already. */
  async ensure(signal: AbortSignal | undefined): Promise<void> {
    await this.#oneAtATime(async () => {
      if (await this.#touch()) return;
      await this.#make(signal);
    });
  }

  /** The branch's commit at the source, with its history in the mirror. Undefined: no such branch. */
  async fetchBranch(branch: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const ref = baseRef(branch);
    return this.#oneAtATime(async () => {
      try {
        await this.#fetch([`+refs/heads/${branch}:${ref}`], signal);
      } catch (error) {
        if (/couldn't find remote ref/i.test((error as { stderr?: string }).stderr ?? '')) return undefined;
        if (!(await this.#replaceUnfit(error, signal))) throw error;
        await this.#fetch([`+refs/heads/${branch}:${ref}`], signal);
      }
      return this.line(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { signal });
    });
  }

  /** Asks without fetching. */
  async remoteHead(branch: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const ref = `refs/heads/${branch}`;
    const args = ['ls-remote', '--', this.#access.remote.url, ref];
    const { stdout } = await this.remote(args, signal, questionTimeLimitMs);
    const found = stdout.split(/\r?\n/).find((line) => line.endsWith(`\t${ref}`));
    return found?.split('\t')[0];
  }

  /** The branch of a job on a repository without a remote. */
  async ownHead(branch: string): Promise<string | undefined> {
    const id = await this.line(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], {
      accept: [1, 128],
    });
    return id === '' ? undefined : id;
  }

  async has(commit: string): Promise<boolean> {
    if (!objectId.test(commit)) return false;
    const { exitCode } = await this.run(['cat-file', '-e', `${commit}^{commit}`], { accept: [1, 128] });
    return exitCode === 0;
  }

  /** Brings a commit that is known by its id only, for example after the cache was deleted. */
  async need(commit: string, signal: AbortSignal | undefined): Promise<void> {
    if (await this.has(commit)) return;
    if (!objectId.test(commit)) throw gone();
    try {
      await this.#oneAtATime(() => this.#fetch([commit], signal));
    } catch (error) {
      const translated = translateGitError(error);
      if (translated instanceof ServiceError && translated.code === 'network') throw translated;
      throw gone(error);
    }
    if (!(await this.has(commit))) throw gone();
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const { exitCode } = await this.run(['merge-base', '--is-ancestor', ancestor, descendant], {
      accept: [1],
    });
    return exitCode === 0;
  }

  /** Git's locks keep two processes apart; whoever comes second tries again. */
  async #fetch(refspecs: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { remote } = this.#access;
    const shallow = this.#location.remote ? [] : ['--update-shallow'];
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
    for (let attempt = 1; ; attempt++) {
      try {
        await this.remote([...args, ...shallow, '--', remote.url, ...refspecs], signal, transferTimeLimitMs);
        return;
      } catch (error) {
        if (attempt < lockAttempts && (await removeStaleLock(this.gitDir, error))) continue;
        if (attempt >= lockAttempts || !isLockConflict(error)) throw error;
        await delay(50 * 2 ** attempt * (0.5 + Math.random()), undefined, signal ? { signal } : {});
      }
    }
  }

  /** One fetch at a time within this process. A failure is its own caller's only. */
  #oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #touch(): Promise<boolean> {
    const now = new Date();
    try {
      await utimes(path.join(this.gitDir, usedFileName), now, now);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Built beside its place and moved into it whole, so that nobody ever meets half a mirror. */
  async #make(signal: AbortSignal | undefined): Promise<void> {
    const draft = `${this.gitDir}.new-${randomBytes(4).toString('hex')}`;
    await mkdir(path.dirname(this.gitDir), { recursive: true, mode: 0o700 });
    try {
      await mkdir(draft, { mode: 0o700 });
      await writeOwner(draft);
      await this.git.run(
        ['init', '--quiet', '--bare', '--template=', `--object-format=${this.#objectFormat}`, draft],
        { signal },
      );
      await mkdir(path.join(draft, 'info'), { recursive: true });
      await writeFile(path.join(draft, 'info', 'attributes'), attributes);
      await writeFile(path.join(draft, usedFileName), '');
      if (!this.#location.remote) await writeFile(path.join(draft, sourceFileName), this.#access.remote.url);
      await this.#seed(draft, signal);
      await rm(path.join(draft, ownerFileName));
      await rename(draft, this.gitDir);
    } catch (error) {
      // Another process was faster: its mirror is as good.
      if (!(await this.#touch())) throw error;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  /**
   * A broken copy of a remote is made again, and one that names objects otherwise than the remote, of which that is
   * known only now. One that holds work of its own is left for a person to save.
   */
  async #replaceUnfit(error: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    const format = otherObjectFormat(error);
    if (!this.#location.remote || (format === undefined && !isDamage(error))) return false;
    this.#objectFormat = format ?? this.#objectFormat;
    const trash = `${this.gitDir}.old-${randomBytes(4).toString('hex')}`;
    await rename(this.gitDir, trash);
    await removeTree(trash);
    await this.#make(signal);
    return true;
  }

  /** What the writer's clone holds need not come over the network. A failure only costs time. */
  async #seed(draft: string, signal: AbortSignal | undefined): Promise<void> {
    const { local, remote } = this.#location;
    if (!local?.complete || local.remoteName === undefined || !remote) return;
    const options = { scope: 'user', signal, timeLimitMs: transferTimeLimitMs } as const;
    const remoteRefs = `refs/remotes/${local.remoteName}/`;
    try {
      const newestFirst = ['for-each-ref', '--sort=-committerdate', '--format=%(refname)', remoteRefs];
      const refs = (await this.git.line([`--git-dir=${local.gitDir}`, ...newestFirst], options)).split('\n');
      const wanted = refs.filter((ref, index) => index < seedBranches || ref === `${remoteRefs}HEAD`);
      const seeds = wanted.map((ref) => `+${ref}:refs/seed/${ref.slice(remoteRefs.length)}`);
      if (wanted.every((ref) => ref === '')) return;
      const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', local.gitDir, ...seeds];
      await this.git.run([`--git-dir=${draft}`, ...args], { ...options, config: fetchConfiguration });
    } catch (error) {
      signal?.throwIfAborted();
      if (isDamage(error)) return;
      if (translateGitError(error) instanceof ServiceError) return;
      throw error;
    }
  }
}

function baseRef(branch: string): string {
  const name = encodeURIComponent(branch);
  const fits = name.length <= longestRefName;
  return `refs/base/${fits ? name : createHash('sha256').update(branch).digest('hex')}`;
}

function gone(cause?: unknown): ServiceError {
  return new ServiceError(
    'repository_unavailable',
    'A commit of this job is no longer in the repository. Somebody may have rewritten or deleted its branch; start a new job.',
    { cause },
  );
}
