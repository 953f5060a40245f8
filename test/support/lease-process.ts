/** A window of its own as far as the lease is concerned: holds on every line of its input, tells the outcome. */
import { createInterface } from 'node:readline';
import { PollLease } from '../../src/extension/poll-lease.ts';

const [folder = ''] = process.argv.slice(2);
const lease = new PollLease({ folder, now: Date.now });
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'release') await lease.release();
  process.stdout.write(`${line === 'release' ? 'released' : await lease.hold()}\n`);
}
