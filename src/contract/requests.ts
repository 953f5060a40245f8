import * as z from 'zod/v4';
import { agentIdSchema } from './agents.ts';
import { agentJobSchema, jobStatuses } from './job.ts';

/** Characters in one prompt. Far above what a person writes, far below what a store minds. */
export const maxPromptLength = 32_000;

/** Body of create and of follow-up. Unknown fields are ignored, as the published contract allows them. */
export const promptRequestSchema = z.object({
  prompt: z
    .string('The prompt must be text.')
    .min(1, 'The prompt is empty. Say what should change.')
    .max(maxPromptLength, `The prompt is longer than ${maxPromptLength} characters. Shorten it.`),
});
export type PromptRequest = z.infer<typeof promptRequestSchema>;

/** Body of create. `agent` is our addition: only a service of ours is sent it. */
export const createRequestSchema = promptRequestSchema.extend({
  /** Which agent does it; absent: the service's default. Follow-ups stay with it. */
  agent: agentIdSchema.optional(),
});
export type CreateRequest = z.infer<typeof createRequestSchema>;

/** Query of the job list. `cursor` is opaque and comes from the page before. */
export const listQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().optional(),
  status: z.enum(jobStatuses).optional(),
});
export type ListQuery = z.infer<typeof listQuerySchema>;

/** Query of a job's events. `cursor` comes from the page before: the id of the last event that is known. */
export const eventsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  cursor: z.coerce.number().int().nonnegative().default(0),
});

export const jobListSchema = z.object({ jobs: z.array(agentJobSchema), nextCursor: z.string().nullable() });
export type JobList = z.infer<typeof jobListSchema>;

/** The published error body. */
export const errorBodySchema = z.object({
  error: z.string(),
  /** Our addition: a word that a program can rely on. */
  code: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Health, answered without a key. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'stopping']),
  version: z.string(),
  /**
   * True when create and follow-up honour `Idempotency-Key`, so that a client may repeat a request whose
   * answer was lost. Our service always sends it.
   */
  idempotency: z.boolean().optional(),
  /** Answer to the `challenge` of the query, see `local-service.ts`. Absent when none was asked. */
  proof: z.string().optional(),
});
export type Health = z.infer<typeof healthSchema>;
