import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Project } from '../../contract/project.ts';
import type { Log } from '../../service/ports/log.ts';
import type {
  Change,
  CheckOutResult,
  CommitInfo,
  MergeResult,
  OpenWorkspace,
  Repository,
  Workspace,
  Workspaces,
} from '../../service/ports/workspaces.ts';
import { ServiceError } from '../../service/service-error.ts';
import { type CacheFolders, cleanCache, mirrorsFolder, ProcessFolder, repositoriesFolder } from './cache.ts';
import { measureChange, patchOptions } from './change-list.ts';
import { defaultBranch } from './default-branch.ts';
import type { GitCredentials } from './git-credentials.ts';
import { named } from './git-errors.ts';
import { checkGitVersion } from './git-version.ts';
import { type Author, GitWorkspace, writeMirrorNote } from './git-workspace.ts';
import { type Location, locate } from './locate.ts';
import { mergeIntoBase } from './merge.ts';
import { Mirror } from './mirror.ts';
import { checkBranchName, pushBranch } from './push.ts';
import { RemoteAccess } from './remote-access.ts';
import type { Git } from './run-git.ts';
import { removeSpentRepositories } from './spent-repositories.ts';
import { tendRepositories } from './tend.ts';
import { WriterRepository } from './writer-repository.ts';

export interface GitWorkspacesOptions {
  readonly git: Git;
  readonly credentials: GitCredentials;
  /** Mirrors and workspaces go below `cache`, work of repositories without a remote below `data`. */
  readonly folders: CacheFolders;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Author and committer of the commits; absent: Docs Agent. */
  readonly author?: Author | undefined;
  /** Bytes that mirrors may take on disk, as far as they are not in use. */
  readonly cacheLimitBytes?: number;
}

const defaultAuthor: Author = { name: 'Docs Agent', email: 'docs-agent@users.noreply.localhost' };

/** Room for some dozens of docs repositories; one of them is rarely above 200 MB. */
const defaultCacheLimit = 4 * 1024 ** 3;

/** Within one job the default branch is asked for several times; it does not move that fast. */
const branchMemoryMs = 30_000;

/** One job asks half a dozen times within a second or two, for five git commands each. */
const locationMemoryMs = 10_000;

/** Git for the service: see the port. One per process; dispose it at the end. */
export class GitWorkspaces implements Workspaces, AsyncDisposable {
  readonly #options: GitWorkspacesOptions;
  readonly #git: Git;
  readonly #access: RemoteAccess;
  readonly #author: Author;
  readonly #mirrors = new Map<string, Mirror>();
  readonly #branches = new Map<string, { readonly at: number; readonly branch: string }>();
  readonly #locations = new Map<string, { readonly at: number; readonly location: Location }>();
  #processFolder: Promise<ProcessFolder> | undefined;
  #cleaning: Promise<unknown> | undefined;
  #version: Promise<void> | undefined;

  constructor(options: GitWorkspacesOptions) {
    this.#options = options;
    this.#git = options.git;
    this.#access = new RemoteAccess(options.git, options.credentials, options.env);
    this.#author = options.author ?? defaultAuthor;
  }

