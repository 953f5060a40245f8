import type * as sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { migrate } from './migrations.ts';
import { translateWriteError } from './write-errors.ts';

/**
 * How long a statement waits for another process's write, in milliseconds. A write takes about a
 * millisecond; a slow disk under load has been seen to take seconds.
 */
const busyTimeoutMs = 10_000;

/** Set by PRAGMA: Node before 22.16 ignores the constructor's `timeout`. */
export function setBusyTimeout(database: DatabaseSync, ms: number): void {
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(ms)}`);
}

/**
 * The module behind this folder. It is looked up instead of imported, so that a bundler leaves it alone
 * and a Node without it gives a sentence; the look-up announces it as experimental on Node 22, which no
 * writer needs to read.
 */
export function sqliteModule(): typeof sqlite {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    const text = typeof warning === 'string' ? warning : warning.message;
    if (!text.startsWith('SQLite is an experimental feature')) emitWarning.call(process, warning, ...rest);
  };
  try {
    const module = process.getBuiltinModule('node:sqlite');
    if (module === undefined) throw new Error('This Node has no node:sqlite; version 22.13 or newer has it.');
    return module;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Opens the service's database, makes or migrates its tables. Several processes may have it open.
 * Throws {@link NewerSchemaError} when a newer version has been at it.
 *
 * @param file path of the database; its folder must exist
 */
export function openDatabase(file: string): DatabaseSync {
  const { DatabaseSync } = sqliteModule();
  const database = new DatabaseSync(file);
  try {
    setBusyTimeout(database, busyTimeoutMs);
    // WAL: readers never wait for the writer. FULL: what was answered survives a power cut too.
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA foreign_keys = ON');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * All or nothing, and the only writer meanwhile: the lock is taken before anything is read. Throws
 * `ServiceError` for a disk that is full or cannot be written.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk rolls back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw translateWriteError(error);
  }
}
