import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../service/service-error.ts';
import type { RawChange } from './change-list.ts';

const linkMode = '120000';
const submoduleMode = '160000';

/**
 * Git would run commands with the configuration of a repository that it finds below, so there may be
 * none. The names are those that git itself takes for `.git` on one system or another.
 */
export async function refuseRepositories(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true });
  const found = entries.find((entry) => isGitName(path.basename(entry)));
  if (found === undefined) return;
  throw new ServiceError(
    'protected_path',
    `The agent made ${found.replaceAll('\\', '/')}, which belongs to git and may not be part of a change.`,
  );
}

/** `.git` as Windows (trailing dots, spaces, streams, short name) and macOS (ignored characters) also read it. */
function isGitName(name: string): boolean {
  const plain = name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  return plain === '.git' || plain === 'git~1';
}

/**
 * A link or a submodule in a docs change can lead its readers anywhere, whether it is new or only points
 * somewhere else now. Moving or deleting one is fine.
 */
export function refuseLinks(changes: readonly RawChange[]): void {
  const found = changes.find(
    ({ mode, previousMode, sameContent }) =>
      (mode === linkMode || mode === submoduleMode) && (mode !== previousMode || !sameContent),
  );
  if (!found) return;
  const what = found.mode === linkMode ? 'a symbolic link' : 'a submodule';
  const how = found.mode === found.previousMode ? `, ${what}, point elsewhere` : ` ${what}`;
  throw new ServiceError(
    'protected_path',
    `The change makes ${found.path}${how}, which Docs Agent does not do.`,
  );
}
