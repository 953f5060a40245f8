import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../../service/service-error.ts';

/** Names in a sentence. */
const shown = 3;
/** Files that are looked at at the same time: one after the other, 10,000 pages take seconds. */
const atOnce = 200;

/** Knows a workspace as it was before an agent came, to see afterwards what no diff tells. */
export class WorkspaceWatch {
  readonly #directory: string;
  readonly #files: ReadonlyMap<string, Stats>;
  readonly #beside: ReadonlyMap<string, Stats>;

  private constructor(
    directory: string,
    files: ReadonlyMap<string, Stats>,
    beside: ReadonlyMap<string, Stats>,
  ) {
    this.#directory = directory;
    this.#files = files;
    this.#beside = beside;
  }

  /** To be called before anything is set aside, and before the agent is started. */
  static async begin(directory: string): Promise<WorkspaceWatch> {
    return new WorkspaceWatch(directory, await entriesOf(directory), await filesBeside(directory));
  }

  /**
   * Looks at what an agent that has ended did by itself. New links and special files are removed, because they can
   * lead whoever reads or checks the pages anywhere; answers their paths. Throws `protected_path` where that would
   * lose a page, and for changes beside the workspace, where the service keeps its own.
   */
  async end(): Promise<string[]> {
    const beside = await filesBeside(this.#directory);
    const touched = [...this.#beside].some(([name, before]) => {
      const now = beside.get(name);
      return now === undefined || !sameEntry(before, now);
    });
    if (touched) {
      throw new ServiceError(
        'protected_path',
        'The agent changed files outside its workspace, so its work was not taken. Say that it should change the pages only.',
      );
    }
    const removed: string[] = [];
    const replaced: string[] = [];
    for (const [file, stats] of await entriesOf(this.#directory)) {
      if (stats.isDirectory() || isPlain(stats)) continue;
      const before = this.#files.get(file);
      if (before !== undefined && sameEntry(before, stats)) continue;
      if (before !== undefined) replaced.push(file);
      else removed.push(file);
    }
    if (replaced.length > 0) {
      throw new ServiceError(
        'protected_path',
        `The agent put a link or a special file in the place of ${listed(replaced)}, which Docs Agent does not do.`,
      );
    }
    for (const file of removed) await rm(path.join(this.#directory, file), { force: true });
    return removed.toSorted();
  }
}

/** A second name of a file that lies elsewhere would publish its text, or let an edit reach it. */
function isPlain(stats: Stats): boolean {
  return stats.isFile() && stats.nlink <= 1;
}

function sameEntry(a: Stats, b: Stats): boolean {
  return a.mode === b.mode && a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.nlink === b.nlink;
}

/** Everything below a folder, by its path with `/`. Links are not followed. */
async function entriesOf(directory: string): Promise<Map<string, Stats>> {
  const found = new Map<string, Stats>();
  const entries = await readdir(directory, { recursive: true });
  for (let from = 0; from < entries.length; from += atOnce) {
    await Promise.all(
      entries.slice(from, from + atOnce).map(async (entry) => {
        const stats = await lstat(path.join(directory, entry)).catch(() => undefined);
        if (stats !== undefined) found.set(entry.split(path.sep).join('/'), stats);
      }),
    );
  }
  return found;
}

/** What lies beside the workspace: the service's own files of the job. */
async function filesBeside(directory: string): Promise<Map<string, Stats>> {
  const folder = path.dirname(directory);
  const found = new Map<string, Stats>();
  for (const name of await readdir(folder)) {
    const stats = await lstat(path.join(folder, name)).catch(() => undefined);
    if (stats?.isFile()) found.set(name, stats);
  }
  return found;
}

function listed(paths: readonly string[]): string {
  const more = paths.length > shown ? ` and ${paths.length - shown} more` : '';
  return `${paths.slice(0, shown).join(', ')}${more}`;
}
