import type * as z from 'zod/v4';
import {
  agentListSchema,
  providerCheckSchema,
  type AgentList,
  type ProviderCheck,
} from '../contract/agents.ts';
import { editorNextSchema, type EditorRequest } from '../contract/editor-models.ts';
import { jobEventSchema } from '../contract/events.ts';
import { readJob, type ReceivedJob } from '../contract/job.ts';
import { healthSchema, type Health } from '../contract/requests.ts';
import { ApiError } from './api-error.ts';
import { lostSentence } from './failures.ts';
import type { EventPage, JobPage } from './job-client.ts';
import type { Answer, Effect } from './transport.ts';

/** The job in a 2xx answer. Without one, a create or follow-up has the outcome `may_have_started`. */
export function usableJob(answer: Answer, effect: Effect): ReceivedJob {
  const job = readJob(json(answer.text));
  if (job !== undefined) return job;
  if (effect === 'none') throw unusable(answer);
  const sentence = lostSentence(effect, 'The answer to the request could not be read');
  throw new ApiError('may_have_started', sentence, { status: answer.status });
}

/** Rows that are no usable job are left out: one odd row must not cost the list. */
export function readJobPage(answer: Answer): JobPage {
  const page = json(answer.text) as { jobs?: unknown; nextCursor?: unknown } | undefined;
  if (!Array.isArray(page?.jobs)) throw unusable(answer);
  const jobs = page.jobs.map(readJob).filter((job) => job !== undefined);
  return { jobs, nextCursor: cursorOf(page.nextCursor) };
}

/** A newer service may tell of kinds of events that are not known here. */
export function readEventPage(answer: Answer): EventPage {
  const page = json(answer.text) as { events?: unknown; nextCursor?: unknown } | undefined;
  if (!Array.isArray(page?.events)) throw unusable(answer);
  const events = page.events.flatMap((event) => {
    const parsed = jobEventSchema.safeParse(event);
    return parsed.success ? [parsed.data] : [];
  });
  return { events, nextCursor: cursorOf(page.nextCursor) };
}

export function readHealth(answer: Answer): Health {
  return readAs(healthSchema, answer);
}

export function readAgentList(answer: Answer): AgentList {
  return readAs(agentListSchema, answer);
}

export function readProviderCheck(answer: Answer): ProviderCheck {
  return readAs(providerCheckSchema, answer);
}

/** Undefined when there was no work within the time that a request may take. */
export function readEditorRequest(answer: Answer): EditorRequest | undefined {
  return readAs(editorNextSchema, answer).request ?? undefined;
}

function readAs<Schema extends z.ZodType>(schema: Schema, answer: Answer): z.output<Schema> {
  const parsed = schema.safeParse(json(answer.text));
  if (!parsed.success) throw unusable(answer);
  return parsed.data;
}

function cursorOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function unusable(answer: Answer): ApiError {
  return new ApiError(
    'unusable_answer',
    'What answers at the service’s address does not speak the job API. Check the address; a network log-in page can cause this, too.',
    { status: answer.status, retryable: true },
  );
}

/** Undefined for what is no JSON, for example an HTML page or JSON that breaks off. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
