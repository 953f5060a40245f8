import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { addCounts, noCounts, oneFailure, type Counts } from './counts.ts';
import { OwnedProcess } from './vscode-host/owned-process.ts';

/** The longest suite takes five minutes on two idle cores; only one that hangs takes all of this. */
const runMs = 3_600_000;
/** After its last test a process has nothing left to do but to end. */
const usualLingerMs = 60_000;

interface NodeSuiteOptions {
  /** Milliseconds that the process may live on after its last test. */
  readonly lingerMs?: number;
  /** True prints nothing. */
  readonly quiet?: boolean;
  /** How often a case that fails is tried again. What passes then is told. */
  readonly retries?: number;
  /** Processes that share the files. All but the first print what they have to say at their end. */
  readonly shards?: number;
  readonly signal?: AbortSignal;
}

/** Runs the test files of folders. Something that stays alive after the tests is a failure. */
export async function runNodeSuite(
  folders: readonly string[],
  options: NodeSuiteOptions = {},
): Promise<Counts> {
  const { shards = 1 } = options;
  const all = Array.from({ length: shards }, (_, shard) => runShard(folders, shard, options));
  return addCounts(await Promise.all(all));
}

async function runShard(
  folders: readonly string[],
  shard: number,
  { lingerMs = usualLingerMs, quiet = false, retries = 0, shards = 1, signal }: NodeSuiteOptions,
): Promise<Counts> {
  const script = path.join(import.meta.dirname, 'mocha-suite.ts');
  const args = [script, ...folders, `--shard=${shard}`, `--of=${shards}`, `--retries=${retries}`];
  const output = quiet ? 'ignore' : shard === 0 ? 'inherit' : 'pipe';
  await using owned = new OwnedProcess(process.execPath, args, {
    ...(signal === undefined ? {} : { signal }),
    stdio: ['ignore', output, output, 'ipc'],
  });
  await using _late = new LateOutput(owned.child);
  const reported = new Promise<Counts>((resolve) => {
    owned.child.once('message', (counts) => resolve(counts as Counts));
  });
  const withFailure = (counts: Counts, sentence: string): Counts =>
    addCounts([counts, oneFailure(`${folders.join(' and ')}: ${sentence}`)]);
  const counts = await within(runMs, Promise.race([reported, owned.ended]));
  if (counts === undefined)
    return withFailure(noCounts, `The tests did not end within ${runMs / 1000} seconds.`);
  if (typeof counts !== 'object')
    return withFailure(noCounts, `The tests ended with ${counts} before they reported.`);
  const code = await within(lingerMs, owned.ended);
  if (code === undefined) return withFailure(counts, 'Something stayed alive after the tests.');
  if (code !== 0 && counts.failures.length === 0)
    return withFailure(counts, `The tests passed and then ended with ${code}.`);
  return counts;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** After the end of a process: what it said last may still be on its way. */
const flushMs = 2_000;

/** What a process says, printed in one piece when it is disposed: two at once could not be read. */
class LateOutput implements AsyncDisposable {
  readonly #pieces: Buffer[] = [];
  readonly #closed: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#closed = once(child, 'close').catch(() => undefined);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece: Buffer) => this.#pieces.push(piece));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#pieces.length > 0) await within(flushMs, this.#closed);
    process.stdout.write(Buffer.concat(this.#pieces));
  }
}
