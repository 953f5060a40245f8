import * as z from 'zod/v4';

/**
 * The steps of one job, in the order in which they usually come. A job that is taken over after a
 * crash starts again at `claimed`.
 */
export const eventTypes = [
  'created',
  'message',
  'claimed',
  'workspace',
  'agent',
  'progress',
  'checks',
  'committed',
  'pushed',
  'pull_request',
  'warning',
  'completed',
  'failed',
  'cancelled',
  'archived',
] as const;
export type EventType = (typeof eventTypes)[number];

export const jobEventSchema = z.object({
  /** Grows within a job. Also the `id:` of the event stream, so `Last-Event-ID` resumes after it. */
  id: z.int().positive(),
  type: z.enum(eventTypes),
  at: z.iso.datetime(),
  /** One plain sentence or phrase. Untrusted text where it comes from an agent. */
  message: z.string(),
});
export type JobEvent = z.infer<typeof jobEventSchema>;

export const eventListSchema = z.object({
  events: z.array(jobEventSchema),
  /** Pass as `cursor` to read on; null when the end is reached and the job has ended. */
  nextCursor: z.string().nullable(),
});
export type EventList = z.infer<typeof eventListSchema>;
