import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError } from '../../service/config.ts';

/** Bytes. A configuration is a page or two. */
const maxBytes = 256 * 1024;

/**
 * The text of the configuration file, undefined when there is none. It may hold tokens, so it is
 * refused when another user can read it or wrote it: throws {@link ConfigError} with the sentence to show.
 */
export function readConfigFile(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`The configuration file ${file} cannot be read. Check its permissions.`, {
      cause: error,
    });
  }
  try {
    // The opened file is checked, not its name: nobody can exchange it in between.
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new ConfigError(`The configuration file ${file} is not a file.`);
    if (status.size > maxBytes)
      throw new ConfigError(`The configuration file ${file} is larger than 256 KB.`);
    if (process.platform !== 'win32') {
      if (status.uid !== process.getuid?.()) {
        throw new ConfigError(`The configuration file ${file} belongs to another user. Make it yours.`);
      }
      if ((status.mode & 0o077) !== 0) {
        throw new ConfigError(
          `The configuration file ${file} can be read or changed by other users. Run: chmod 600 "${file}"`,
        );
      }
    }
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
