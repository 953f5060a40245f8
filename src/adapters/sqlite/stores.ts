import { closeSync, openSync } from 'node:fs';
import { openDatabase } from './database.ts';
import { SqliteJobStore } from './sqlite-job-store.ts';
import { SqliteProjectStore } from './sqlite-project-store.ts';
import { SqliteReviewStore } from './sqlite-review-store.ts';

export interface SqliteStores extends AsyncDisposable {
  readonly jobs: SqliteJobStore;
  readonly projects: SqliteProjectStore;
  readonly reviews: SqliteReviewStore;
}

/**
 * Opens all stores on one database, see `openDatabase`. Disposing closes it.
 *
 * @param file path of the database; its folder must exist
 * @param now milliseconds since the epoch
 */
export function openStores(file: string, now: () => number = Date.now): SqliteStores {
  // Made here for its user only; SQLite makes it readable for all, and its other files like this one.
  closeSync(openSync(file, 'a', 0o600));
  const database = openDatabase(file);
  const jobs = new SqliteJobStore(database, now);
  return {
    jobs,
    projects: new SqliteProjectStore(database),
    reviews: new SqliteReviewStore(database, now),
    [Symbol.asyncDispose]: async () => {
      await jobs[Symbol.asyncDispose]();
      if (database.isOpen) database.close();
    },
  };
}
