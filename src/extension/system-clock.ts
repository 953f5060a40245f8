import type { Clock } from '../client/job-poller.ts';

export const systemClock: Clock = {
  now: Date.now,
  // Looked up at each call, as tests that watch timers need it.
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};
