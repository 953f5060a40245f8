import { randomBytes } from 'node:crypto';
import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hashKey, keyHashesFileName } from '../contract/local-service.ts';

/** Where the key is kept: SecretStorage in the editor, memory in tests. */
export interface KeyPlace {
  get(): Promise<string | undefined>;
  set(key: string): Promise<void>;
}

/** A machine without a keyring forgets keys, so hashes pile up; beyond this many the oldest go. */
const mostHashes = 200;
const keptHashes = 50;

/**
 * The key for the local service; made when there is none, because a lost one has no worth. The service
 * learns its hash from a file that only this user can read. Another window may do the same at the same
 * time: then both keys work.
 */
export async function localKey(place: KeyPlace, dataFolder: string): Promise<string> {
  let key = await place.get();
  if (key === undefined || key === '') {
    // 256 bits.
    key = `local_${randomBytes(32).toString('base64url')}`;
    await place.set(key);
  }
  await makeKnown(key, dataFolder);
  return key;
}

async function makeKnown(key: string, dataFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const file = path.join(dataFolder, keyHashesFileName);
  const hash = hashKey(key);
  const text = await readText(file);
  const known = text.split(/\r?\n/).filter((line) => line !== '');
  if (known.includes(hash)) return;
  if (known.length >= mostHashes) {
    const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    const kept = [...known.slice(-keptHashes), hash].join('\n');
    await writeFile(temporary, `${kept}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
    return;
  }
  // One short append is whole even when two windows write; a line that somebody left half is ended first.
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  await appendFile(file, `${gap}${hash}\n`, { mode: 0o600 });
  // The mode above only counts for a new file.
  if (process.platform !== 'win32') await chmod(file, 0o600);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
