import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { addressFileName, type ServiceFolders } from '../../contract/local-service.ts';

/** Reading, writing and entering for others than the owner. */
const forOthers = 0o077;

/**
 * Makes the folders of the service, for its user only, and removes what a crashed process of this
 * service left there. Throws an error with a sentence when a folder belongs to somebody else.
 */
export function prepareFolders(folders: ServiceFolders): void {
  for (const folder of [folders.data, folders.cache]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    makePrivate(folder);
  }
  for (const name of readdirSync(folders.data)) {
    // Address files that were being written when the process died. Only the holder of the instance lock
    // comes here twice at once, and it writes its own much later.
    if (/^(?:service\.json|last-port)\..+\.tmp$/.test(name)) {
      rmSync(path.join(folders.data, name), { force: true });
    }
  }
}

/** Removes the address of a service that no longer runs. Only for the holder of the instance lock. */
export function removeStaleAddress(dataFolder: string): void {
  rmSync(path.join(dataFolder, addressFileName), { force: true });
}

/** Windows protects the user's own folders by inherited rights; modes mean nothing there. */
function makePrivate(folder: string): void {
  if (process.platform === 'win32') return;
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.()) {
    throw new Error(`The folder ${folder} belongs to another user. Choose a folder of your own.`);
  }
  if ((mode & forOthers) !== 0) chmodSync(folder, 0o700);
}
