import path from 'node:path';
import { noCounts, type Counts } from './counts.ts';
import { OwnedProcess } from './vscode-host/owned-process.ts';

/** The longest suite takes five minutes on two idle cores. */
const runMs = 900_000;
/** After its last test a process has nothing left to do. */
const usualLingerMs = 10_000;

interface NodeSuiteOptions {
  /** Milliseconds that the process may live on after its last test. */
  readonly lingerMs?: number;
  /** True prints nothing. */
  readonly quiet?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs the test files of folders in one process. Something that stays alive after the tests is a failure. */
export async function runNodeSuite(
  folders: readonly string[],
  { lingerMs = usualLingerMs, quiet = false, signal }: NodeSuiteOptions = {},
): Promise<Counts> {
  const script = path.join(import.meta.dirname, 'mocha-suite.ts');
  await using owned = new OwnedProcess(process.execPath, [script, ...folders], {
    ...(signal === undefined ? {} : { signal }),
    stdio: quiet ? ['ignore', 'ignore', 'ignore', 'ipc'] : ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const reported = new Promise<Counts>((resolve) => {
    owned.child.once('message', (counts) => resolve(counts as Counts));
  });
  const withFailure = (counts: Counts, sentence: string): Counts => {
    if (!quiet) console.error(sentence);
    return { ...counts, failed: counts.failed + 1 };
  };
  const counts = await within(runMs, Promise.race([reported, owned.ended]));
  if (counts === undefined)
    return withFailure(noCounts, `The tests did not end within ${runMs / 1000} seconds.`);
  if (typeof counts !== 'object')
    return withFailure(noCounts, `The tests ended with ${counts} before they reported.`);
  const code = await within(lingerMs, owned.ended);
  if (code === undefined) return withFailure(counts, 'Something stayed alive after the tests.');
  if (code !== 0 && counts.failed === 0)
    return withFailure(counts, `The tests passed and then ended with ${code}.`);
  return counts;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
