import { openStores } from '../../src/adapters/sqlite/stores.ts';
import { newJob } from './new-job.ts';

/** Run as a process of its own: creates jobs in the database of its first argument until it is killed. */
const stores = openStores(process.argv[2] ?? '');
for (let number = 0; ; number++) {
  const stored = await stores.jobs.create(newJob({ prompt: String(number) }));
  if (stored.kind === 'stored') process.stdout.write(`${number}\n`);
}
