import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { git } from './sample.ts';

/** Everything of a checkout that a job must leave as it is, each part as one comparable text. */
export interface CheckoutState {
  readonly head: string;
  readonly refs: string;
  readonly stash: string;
  readonly status: string;
  readonly index: string;
  readonly files: string;
}

export async function checkoutState(folder: string): Promise<CheckoutState> {
  const gitDirectory = path.resolve(folder, await git(folder, 'rev-parse', '--git-dir'));
  return {
    head: `${await readFile(path.join(gitDirectory, 'HEAD'), 'utf8')} ${await git(folder, 'rev-parse', 'HEAD')}`,
    refs: await git(folder, 'for-each-ref', '--format=%(refname) %(objectname)'),
    stash: await git(folder, 'stash', 'list'),
    // Without optional locks: a status that refreshes the index would be a change of its own.
    status: await git(folder, '--no-optional-locks', 'status', '--porcelain=v1', '--branch'),
    index: await git(folder, 'ls-files', '--stage'),
    files: await filesHash(folder),
  };
}

/** The parts in which two states differ. */
export function changedParts(before: CheckoutState, after: CheckoutState): string[] {
  return (Object.keys(before) as (keyof CheckoutState)[]).filter((part) => before[part] !== after[part]);
}

async function filesHash(folder: string): Promise<string> {
  const listed = await git(folder, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  const hash = createHash('sha256');
  for (const name of listed.split('\0').filter(Boolean).sort()) {
    const content = await readFile(path.join(folder, name)).catch(() => Buffer.from('gone'));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
