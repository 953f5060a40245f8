import { rm } from 'node:fs/promises';

/** Removes a file, or a folder with all that is in it. Retries: on Windows a virus scanner may still read what was just written. */
export function removeTree(place: string): Promise<void> {
  return rm(place, { recursive: true, force: true, maxRetries: 5 });
}
