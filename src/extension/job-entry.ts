import type { ReceivedJob } from '../contract/job.ts';

/** `local`, or the origin of a hosted or team service such as `https://api.example.com`. */
export type ServiceId = string;
export const localServiceId: ServiceId = 'local';

/** A trouble with the last look at a job. The job's last known state stays. */
export interface EntryProblem {
  /** An `ApiErrorCode` of the client, a code of a `UserError`, or {@link mayHaveStartedCode}. */
  readonly code: string;
  readonly message: string;
  /** When it happened. A later successful look overrules it. */
  readonly at: number;
}

/** The answer to create was lost: a job may run that no list shows. */
export const mayHaveStartedCode = 'may_have_started';

/**
 * What the ledger keeps of one job: one JSON file each, shared by all windows. Bound to the service and
 * project it was created with, whatever is open now. Times are milliseconds since the epoch.
 */
export interface JobEntry {
  readonly service: ServiceId;
  /** The hosted service's address, which may have a path beside the origin; absent: it has none. */
  readonly base?: string | undefined;
  /** The agent that was asked for at the local service, as `contract/agents.ts` names it. */
  readonly agent?: string | undefined;
  readonly projectId: string;
  /** What people call the project: the name of its folder. */
  readonly projectName: string;
  /** The workspace folder it was created from, as a URI string. */
  readonly folder: string | undefined;
  /** The service's id of the job; while `job` is undefined, the `Idempotency-Key` of its create. */
  readonly id: string;
  readonly prompt: string;
  readonly createdAt: number;
  /**
   * The last state that a service told. Undefined until create is answered, so that the prompt is kept
   * whatever happens: being sent, refused (`problem` says why), or perhaps started.
   */
  readonly job: ReceivedJob | undefined;
  /** When the service last told `job`; a look that failed does not count. */
  readonly checkedAt: number | undefined;
  readonly problem: EntryProblem | undefined;
  /** When a window last found that it had changed from active to an end. */
  readonly endedAt: number | undefined;
  /** When the writer last looked at the result; the badge counts ends that are later. */
  readonly seenAt: number | undefined;
  /** When the pull request was opened by itself; it never is twice. */
  readonly openedAt: number | undefined;
}

/** Names a job among all services and projects. */
export function entryKey(entry: Pick<JobEntry, 'service' | 'projectId' | 'id'>): string {
  return JSON.stringify([entry.service, entry.projectId, entry.id]);
}
