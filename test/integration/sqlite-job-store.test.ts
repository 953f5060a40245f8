import { spawn } from 'node:child_process';
import path from 'node:path';
import { openStores, type SqliteStores } from '../../src/adapters/sqlite/stores.ts';
import { describeJobStore } from '../support/job-store-conformance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const creator = path.join(import.meta.dirname, '..', 'support', 'sqlite-creator.ts');

describeJobStore('job store on SQLite', async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, 'jobs.db');
  const opened: SqliteStores[] = [];
  let now = Date.now();
  return {
    client: async () => {
      const stores = openStores(file, () => now);
      opened.push(stores);
      return stores.jobs;
    },
    pass: (ms) => {
      now += ms;
    },
    spawnCreator: () =>
      spawn(process.execPath, [creator, file], { stdio: ['ignore', 'pipe', 'inherit'], windowsHide: true }),
    [Symbol.asyncDispose]: async () => {
      for (const stores of opened) await stores[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
});
