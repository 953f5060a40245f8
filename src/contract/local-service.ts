import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod/v4';

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

/** Names of the environment variables that the extension sets when it starts the local service. */
export const serviceEnvironment = {
  /** Overrides where the service keeps its data and cache; also read by the extension. For tests and portable set-ups. */
  home: 'DOCS_AGENT_HOME',
} as const;
