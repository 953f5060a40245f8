import { createHash } from 'node:crypto';
import * as z from 'zod/v4';
import { readJob } from '../contract/job.ts';
import type { JobEntry } from './job-entry.ts';

/** Raised when an older extension could not make sense of what a newer one writes. */
const formatVersion = 1;

const time = z.number().nonnegative().optional();
const entrySchema = z.object({
  service: z.string().min(1),
  base: z.string().optional(),
  agent: z.string().optional(),
  projectId: z.string().min(1),
  projectName: z.string(),
  folder: z.string().optional(),
  id: z.string().min(1),
  prompt: z.string(),
  createdAt: z.number().nonnegative(),
  job: z.looseObject({ repository: z.unknown().optional(), ref: z.unknown().optional() }).optional(),
  checkedAt: time,
  problem: z.object({ code: z.string(), message: z.string(), at: z.number() }).optional(),
  endedAt: time,
  seenAt: time,
  openedAt: time,
});
const fileSchema = z.object({ version: z.int().positive(), entry: z.unknown() });

export type EntryFileReading =
  | { readonly kind: 'entry'; readonly entry: JobEntry }
  /** Written by a newer extension in another window: left alone. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'damaged' };

export function writeEntryFile(entry: JobEntry): string {
  return `${JSON.stringify({ version: formatVersion, entry }, undefined, 2)}\n`;
}

export function readEntryFile(text: string): EntryFileReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'damaged' };
  }
  const file = fileSchema.safeParse(value);
  if (!file.success) return { kind: 'damaged' };
  if (file.data.version > formatVersion) return { kind: 'newer' };
  const parsed = entrySchema.safeParse(file.data.entry);
  if (!parsed.success) return { kind: 'damaged' };
  const { job: stored, ...fields } = parsed.data;
  // A stored job is flat; the reader of the wire wants the two fields where the wire has them.
  const job =
    stored && readJob({ ...stored, source: { repository: stored['repository'], ref: stored['ref'] } });
  if (stored !== undefined && job === undefined) return { kind: 'damaged' };
  return { kind: 'entry', entry: { ...(fields as Omit<JobEntry, 'job'>), job } };
}

/** File names hold a hash: an id of a service may be anything, also a path. */
export function entryFileStem(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex').slice(0, 32);
}

export function isEntryFileName(name: string): boolean {
  return /^[0-9a-f]{32}\.json$/.test(name);
}
