import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * The text of a plain file at once: starting ten thousand reads costs more than the reads. For looking through
 * many files, some of which are then read with care.
 *
 * @param path absolute
 * @returns undefined for a link, a pipe, a binary file, one above `maximumBytes`, and one that cannot be read
 */
export function readPlainText(path: string, maximumBytes: number): string | undefined {
  const { O_NOFOLLOW, O_NONBLOCK } = constants as Partial<Record<'O_NOFOLLOW' | 'O_NONBLOCK', number>>;
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > maximumBytes) return undefined;
    const text = readFileSync(file, 'utf8');
    return text.slice(0, 8_000).includes('\0') ? undefined : text;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
