/** A signal that is over at the latest when its time is. Disposing ends the waiting for both. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Fires with `outer`, for its reason, or after a time, with a `TimeoutError`. Not `AbortSignal.any` with
 * `AbortSignal.timeout`: where nothing listens for a while, Node takes the timeout for garbage, and the limit never
 * comes (nodejs/node issues 57736 and 65995).
 *
 * @param ms milliseconds from now on
 */
export function timeLimit(outer: AbortSignal | undefined, ms: number): TimeLimit {
  const controller = new AbortController();
  const onOuter = (): void => controller.abort(outer?.reason);
  const onTime = (): void =>
    controller.abort(new DOMException('It took longer than it may.', 'TimeoutError'));
  const timer = setTimeout(onTime, ms);
  outer?.addEventListener('abort', onOuter, { once: true });
  if (outer?.aborted === true) onOuter();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onOuter);
    },
  };
}
