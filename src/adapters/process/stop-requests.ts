/** SIGHUP is what Windows makes of a console that is closed. Windows knows no SIGTERM from outside. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `stop` at each request from outside to end, instead of dying of it: a signal, or the end of the
 * process that started this one with a message channel. A process started without a channel outlives its
 * parent. Disposing gives the signals back.
 */
export function onStopRequest(stop: () => void): Disposable {
  // A reader of the output that has gone is no reason to end; without a listener it would be one.
  const ignore = (): void => undefined;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignore);
  for (const signal of signals) process.on(signal, stop);
  process.on('disconnect', stop);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, stop);
      process.off('disconnect', stop);
      for (const stream of [process.stdout, process.stderr]) stream.off('error', ignore);
    },
  };
}
