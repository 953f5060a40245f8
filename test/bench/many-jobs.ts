import path from 'node:path';
import { KillableService } from '../support/killable-service.ts';
import { temporaryFolder } from '../support/repositories.ts';
import { makeDocsOrigin } from './docs-origin.ts';
import { shell } from './jobs.ts';
import { builtService } from './start.ts';
import { inMs, median, milliseconds, type Row, times } from './table.ts';

const jobs = 20;
const pages = 200;

interface Figures {
  readonly whole: number;
  /** From all creates to the end of each, in milliseconds. */
  readonly waits: readonly number[];
}

/** Many jobs on one repository, all asked for at once, beside one after the other and beside plain git. */
export async function measureManyJobs(): Promise<Row[]> {
  using folder = temporaryFolder();
  const { origin, clone } = await makeDocsOrigin(folder.path, pages);
  const plain = await milliseconds(async () => {
    for (let job = 0; job < jobs; job++) await shell(script, [origin, `plain-${job}`], folder.path);
  });
  const single = await run(path.join(folder.path, 'home-single'), clone, 1, false);
  const rows: Row[] = [];
  for (const concurrency of [2, 8]) {
    const { whole, waits } = await run(
      path.join(folder.path, `home-${concurrency}`),
      clone,
      concurrency,
      true,
    );
    const last = Math.max(...waits);
    rows.push({
      what: `${jobs} jobs at once on one repository, ${concurrency} at a time`,
      figure: `${inMs(whole)}; half were ready after ${inMs(median(waits))}, the last after ${inMs(last)}`,
      beside: `one after the other: ${inMs(single.whole)}; git clone, sed, commit, push of each: ${inMs(plain)}`,
      ratio: `${times(whole, single.whole)}, ${times(whole, plain)}`,
    });
  }
  return rows;
}

async function run(home: string, repository: string, concurrency: number, atOnce: boolean): Promise<Figures> {
  await using service = await KillableService.start(home, { entry: builtService, config: { concurrency } });
  const { client } = service;
  await client.putProject('docs', { repository });
  const ids: string[] = [];
  const waits: number[] = [];
  const began = performance.now();
  const create = async (number: number): Promise<string> => {
    const { id } = await client.create('docs', `Replace "console" with "workbench ${number}"`);
    ids.push(id);
    return id;
  };
  const ended = async (id: string): Promise<void> => {
    await service.ended('docs', id);
    waits.push(performance.now() - began);
  };
  const numbers = Array.from({ length: jobs }, (_, number) => number);
  const whole = await milliseconds(async () => {
    if (atOnce) await Promise.all((await Promise.all(numbers.map(create))).map(ended));
    else for (const number of numbers) await ended(await create(number));
  });
  for (const id of ids) {
    const job = await client.get('docs', id);
    if (job.prLink === undefined) throw new Error(`A job opened no pull request: ${JSON.stringify(job)}`);
    const { events } = await client.events('docs', id);
    const trouble = events.find(({ type, message }) => type === 'warning' && /tried again/.test(message));
    if (trouble !== undefined) throw new Error(`Jobs are in each other's way: ${trouble.message}`);
  }
  await service.stop();
  return { whole, waits };
}

const script = `set -e
git clone --quiet "file://$1" "$2"
cd "$2"
git grep -lz console -- '*.md' | xargs -0 sed -i "s/console/workbench $2/"
git commit --quiet -a -m Replace
git push --quiet origin HEAD:refs/heads/"$2"`;
