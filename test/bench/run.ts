// npm run bench: builds, measures, and prints one table. `--only NAME` measures one group, such as `whole-job`.
import { parseArgs } from 'node:util';
import { buildExtension } from '../support/vsix.ts';
import { measureActivation } from './activation.ts';
import { measureCreates } from './creates.ts';
import { measureManyJobs } from './many-jobs.ts';
import { measureMemory } from './memory.ts';
import { measureModelJob } from './model-job.ts';
import { measurePolling } from './polling.ts';
import { measureRules } from './rules.ts';
import { measureSizes } from './sizes.ts';
import { measureStart } from './start.ts';
import { printTable, type Row } from './table.ts';
import { measureWholeJob } from './whole-job.ts';

/** In the order of the table. Together they take four to six minutes. */
const groups: Readonly<Record<string, () => Promise<Row[]>>> = {
  sizes: measureSizes,
  activation: measureActivation,
  start: measureStart,
  creates: measureCreates,
  'whole-job': measureWholeJob,
  'model-job': measureModelJob,
  'many-jobs': measureManyJobs,
  memory: measureMemory,
  rules: measureRules,
  polling: measurePolling,
};

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
  const names = values.only ?? Object.keys(groups);
  const rows: Row[] = [];
  await buildExtension();
  for (const name of names) {
    const measure = groups[name];
    if (measure === undefined) {
      throw new Error(`Nothing is called ${name}. There are: ${Object.keys(groups).join(', ')}.`);
    }
    const started = performance.now();
    rows.push(...(await measure()));
    console.error(`${name}: measured in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  console.log(printTable(rows));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Processes that are owned end at the exit.
  process.once(signal, () => process.exit(1));
}
await main();
