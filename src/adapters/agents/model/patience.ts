import { durationInWords } from '../../../service/duration.ts';
import { ServiceError } from '../../../service/service-error.ts';
import type { Clock } from '../../../service/clock.ts';
import { wait } from './wait.ts';
import { endpointFailure, type EndpointFailure, type ModelNames } from './endpoint-errors.ts';

/** How long a busy or broken endpoint is asked again. Times are in milliseconds. */
export interface Patience {
  readonly tries: number;
  /** Before the second try; doubles with each further one. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Waiting for one request altogether. */
  readonly altogetherMs: number;
}

/** Limits of requests and tokens a minute pass within a minute; what lasts longer than five is told to the writer. */
export const defaultPatience: Patience = { tries: 6, firstMs: 1000, mostMs: 60_000, altogetherMs: 300_000 };

/** Each of them has cost minutes already. */
const silentTries = 3;

export interface PatienceDeps {
  readonly patience: Patience;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly names: ModelNames;
  readonly redact: (text: string) => string;
  readonly onProgress: (message: string) => void;
}

/** A failure that trying again does not mend. */
export class LastingFailure extends Error {
  readonly failure: EndpointFailure;

  constructor(failure: EndpointFailure) {
    super(failure.error.message);
    this.name = 'LastingFailure';
    this.failure = failure;
  }
}

/**
 * Does something at an endpoint, again when it fails in a passing way, as long as the endpoint asks and with
 * growing pauses.
 *
 * @throws LastingFailure, or the signal's reason
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  deps: PatienceDeps,
  signal: AbortSignal,
): Promise<T> {
  const { patience, clock, names } = deps;
  let waited = 0;
  for (let failed = 1; ; failed += 1) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const failure = endpointFailure(error, names, clock.now(), deps.redact);
      const pause = Math.max(failure.retryAfterMs ?? 0, backOff(patience, failed, deps.random()));
      const tries =
        failure.error.code === 'time_limit' ? Math.min(silentTries, patience.tries) : patience.tries;
      const tooLong = waited + pause > patience.altogetherMs;
      if (!failure.passing || failed >= tries) throw new LastingFailure(failure);
      if (tooLong) throw new LastingFailure(postponed(failure, names));
      waited += pause;
      deps.onProgress(
        `${names.provider} did not answer (${short(failure)}); asking again in ${durationInWords(Math.ceil(pause / 1000) * 1000)}`,
      );
      await wait(pause, clock, signal);
    }
  }
}

/** Half of it at random, so that many jobs do not come back at the same moment. */
function backOff(patience: Patience, failed: number, random: number): number {
  const full = Math.min(patience.mostMs, patience.firstMs * 2 ** (failed - 1));
  return Math.round(full / 2 + (full / 2) * random);
}

function short({ error }: EndpointFailure): string {
  if (error.code === 'network') return 'not reachable';
  return error.code === 'time_limit' ? 'silent for too long' : 'too much to do';
}

function postponed(failure: EndpointFailure, names: ModelNames): EndpointFailure {
  const { retryAfterMs } = failure;
  if (retryAfterMs === undefined) return failure;
  const error = new ServiceError(
    failure.error.code,
    `${names.provider} has too much to do or allows no more requests for now, and asks to wait ${durationInWords(retryAfterMs)}. Try again then, or choose another model.`,
    { retryable: true, cause: failure.error.cause },
  );
  return { ...failure, error };
}
