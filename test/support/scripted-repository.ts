import assert from 'node:assert/strict';
import type { JobWorkspaces } from '../../src/service/run-job.ts';
import type { Project } from '../../src/contract/project.ts';
import type {
  Change,
  ChangedFile,
  OpenWorkspace,
  Repository,
  Workspace,
} from '../../src/service/ports/workspaces.ts';
import { ServiceError } from '../../src/service/service-error.ts';

export type Files = Map<string, string>;

interface Commit {
  readonly id: string;
  readonly parent: string | undefined;
  readonly message: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * A repository in memory behind the port of the workspaces: commits, remote branches that move forward only,
 * directories that are gone after their disposal.
 */
export class ScriptedRepository implements JobWorkspaces {
  readonly #history = new Map<string, Commit>();
  readonly branches = new Map<string, string>();
  /** The open directories by name. */
  readonly directories = new Map<string, Files>();
  docsRoot = '';
  /** Of the patch, when a test wants another size than the text has. */
  patchBytes: number | undefined;
  /** New files that belong to no commit. */
  readonly ignored = new Set<string>();
  #count = 0;

  constructor(files: Readonly<Record<string, string>>) {
    this.branches.set('main', this.addCommit(undefined, new Map(Object.entries(files)), 'Begin'));
  }

  addCommit(
    parent: string | undefined,
    files: ReadonlyMap<string, string>,
    message: string,
    trailers: Readonly<Record<string, string>> = {},
  ): string {
    const id = `commit${++this.#count}`;
    this.#history.set(id, { id, parent, files: new Map(files), message, trailers });
    return id;
  }

  commit(id: string | undefined): Commit {
    const commit = this.#history.get(id ?? '');
    assert.ok(commit, `there is no commit ${id}`);
    return commit;
  }

  /** What stands at the head of a remote branch. */
  file(branch: string, path: string): string | undefined {
    return this.commit(this.branches.get(branch)).files.get(path);
  }

  /** The branches that jobs made. */
  get jobBranches(): string[] {
    return [...this.branches.keys()].filter((name) => name !== 'main');
  }

  async inspect(project: Project): Promise<Repository> {
    return {
      remoteUrl: 'https://code.example/r.git',
      displayUrl: 'https://code.example/r.git',
      checkout: undefined,
      docsRoot: this.docsRoot,
      baseBranch: project.baseBranch ?? 'main',
    };
  }

  async open(request: OpenWorkspace): Promise<Workspace> {
    request.signal.throwIfAborted();
    const repository = await this.inspect(request.project);
    const base = this.branches.get(repository.baseBranch);
    if (base === undefined) throw new ServiceError('base_branch_missing', 'The base branch is gone.');
    const parent = this.commit(request.from?.headCommit ?? base);
    const openDirectory = (at: Commit): AsyncDisposable & { directory: string; files: Files } => {
      const directory = `directory${++this.#count}`;
      const files = new Map(at.files);
      this.directories.set(directory, files);
      const dispose = async (): Promise<void> => void this.directories.delete(directory);
      return { directory, files, [Symbol.asyncDispose]: dispose };
    };
    const own = openDirectory(parent);
    return {
      directory: own.directory,
      repository,
      baseCommit: request.from?.baseCommit ?? base,
      parentCommit: parent.id,
      readParent: async (paths) =>
        paths.map((path) => parent.files.get(path)).find((text) => text !== undefined),
      openCopy: async (id) => openDirectory(this.commit(id)),
      changes: async () => this.#compare(parent.files, this.#withoutIgnored(own.files)),
      leftOut: async () => [...own.files.keys()].filter((file) => this.ignored.has(file)),
      commit: async (message, trailers) => {
        const files = this.#withoutIgnored(own.files);
        if (this.#compare(parent.files, files).files.length === 0) return undefined;
        return this.addCommit(parent.id, files, message, trailers);
      },
      [Symbol.asyncDispose]: own[Symbol.asyncDispose],
    };
  }

  async push(_project: Project, branch: string, commit: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const head = this.branches.get(branch);
    if (head !== undefined && !this.#isAncestor(head, commit)) {
      throw new ServiceError('push_rejected', 'The branch has other commits.');
    }
    this.branches.set(branch, commit);
  }

  async change(_project: Project, baseCommit: string, headCommit: string): Promise<Change> {
    return this.#compare(this.commit(baseCommit).files, this.commit(headCommit).files);
  }

  async diff(project: Project, baseCommit: string, headCommit: string): Promise<string> {
    const { files } = await this.change(project, baseCommit, headCommit);
    const texts = this.commit(headCommit).files;
    const added = (path: string): string => (texts.get(path) ?? '').replace(/^/gm, '+');
    return files.map(({ path }) => `+++ b/${path}\n${added(path)}\n`).join('');
  }

  async branchHead(_project: Project, branch: string): Promise<string | undefined> {
    return this.branches.get(branch);
  }

  #isAncestor(ancestor: string, commit: string): boolean {
    for (let id: string | undefined = commit; id !== undefined; id = this.commit(id).parent) {
      if (id === ancestor) return true;
    }
    return false;
  }

  #withoutIgnored(files: ReadonlyMap<string, string>): Map<string, string> {
    return new Map([...files].filter(([file]) => !this.ignored.has(file)));
  }

  #compare(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Change {
    const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
    const files = paths.flatMap((path): ChangedFile[] => {
      if (before.get(path) === after.get(path)) return [];
      const change = !before.has(path) ? 'added' : !after.has(path) ? 'deleted' : 'modified';
      return [
        { path, change, addedLines: change === 'deleted' ? 0 : 1, removedLines: change === 'added' ? 0 : 1 },
      ];
    });
    const bytes = files.reduce((sum, { path }) => sum + (after.get(path)?.length ?? 0), 0);
    return { files, patchBytes: this.patchBytes ?? bytes };
  }
}
