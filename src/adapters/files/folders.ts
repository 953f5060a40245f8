import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../service/config.ts';
import { addressFileName, type ServiceFolders } from '../../contract/local-service.ts';

/** Reading, writing and entering for others than the owner. */
const forOthers = 0o077;

/**
 * Makes the folders of the service, for its user only. Throws {@link ConfigError} when a folder
 * belongs to somebody else.
 */
export function prepareFolders(folders: ServiceFolders): void {
  for (const folder of [folders.data, folders.cache]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    makePrivate(folder);
  }
}

/**
 * Removes what a process that was killed left in the data folder: its address, and files it was just
 * writing. Only the holder of the instance lock may, because these could be another process's live ones.
 */
export function removeLeftovers(dataFolder: string): void {
  for (const name of readdirSync(dataFolder)) {
    if (name === addressFileName || /^(?:service\.json|last-port)\..+\.tmp$/.test(name)) {
      rmSync(path.join(dataFolder, name), { force: true });
    }
  }
}

/** Windows protects the user's own folders by inherited rights; modes mean nothing there. */
function makePrivate(folder: string): void {
  if (process.platform === 'win32') return;
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.()) {
    throw new ConfigError(`The folder ${folder} belongs to another user. Choose a folder of your own.`);
  }
  if ((mode & forOthers) !== 0) chmodSync(folder, 0o700);
}
