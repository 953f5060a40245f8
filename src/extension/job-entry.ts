import type { ReceivedJob } from '../contract/job.ts';

/** `local`, or the origin of a hosted or team service such as `https://api.example.com`. */
export type ServiceId = string;
export const localServiceId: ServiceId = 'local';

/** A trouble with the last look at a job. The job's last known state stays. */
export interface EntryProblem {
  /** An `ApiErrorCode` of the client, or `key_missing` / `key_gone`. */
  readonly code: string;
  readonly message: string;
}

/**
 * What the ledger keeps of one job: one JSON file each, shared by all windows. Bound to the service and
 * project it was created with, whatever is open now. Times are milliseconds since the epoch.
 */
export interface JobEntry {
  readonly service: ServiceId;
  readonly projectId: string;
  /** What people call the project: the name of its folder. */
  readonly projectName: string;
  /** The workspace folder it was created from, as a URI string. */
  readonly folder: string | undefined;
  readonly id: string;
  readonly prompt: string;
  readonly createdAt: number;
  /** The last state that a service told. */
  readonly job: ReceivedJob;
  readonly checkedAt: number | undefined;
  readonly problem: EntryProblem | undefined;
  /** When a window saw it change from active to an end. */
  readonly endedAt: number | undefined;
  /** When the writer looked at the result; undefined counts for the badge once it has ended. */
  readonly seenAt: number | undefined;
  /** When the pull request was opened by itself; it never is twice. */
  readonly openedAt: number | undefined;
}

/** Names a job among all services and projects. */
export function entryKey(entry: Pick<JobEntry, 'service' | 'projectId' | 'id'>): string {
  return JSON.stringify([entry.service, entry.projectId, entry.id]);
}
