// Runs the test files of the given folders with mocha in a process of its own, and tells the parent the counts.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isatty } from 'node:tty';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';
import { failureText, type Counts } from './counts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { timeout } = JSON.parse(await readFile(path.join(root, '.mocharc.json'), 'utf8')) as {
  timeout: number;
};

const { values: shard, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    shard: { type: 'string', default: '0' },
    of: { type: 'string', default: '1' },
    retries: { type: 'string', default: '0' },
  },
});
const retries = Number(shard.retries);
const mocha = new Mocha({ timeout, retries, forbidOnly: true, color: isatty(1) });
const files = folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root }).sort());
for (const [index, file] of files.entries()) {
  // One by one to each, because neighbours in the alphabet take about the same time.
  if (index % Number(shard.of) === Number(shard.shard)) mocha.addFile(path.join(root, file));
}
// Without a listener a signal would end this process before it can end the ones that the tests started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await mocha.loadFilesAsync();
const failures: string[] = [];
const secondTries: string[] = [];
const runner = mocha.run(() => {
  failures.push(...unhandled.values());
  process.exitCode = failures.length > 0 ? 1 : 0;
  const { passes, pending } = runner.stats ?? { passes: 0, pending: 0 };
  process.send?.({ passed: passes, failures, secondTries, skipped: pending } satisfies Counts);
  // Nothing else may keep this process alive: the parent counts it as a failure.
  process.disconnect?.();
});
// Mocha passes these on to nobody, and in the product one of them ends the process.
const unhandled = new Map<Promise<unknown>, string>();
process.on('unhandledRejection', (reason, promise) => {
  const during = runner.test?.fullTitle() ?? 'no test';
  unhandled.set(promise, failureText(`A promise failed that nobody looked at, during: ${during}`, reason));
});
process.on('rejectionHandled', (promise) => unhandled.delete(promise));
runner.on('fail', (test: Mocha.Test, error: unknown) => {
  failures.push(failureText(test.fullTitle(), error));
});
runner.on('retry', (test: Mocha.Test, error: unknown) => {
  secondTries.push(failureText(test.fullTitle(), error));
});
