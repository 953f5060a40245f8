import type { Retention } from './ports/job-store.ts';

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const megabyte = 1024 * 1024;

/** How many requests one project may make. The prompt's length is bounded by the contract. */
export interface RequestLimits {
  readonly createsPerHour: number;
  readonly messagesPerHour: number;
  /** Length of that hour, in milliseconds. */
  readonly hourMs: number;
}

/** What the hosted provider of this API allows: 100 creates and 100 messages per project and hour. */
export const defaultRequestLimits: RequestLimits = {
  createsPerHour: 100,
  messagesPerHour: 100,
  hourMs: 60 * minute,
};

/** How long and how large one attempt at a job may get. Times are in milliseconds, sizes in bytes. */
export interface JobLimits {
  /** Of one attempt as a whole. */
  readonly wallClockMs: number;
  /** Without a sign of life from the agent. */
  readonly idleMs: number;
  readonly filesChanged: number;
  readonly patchBytes: number;
  /** A refused change larger than this is not even kept for reading. */
  readonly keptPatchBytes: number;
  /** How often what the checks found goes back to an agent. */
  readonly repairRounds: number;
  /** Of all of that together, and never so long that the work could not be delivered any more. */
  readonly repairMs: number;
  readonly attempts: number;
  /** Delay before attempt 2; doubles with each further one. */
  readonly firstRetryMs: number;
  /** The longest delay that the other side may ask for. */
  readonly longestRetryMs: number;
  /** How long an aborted agent may take to let go of the workspace. */
  readonly letGoMs: number;
}

export const defaultJobLimits: JobLimits = {
  // Background agents usually take minutes and writers are told to expect at most half an hour; twice
  // that leaves room for a slow network.
  wallClockMs: 60 * minute,
  // The rules agent needs about half a minute for all links of 10,000 pages, a model's single answer
  // rarely more than two minutes; whoever is silent for ten hangs.
  idleMs: 10 * minute,
  // A replacement on every page of a large docs project: the measured ones have up to 10,000 pages.
  filesChanged: 10_000,
  // GitHub shows at most 20,000 lines or 1 MB of a diff; beyond 20 MB it is certainly not a change
  // that somebody reviews.
  patchBytes: 20 * megabyte,
  // Larger than any editor opens without freezing.
  keptPatchBytes: 50 * megabyte,
  // What an agent has not repaired the second time it does not see.
  repairRounds: 2,
  // A change that is there and has a broken link is worth more than a perfect one that comes too late.
  repairMs: 15 * minute,
  // A crash that has come three times comes a fourth time.
  attempts: 3,
  // Code hosts' hiccups and "cannot lock ref" are over within seconds; a restart takes a minute.
  firstRetryMs: 15 * second,
  // Code hosts count their limits by the minute or the hour; beyond a quarter of it a writer should know.
  longestRetryMs: 15 * minute,
  // Killing a child process and closing its files takes well under a second.
  letGoMs: 5 * second,
};

export const defaultRetention: Retention = {
  // A quarter: whoever asks what happened then looks at the pull request, not at the events.
  keptMs: 90 * day,
  // A busy team's months; a list that nobody scrolls to the end of.
  jobsPerProject: 1000,
};
