import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod/v4';

/**
 * How the extension and the local service find and recognise each other. The service writes the
 * address file (mode 0600) into its data folder; the extension reads it, proves by a challenge that
 * the process behind the port is the one that wrote the file, and only then sends the key.
 */
export const addressFileName = 'service.json';

export const addressFileSchema = z.object({
  /** Base URL, always `http://127.0.0.1:PORT`. */
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  pid: z.int().positive(),
  version: z.string(),
  /** Shared with whoever may read the file, that is, with the same user only. */
  secret: z.string().min(32),
});
export type AddressFile = z.infer<typeof addressFileSchema>;

/**
 * Hashes of the API keys that the local service accepts, one lower-case hexadecimal SHA-256 a line.
 * The extension adds its own; the service reads the file again when it meets a key that it does not know.
 */
export const keyHashesFileName = 'key-hashes';

/** How the process of the local service ends; what it says about a failure is its last line on stderr. */
export const serviceExitCodes = {
  /** Asked to end, or idle. */
  ended: 0,
  /** A defect. The log has it. */
  crashed: 1,
  /** Another one of this user runs already; that one is to be used. */
  alreadyRunning: 3,
  /** The configuration or the folders cannot be used. */
  misconfigured: 4,
} as const;

/** The only form in which a key is known to the service. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

/** What a service with this secret answers to a challenge. */
export function proveSecret(secret: string, challenge: string): string {
  return createHmac('sha256', secret).update(challenge, 'utf8').digest('hex');
}

/** True when the answer to the challenge came from the service that wrote the address file. */
export function isProof(secret: string, challenge: string, proof: string | undefined): boolean {
  if (proof === undefined) return false;
  const expected = Buffer.from(proveSecret(secret, challenge));
  const given = Buffer.from(proof);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Overrides where the local service keeps its files: for tests and portable set-ups. An absolute path. */
export const homeVariable = 'DOCS_AGENT_HOME';

export interface ServiceFolders {
  /** Database, address file, key hashes, log. */
  readonly data: string;
  /** Mirrors and workspaces: may be deleted while no job runs. */
  readonly cache: string;
}

/**
 * Where the local service of one user keeps its files: the platform's own folders, or below
 * {@link homeVariable}. Both sides compute it, so it takes what it needs to know instead of reading it.
 */
export function serviceFolders(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): ServiceFolders {
  const { join } = platform === 'win32' ? path.win32 : path.posix;
  const home = env[homeVariable];
  if (home) return { data: join(home, 'data'), cache: join(home, 'cache') };
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] ?? join(homeDirectory, 'AppData', 'Local');
    return { data: join(local, 'docs-agent', 'data'), cache: join(local, 'docs-agent', 'cache') };
  }
  if (platform === 'darwin') {
    const library = join(homeDirectory, 'Library');
    return {
      data: join(library, 'Application Support', 'docs-agent'),
      cache: join(library, 'Caches', 'docs-agent'),
    };
  }
  return {
    data: join(env['XDG_DATA_HOME'] ?? join(homeDirectory, '.local', 'share'), 'docs-agent'),
    cache: join(env['XDG_CACHE_HOME'] ?? join(homeDirectory, '.cache'), 'docs-agent'),
  };
}
