import type { DatabaseSync } from 'node:sqlite';
import { setBusyTimeout, sqliteModule } from './database.ts';
import { sqliteCode } from './write-errors.ts';

/** `SQLITE_BUSY`, the result code that says that somebody else has the lock. */
const sqliteBusy = 5;

/**
 * Makes this process the only one of its kind. The operating system frees the lock however the process
 * ends, so a killed holder never leaves it behind, which a file with a process id in it would.
 *
 * @param file path of the lock database; its folder must exist, and must be on a local disk
 * @returns the lock, held until it is disposed or the process ends; undefined, at once, when another process
 * has it
 */
export function takeInstanceLock(file: string): Disposable | undefined {
  const { DatabaseSync } = sqliteModule();
  const database = new DatabaseSync(file);
  try {
    setBusyTimeout(database, 0);
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (sqliteCode(error) === sqliteBusy) return undefined;
    throw error;
  }
  return held(database);
}

/**
 * A database that nobody refers to is closed by the garbage collector, and its lock would be free in the
 * middle of the work. The listener refers to it for as long as the process lives.
 */
function held(database: DatabaseSync): Disposable {
  const release = (): void => {
    process.off('exit', release);
    if (database.isOpen) database.close();
  };
  process.once('exit', release);
  return { [Symbol.dispose]: release };
}
