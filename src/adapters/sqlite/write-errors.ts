import { ServiceError } from '../../service/service-error.ts';

/** Primary result codes of SQLite that are the machine's trouble and over once somebody has seen to it. */
const sentences: ReadonlyMap<number, string> = new Map([
  [5, 'The job database is in use by another program. Try again in a moment.'],
  [8, 'The job database cannot be written. Check the permissions of its folder and try again.'],
  [10, 'The disk of the job database does not answer as it should. Check it and try again.'],
  [13, 'The disk is full. Make some room and try again.'],
  [14, 'The job database cannot be opened. Check the permissions of its folder and try again.'],
]);

/** The primary result code of an error of node:sqlite; undefined for every other error. */
export function sqliteCode(error: unknown): number | undefined {
  // The extended codes have the primary one in their low byte.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** What a person can see to, as a `ServiceError` with a sentence; a defect as it is. */
export function translateWriteError(error: unknown): unknown {
  const sentence = sentences.get(sqliteCode(error) ?? -1);
  return sentence === undefined
    ? error
    : new ServiceError('internal', sentence, { retryable: true, cause: error });
}
