import type { NewJob } from '../../src/service/ports/job-store.ts';
import { newJobId } from '../../src/service/job-id.ts';

/** A job to be stored; every field can be said. */
export function newJob(fields: Partial<NewJob> = {}): NewJob {
  return {
    id: newJobId(Date.now()),
    projectId: 'docs',
    title: 'Replace A with B',
    prompt: 'replace "A" with "B"',
    agent: 'rules',
    model: 'rules',
    repository: '/repository',
    ...fields,
  };
}
