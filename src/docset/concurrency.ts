/**
 * Runs `work` over `items` with at most `limit` at once. Stops taking new ones on abort or on the first
 * failure, waits for those under way, then throws.
 */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    while (failure === undefined && !signal.aborted) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  signal.throwIfAborted();
  if (failure) throw failure.error;
}
