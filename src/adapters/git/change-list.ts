import type { Change, ChangedFile } from '../../service/ports/workspaces.ts';
import type { Git, RunOptions } from './run-git.ts';

/** A change with what `git diff` tells beyond the port: modes, for what may not be committed. */
export interface RawChange extends ChangedFile {
  /** As in a tree: `100644`, `100755`, `120000` (symbolic link), `160000` (submodule), `000000` (none). */
  readonly mode: string;
  readonly previousMode: string;
  /** The bytes are as they were: only the name or the mode changed. */
  readonly sameContent: boolean;
}

const listing = [
  '-r',
  '-M',
  '--raw',
  '--numstat',
  '-z',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
];

/** Options of every patch that people or limits see. */
export const patchOptions = ['--no-color', '--no-ext-diff', '--no-textconv', '-M'];

export async function listChanges(
  git: Pick<Git, 'run'>,
  command: readonly string[],
  range: readonly string[],
  options: RunOptions,
): Promise<RawChange[]> {
  const { stdout } = await git.run([...command, ...listing, ...range], options);
  return parseChanges(stdout);
}

export async function measureChange(
  git: Pick<Git, 'run'>,
  command: readonly string[],
  range: readonly string[],
  options: RunOptions,
): Promise<Change> {
  const files = await listChanges(git, command, range, options);
  if (files.length === 0) return { files, patchBytes: 0 };
  const { bytes } = await git.run([...command, '-p', ...patchOptions, ...range], {
    ...options,
    countOnly: true,
  });
  return {
    files: files.map(({ mode: _mode, previousMode: _previous, sameContent: _same, ...file }) => file),
    patchBytes: bytes,
  };
}

/** Reads `--raw --numstat -z`: first the records that begin with a colon, then the counts in the same order. */
function parseChanges(output: string): RawChange[] {
  const parts = output.split('\0');
  const changes: Omit<RawChange, 'addedLines' | 'removedLines'>[] = [];
  let at = 0;
  while (parts[at]?.startsWith(':')) {
    const [previousMode = '', mode = '', before = '', after = '', status = ''] = (parts[at] ?? '')
      .slice(1)
      .split(' ');
    const sameContent = before === after;
    const kind = status[0];
    if (kind === 'R' || kind === 'C') {
      const [previousPath = '', path = ''] = parts.slice(at + 1, at + 3);
      changes.push({ path, previousPath, change: 'renamed', mode, previousMode, sameContent });
      at += 3;
    } else {
      const change = kind === 'A' ? 'added' : kind === 'D' ? 'deleted' : 'modified';
      changes.push({ path: parts[at + 1] ?? '', change, mode, previousMode, sameContent });
      at += 2;
    }
  }
  const counted: RawChange[] = [];
  for (const change of changes) {
    const [added = '', removed = '', path = ''] = (parts[at] ?? '').split('\t');
    at += path === '' ? 3 : 1;
    counted.push({ ...change, addedLines: count(added), removedLines: count(removed) });
  }
  return counted;
}

/** A dash stands for a binary file. */
function count(text: string): number {
  return text === '-' ? 0 : Number(text) || 0;
}
