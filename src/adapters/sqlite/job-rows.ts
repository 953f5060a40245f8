import type { JobError, JobStatus } from '../../contract/job.ts';
import type { EventType, JobEvent } from '../../contract/events.ts';
import type { Job, JobMessage, JobWork } from '../../service/job.ts';

/** What node:sqlite answers for one row. */
export type Row = Readonly<Record<string, unknown>>;

/** The row of a statement that always answers one. */
export function present<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('The database answered no row where one must be.');
  return row;
}

const text = (value: unknown): string => value as string;
const maybe = <T>(value: unknown): T | undefined => (value === null ? undefined : (value as T));
const json = <T>(value: unknown): T | undefined =>
  value === null ? undefined : (JSON.parse(text(value)) as T);

export function toJob(row: Row): Job {
  return {
    id: text(row['id']),
    projectId: text(row['project_id']),
    status: row['status'] as JobStatus,
    title: text(row['title']),
    prompt: text(row['prompt']),
    agent: text(row['agent']),
    model: text(row['model']),
    repository: text(row['repository']),
    step: maybe<string>(row['step']),
    work: json<JobWork>(row['work']) ?? {},
    summary: maybe<string>(row['summary']),
    error: json<JobError>(row['error']),
    attempt: Number(row['attempt']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    archivedAt: row['archived_at'] === null ? undefined : Number(row['archived_at']),
  };
}

export function toMessage(row: Row): JobMessage {
  return {
    number: Number(row['number']),
    prompt: text(row['prompt']),
    summary: maybe<string>(row['summary']),
  };
}

export function toEvent(row: Row): JobEvent {
  return {
    id: Number(row['id']),
    type: row['type'] as EventType,
    at: new Date(Number(row['at'])).toISOString(),
    message: text(row['message']),
  };
}