  /** Removes what earlier processes left behind and what is over the bound. For the start and once a day. */
  async cleanUp(): Promise<void> {
    const { folders, log } = this.#options;
    const cleaning = this.#cleanCache();
    this.#cleaning = cleaning;
    const removed = await cleaning;
    if (removed.workspaces + removed.mirrors > 0) log.info('Cleaned the cache', removed);
    await tendRepositories(this.#git, folders);
    const repositories = await removeSpentRepositories(this.#git, folders);
    if (repositories > 0) log.info('Removed copies of repositories whose work was merged', { repositories });
  }

  inspect(project: Project, signal: AbortSignal): Promise<Repository> {
    return named(async () => this.#describe(project, await this.#locate(project, signal), signal));
  }

  open({ jobId, project, signal, from }: OpenWorkspace): Promise<Workspace> {
    return named(async () => {
      const location = await this.#known(project, signal);
      const repository = await this.#describe(project, location, signal);
      const mirror = await this.#mirror(location, signal);
      const start = from
        ? await this.#resume(mirror, location, from, signal)
        : await this.#startFrom(mirror, repository.baseBranch, signal);
      this.#processFolder ??= ProcessFolder.create(this.#options.folders);
      const folder = await (await this.#processFolder).newWorkspace();
      await writeMirrorNote(folder, mirror);
      const author = this.#author;
      return GitWorkspace.create(folder, mirror, { jobId, repository, ...start, author, signal });
    });
  }

  push(project: Project, branch: string, commit: string, signal: AbortSignal): Promise<void> {
    return named(async () => {
      const location = await this.#known(project, signal);
      const { baseBranch } = await this.#describe(project, location, signal);
      if (branch === baseBranch) {
        throw new ServiceError(
          'push_rejected',
          `A job never pushes to ${baseBranch}, the branch that it starts from.`,
        );
      }
      const mirror = await this.#mirror(location, signal);
      await pushBranch(mirror, location, branch, commit, signal);
    });
  }

  diff(project: Project, baseCommit: string, headCommit: string): Promise<string> {
    return this.#read(project, [baseCommit, headCommit], async (mirror) => {
      const { stdout } = await mirror.run(['diff-tree', '-r', '-p', ...patchOptions, baseCommit, headCommit]);
      return stdout;
    });
  }

  change(project: Project, baseCommit: string, headCommit: string): Promise<Change> {
    return this.#read(project, [baseCommit, headCommit], (mirror) =>
      measureChange(mirror, ['diff-tree'], ['-r', baseCommit, headCommit], {}),
    );
  }

  commits(project: Project, baseCommit: string, headCommit: string): Promise<readonly CommitInfo[]> {
    return this.#read(project, [baseCommit, headCommit], async (mirror) => {
      const format = '--format=%H%x00%s%x00%an%x00%ct';
      const list = await mirror.line(['log', '--no-show-signature', format, `${baseCommit}..${headCommit}`]);
      return list
        .split(/\r?\n/)
        .filter((line) => line !== '')
        .map((line) => {
          const [id = '', subject = '', author = '', seconds = '0'] = line.split('\0');
          return { id, subject, author, at: Number(seconds) * 1000 };
        });
    });
  }

  merge(project: Project, branch: string, headCommit: string, message: string): Promise<MergeResult> {
    return named(async () => {
      const location = await this.#locate(project);
      const { baseBranch } = await this.#describe(project, location);
      const mirror = await this.#mirror(location);
      await this.#needCommit(mirror, location, branch, headCommit);
      this.#processFolder ??= ProcessFolder.create(this.#options.folders);
      const folder = await (await this.#processFolder).newWorkspace();
      await writeMirrorNote(folder, mirror);
      const request = { branch, baseBranch, head: headCommit, message, author: this.#author, folder };
      return mergeIntoBase(this.#git, mirror, location, request);
    });
  }

  checkOut(project: Project, branch: string, headCommit: string): Promise<CheckOutResult> {
    return named(async () => {
      const location = await this.#locate(project);
      if (location.remote || !location.local) {
        return { kind: 'refused', reason: `Fetch the branch with "git fetch" and switch to ${branch}.` };
      }
      const mirror = await this.#mirror(location);
      await checkBranchName(mirror, branch);
      await mirror.need(headCommit, undefined);
      const ref = `refs/docs-agent/out/${headCommit}`;
      await mirror.run(['update-ref', ref, headCommit]);
      const writer = new WriterRepository(this.#git, location.local);
      return writer.checkOut(branch, headCommit, { mirrorDir: mirror.gitDir, ref });
    });
  }

  branchHead(project: Project, branch: string, signal: AbortSignal): Promise<string | undefined> {
    return named(async () => {
      const location = await this.#known(project, signal);
      return this.#head(await this.#mirror(location, signal), location, branch, signal);
    });
  }

  /** Ends what this process keeps on disk for itself; mirrors stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    const folder = this.#processFolder;
    this.#processFolder = undefined;
    // A process that ends soon after its start still leaves nothing of a killed one behind.
    await this.#cleaning?.catch(() => undefined);
    await (await folder)?.[Symbol.asyncDispose]();
  }

  async #cleanCache(): Promise<{ workspaces: number; mirrors: number }> {
    const { folders, cacheLimitBytes = defaultCacheLimit } = this.#options;
    const own = await this.#processFolder?.catch(() => undefined);
    return cleanCache(folders, cacheLimitBytes, own?.folder);
  }

  /** As it was found a moment ago; whoever begins something locates it anew. */
  async #known(project: Project, signal?: AbortSignal): Promise<Location> {
    const known = this.#locations.get(keyOf(project));
    return known && Date.now() - known.at < locationMemoryMs ? known.location : this.#locate(project, signal);
  }

  async #locate(project: Project, signal?: AbortSignal): Promise<Location> {
    this.#version ??= this.#git.line(['--version']).then((text) => checkGitVersion(text));
    try {
      await this.#version;
    } catch (error) {
      // Somebody may install it while the service runs.
      this.#version = undefined;
      throw error;
    }
    const key = keyOf(project);
    this.#locations.delete(key);
    const location = await locate(this.#git, this.#options.credentials, project, signal);
    this.#locations.set(key, { at: Date.now(), location });
    return location;
  }

  async #describe(project: Project, location: Location, signal?: AbortSignal): Promise<Repository> {
    const { remote, displayUrl, docsRoot, local } = location;
    const baseBranch = project.baseBranch ?? (await this.#defaultBranch(location, signal));
    return { remoteUrl: remote?.url, displayUrl, checkout: local?.checkout, docsRoot, baseBranch };
  }

  async #defaultBranch(location: Location, signal: AbortSignal | undefined): Promise<string> {
    const key = location.remote?.url ?? location.local?.gitDir ?? '';
    const known = this.#branches.get(key);
    if (known && Date.now() - known.at < branchMemoryMs) return known.branch;
    const branch = await defaultBranch(this.#git, this.#access, location, signal);
    this.#branches.set(key, { at: Date.now(), branch });
    return branch;
  }

  async #mirror(location: Location, signal?: AbortSignal): Promise<Mirror> {
    const { folders } = this.#options;
    const parent = location.remote ? mirrorsFolder(folders) : repositoriesFolder(folders);
    const source = location.remote?.url ?? location.local?.gitDir ?? '';
    // The project belongs to the key, because its credential does.
    const key = `${location.projectId}\0${source}`;
    let mirror = this.#mirrors.get(key);
    if (!mirror) {
      const name = `${createHash('sha256').update(source).digest('hex').slice(0, 24)}.git`;
      mirror = new Mirror(this.#git, this.#access, path.join(parent, name), location);
      this.#mirrors.set(key, mirror);
    }
    await mirror.ensure(signal);
    return mirror;
  }

  async #startFrom(
    mirror: Mirror,
    branch: string,
    signal: AbortSignal,
  ): Promise<{ baseCommit: string; parentCommit: string }> {
    await checkBranchName(mirror, branch, 'base_branch_missing');
    const commit = await mirror.fetchBranch(branch, signal);
    if (commit !== undefined) return { baseCommit: commit, parentCommit: commit };
    throw new ServiceError(
      'base_branch_missing',
      `The branch ${branch} does not exist in the repository. Choose another one in the settings.`,
    );
  }

  /** Goes on from what stands on the branch, a person's commits on top of the job's included. */
  async #resume(
    mirror: Mirror,
    location: Location,
    from: { baseCommit: string; branch: string; headCommit: string },
    signal: AbortSignal,
  ): Promise<{ baseCommit: string; parentCommit: string }> {
    const { baseCommit, branch, headCommit } = from;
    const head = await this.#head(mirror, location, branch, signal);
    await mirror.need(baseCommit, signal);
    if (!(await mirror.has(headCommit))) return { baseCommit, parentCommit: head ?? baseCommit };
    const goesOn = head !== undefined && (await mirror.isAncestor(headCommit, head));
    return { baseCommit, parentCommit: goesOn ? head : headCommit };
  }

  /** Without a remote a branch may be in the mirror, in the writer's repository, or in both: the further one counts. */
  async #head(
    mirror: Mirror,
    location: Location,
    branch: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    await checkBranchName(mirror, branch);
    const theirs = await mirror.fetchBranch(branch, signal);
    if (location.remote) return theirs;
    const ours = await mirror.ownHead(branch);
    if (ours === undefined || theirs === undefined) return ours ?? theirs;
    return (await mirror.isAncestor(ours, theirs)) ? theirs : ours;
  }

  async #needCommit(mirror: Mirror, location: Location, branch: string, commit: string): Promise<void> {
    if (!(await mirror.has(commit))) await this.#head(mirror, location, branch, undefined);
    await mirror.need(commit, undefined);
  }

  #read<Result>(
    project: Project,
    commits: readonly string[],
    read: (mirror: Mirror) => Promise<Result>,
  ): Promise<Result> {
    return named(async () => {
      const mirror = await this.#mirror(await this.#known(project));
      for (const commit of commits) await mirror.need(commit, undefined);
      return read(mirror);
    });
  }
}

/** Everything of a project that its location depends on. */
function keyOf({ id, repository, docsRoot }: Project): string {
  return JSON.stringify([id, repository, docsRoot]);
}
