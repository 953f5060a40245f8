/**
 * When to look at an active job again. One popular extension made 55,000 requests per user and day with a
 * 5-second timer; these numbers make some thirty in a job of half an hour.
 */

/** First look after the prompt: with the jitter between 2.4 and 3.6 s, when quick jobs are done. */
const firstDelayMs = 3_000;
/** The longest pause while a person probably still waits for the result. */
const earlyCeilingMs = 30_000;
/** How long that is. */
const earlyPhaseMs = 10 * 60_000;
/** The longest pause afterwards, and the pause for a status word that nobody knows. */
const slowMs = 2 * 60_000;
/** Nobody looks at a window without focus, so everything takes this many times longer there. */
const unfocusedFactor = 4;
/** Keeps windows and machines that started together from asking together. */
const jitter = 0.2;
/** First pause after a failure, doubled at each further one. */
const firstBackOffMs = 5_000;
/** A service that comes back is noticed within this time. */
const longestBackOffMs = 5 * 60_000;

/** Requests of one poller at the same time; browsers allow six for everything together. */
export const maxLooksAtOnce = 3;
/** A new job may not be readable everywhere at once: so long after create, 404 means "not yet". */
export const notYetMs = 60_000;
/** A server cannot silence a client for longer. An hour is the window of the known rate limits. */
export const longestRetryAfterMs = 60 * 60_000;
/** One look, with finding or starting the local service. Above every time limit of the client. */
export const lookLimitMs = 2 * 60_000;

/**
 * Milliseconds from one look to the next, for a focused window and without jitter. Each pause is the one
 * before and a half; since the pauses so far add up to the age, that is the first pause and half the age,
 * which needs no memory: a window that takes over goes on at the right pace.
 */
export function pauseMs(ageMs: number, knownStatus: boolean): number {
  if (!knownStatus) return slowMs;
  const ceiling = ageMs < earlyPhaseMs ? earlyCeilingMs : slowMs;
  return Math.min(firstDelayMs + Math.max(0, ageMs) / 2, ceiling);
}

/** Milliseconds to the next look after so many failures in a row; never quicker than without failures. */
export function backOffMs(failures: number, ageMs: number): number {
  const doubled = Math.min(firstBackOffMs * 2 ** Math.min(failures - 1, 30), longestBackOffMs);
  return Math.max(doubled, pauseMs(ageMs, true));
}

/** Shakes a pause by up to a fifth either way. `random` is in [0, 1). */
export function shaken(ms: number, random: number): number {
  return ms * (1 + jitter * (2 * random - 1));
}

/** The pause as it counts in a window with or without focus. */
export function paceOf(ms: number, focused: boolean): number {
  return focused ? ms : ms * unfocusedFactor;
}

/**
 * The moments, in milliseconds after create, at which an undisturbed job is looked at until it ends: the
 * last one is the look that sees the end. Answers are taken to need no time.
 */
export function lookTimes(
  jobMs: number,
  options: { readonly focused?: boolean; readonly random?: () => number } = {},
): number[] {
  const random = options.random ?? (() => 0.5);
  const times: number[] = [];
  for (let at = 0; times.length === 0 || at < jobMs;) {
    at += paceOf(shaken(pauseMs(at, true), random()), options.focused ?? true);
    times.push(at);
  }
  return times;
}
