import type { ReceivedJob } from '../../src/contract/job.ts';
import type { JobEntry } from '../../src/extension/job-entry.ts';
import type { Translate } from '../../src/extension/translate.ts';

export const noon = Date.UTC(2026, 0, 1, 12);
export const minute = 60_000;

export function aJob(fields: Partial<ReceivedJob> = {}): ReceivedJob {
  return {
    id: 'job-1',
    status: 'active',
    repository: undefined,
    ref: undefined,
    model: undefined,
    prLink: undefined,
    createdAt: undefined,
    archivedAt: undefined,
    title: undefined,
    prompt: undefined,
    branch: undefined,
    summary: undefined,
    filesChanged: undefined,
    updatedAt: undefined,
    step: undefined,
    error: undefined,
    ...fields,
  };
}

/** A job that runs since noon at the local service; `job` is merged into it, unless it is undefined. */
export function anEntry(
  fields: Omit<Partial<JobEntry>, 'job'> & { readonly job?: Partial<ReceivedJob> | undefined } = {},
): JobEntry {
  const id = fields.id ?? 'job-1';
  return {
    service: 'local',
    projectId: 'docs',
    projectName: 'docs-site',
    folder: 'file:///home/ada/docs-site',
    prompt: 'Replace "log in" with "sign in"',
    createdAt: noon,
    checkedAt: undefined,
    problem: undefined,
    endedAt: undefined,
    seenAt: undefined,
    openedAt: undefined,
    ...fields,
    id,
    job: 'job' in fields && fields.job === undefined ? undefined : aJob({ id, ...fields.job }),
  };
}

export const link = 'https://github.com/acme/docs/pull/7';

/** A job that ended one minute after noon. */
export function anEnded(job: Partial<ReceivedJob>, fields: Omit<Partial<JobEntry>, 'job'> = {}): JobEntry {
  return anEntry({ checkedAt: noon + minute, endedAt: noon + minute, ...fields, job });
}

/** As `vscode.l10n.t` without a translation. */
export const english: Translate = (message, ...args) =>
  message.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)]));
