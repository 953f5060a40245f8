import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type AddressFile, addressFileName, addressFileSchema } from '../../contract/local-service.ts';

/** The secret of one service process: 256 bits, in the characters of a URL. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What the data folder says about a service, running or not. Undefined when there is nothing usable. */
export function readAddressFile(dataFolder: string): AddressFile | undefined {
  try {
    const text = readFileSync(path.join(dataFolder, addressFileName), 'utf8');
    const parsed = addressFileSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** The port of the last service of this user, so that open review pages keep their address; 0 for none. */
export function lastPort(dataFolder: string): number {
  const port = Number(readLastPort(dataFolder) ?? 0);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

/** The published address; disposing takes it back, unless another process has put its own there. */
export interface PublishedAddress extends Disposable {
  readonly url: string;
}

/**
 * Publishes where the service listens, in a file of mode 0600 that is there whole or not at all.
 * Call it once the service answers: whoever finds the file may connect at once.
 */
export function publishAddress(dataFolder: string, address: AddressFile): PublishedAddress {
  const file = path.join(dataFolder, addressFileName);
  writeWhole(file, `${JSON.stringify(address)}\n`);
  writeWhole(path.join(dataFolder, lastPortFileName), `${new URL(address.url).port}\n`);
  return {
    url: address.url,
    [Symbol.dispose]: () => {
      if (readAddressFile(dataFolder)?.secret === address.secret) rmSync(file, { force: true });
    },
  };
}

/** Outlives the address file, which says that a service is there. */
const lastPortFileName = 'last-port';

function readLastPort(dataFolder: string): string | undefined {
  try {
    return readFileSync(path.join(dataFolder, lastPortFileName), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function writeWhole(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    // `wx`: never through a link or into a file that somebody else has put there.
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
