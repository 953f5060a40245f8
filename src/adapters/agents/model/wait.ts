import type { Clock } from '../../../service/clock.ts';

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export async function wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const over = Promise.withResolvers<void>();
  const onAbort = (): void => over.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimeout(over.resolve, ms);
  try {
    await over.promise;
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
