import type { Clock } from '../client/job-poller.ts';

export const systemClock: Clock = {
  now: Date.now,
  setTimeout,
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};
