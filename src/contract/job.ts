import * as z from 'zod/v4';

/**
 * The four statuses of Agent Job API v2. `active` is the only one that can still change by itself;
 * a reader stops polling at the other three.
 */
export const jobStatuses = ['active', 'completed', 'archived', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Why a job failed. `code` is one of {@link jobErrorCodes} at our service, any word elsewhere. */
export const jobErrorSchema = z.object({
  code: z.string(),
  /** A sentence that a writer can act on. Never a stack trace, never a secret. */
  message: z.string(),
  /** True when the same prompt may succeed later without any change. */
  retryable: z.boolean(),
});
export type JobError = z.infer<typeof jobErrorSchema>;

/** ISO 8601 in UTC, as `Date.prototype.toISOString` writes it. */
const timestamp = z.iso.datetime();

/**
 * What our service answers. The first block is the published contract, each field always present;
 * the second block are our additions, which a client of the published contract never notices.
 */
export const agentJobSchema = z.object({
  id: z.string(),
  status: z.enum(jobStatuses),
  source: z.object({ repository: z.string(), ref: z.string().nullable() }),
  /** Which agent ran, for example `rules` or the name of a language model. */
  model: z.string(),
  /** Null while `active`, and null when nothing had to change. */
  prLink: z.string().meta({ format: 'uri' }).nullable(),
  createdAt: timestamp,
  archivedAt: timestamp.nullable(),

  title: z.string().optional(),
  prompt: z.string().optional(),
  branch: z.string().nullable().optional(),
  /** What the agent says it did, as Markdown. Untrusted text. */
  summary: z.string().nullable().optional(),
  filesChanged: z.int().nonnegative().nullable().optional(),
  updatedAt: timestamp.optional(),
  /** The step of the walk that is under way, in words, while `active`. */
  step: z.string().nullable().optional(),
  /** Set when `failed`. */
  error: jobErrorSchema.nullable().optional(),
});
export type AgentJob = z.infer<typeof agentJobSchema>;

/**
 * A job as any provider may send it: only `id` and `status` are certain, and `status` may be a word
 * that the contract did not have when this was written.
 */
export interface ReceivedJob {
  readonly id: string;
  readonly status: string;
  readonly repository: string | undefined;
  readonly ref: string | undefined;
  readonly model: string | undefined;
  readonly prLink: string | undefined;
  readonly createdAt: string | undefined;
  readonly archivedAt: string | undefined;
  readonly title: string | undefined;
  readonly prompt: string | undefined;
  readonly branch: string | undefined;
  readonly summary: string | undefined;
  readonly filesChanged: number | undefined;
  readonly updatedAt: string | undefined;
  readonly step: string | undefined;
  readonly error: JobError | undefined;
}

/** A field of the wrong type, or null, reads as absent: one odd field never costs the whole job. */
const text = z.string().optional().catch(undefined);

const receivedJobSchema = z.object({
  id: z.string().min(1),
  status: z.string().min(1),
  source: z.object({ repository: text, ref: text }).optional().catch(undefined),
  model: text,
  prLink: text,
  createdAt: text,
  archivedAt: text,
  title: text,
  prompt: text,
  branch: text,
  summary: text,
  filesChanged: z.number().optional().catch(undefined),
  updatedAt: text,
  step: text,
  error: jobErrorSchema.optional().catch(undefined),
});

/** Reads a job from any provider. Undefined when it has no usable `id` or `status`. */
export function readJob(value: unknown): ReceivedJob | undefined {
  const parsed = receivedJobSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { source, ...job } = parsed.data;
  return {
    ...(job as Omit<ReceivedJob, 'repository' | 'ref'>),
    repository: source?.repository,
    ref: source?.ref,
  };
}

/** False for a word that the contract did not have when this was written. */
export function isKnownStatus(status: string): status is JobStatus {
  return (jobStatuses as readonly string[]).includes(status);
}

/** True for the statuses at which polling stops. An unknown word is not an end. */
export function hasEnded(status: string): boolean {
  return status === 'completed' || status === 'archived' || status === 'failed';
}
