import type { AgentJob } from '../contract/job.ts';
import type { Job } from './job.ts';

const iso = (time: number): string => new Date(time).toISOString();

/** A stored job as the wire shows it. `baseUrl` completes the links of the local code host. */
export function toAgentJob(job: Job, baseUrl: string): AgentJob {
  const { pullRequest } = job.work;
  const active = job.status === 'active';
  return {
    id: job.id,
    status: job.status,
    source: { repository: job.repository, ref: job.work.branch ?? job.work.baseBranch ?? null },
    model: job.model,
    // The contract wants null while active, also when a follow-up works on an open pull request.
    prLink: active || pullRequest === undefined ? null : absoluteLink(pullRequest.link, baseUrl),
    createdAt: iso(job.createdAt),
    archivedAt: job.archivedAt === undefined ? null : iso(job.archivedAt),
    title: job.title,
    prompt: job.prompt,
    branch: job.work.branch ?? null,
    summary: job.summary ?? null,
    filesChanged: job.work.filesChanged ?? null,
    updatedAt: iso(job.updatedAt),
    step: active ? (job.step ?? null) : null,
    error: job.error ?? null,
  };
}

function absoluteLink(link: string, baseUrl: string): string {
  return link.startsWith('/') ? new URL(link, baseUrl).href : link;
}
