import { Worker } from 'node:worker_threads';

/**
 * Ends this process when its parent is gone, however that ended: its standard input is a pipe that the
 * parent holds open and never writes to. A thread waits for the end of it, because the main one may be in
 * the middle of a page that takes for ever, and would hear of nothing.
 */
export function endWithParent(): void {
  const watch = new Worker(`(${watchInput.toString()})()`, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  watch.unref();
  // It can only fail while it starts. Then the message channel is what tells of the end.
  watch.on('error', () => undefined);
  process.on('disconnect', () => process.exit());
}

/** Runs from its own text, so nothing outside of it can be named here. */
function watchInput(): void {
  const { Socket } = process.getBuiltinModule('node:net');
  const input = new Socket({ fd: 0, writable: false });
  input.on('error', () => undefined);
  input.on('close', () => process.kill(process.pid, 'SIGKILL'));
  input.resume();
}
