import type { JobError } from '../contract/job.ts';

/** Messages of the events that a store writes together with the change that they tell. */
export const lifecycleTexts = {
  created: 'The job was created.',
  message: 'A follow-up was added.',
  claimed: (attempt: number): string =>
    attempt === 1 ? 'The work begins.' : `The work begins again (attempt ${attempt}).`,
  completed: 'The job is complete.',
  /** One message is settled and another one waits. */
  goesOn: (error: JobError | null): string =>
    error === null
      ? 'This message is done; the next one follows.'
      : `This message failed, and the next one follows: ${error.message}`,
  archived: 'The job was archived.',
};
