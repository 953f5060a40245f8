import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GitGate } from '../support/git-gate.ts';
import { KillableService } from '../support/killable-service.ts';
import { temporaryFolder } from '../support/repositories.ts';
import { builtService } from './start.ts';
import { median, milliseconds, type Row, times } from './table.ts';

/** As many as a project may have in an hour. */
const perProject = 100;
const rounds = 9;
const prompt = 'Replace "log in" with "sign in" in all pages, and tell what was left alone.';

/** Durable creates one after the other, while no worker writes too. */
export async function measureCreates(): Promise<Row[]> {
  using folder = temporaryFolder();
  using gate = new GitGate(path.join(folder.path, 'gate'));
  await using service = await KillableService.start(path.join(folder.path, 'home'), {
    entry: builtService,
    binFolder: gate.binFolder,
    config: { concurrency: 1 },
  });
  const { client } = service;
  // The first job stands still before its first git command, so all others wait behind it.
  const repository = folder.path;
  await client.putProject('first', { repository });
  const held = gate.hold('before', '* --version *');
  await client.create('first', prompt);
  await held;
  using database = rawDatabase(path.join(folder.path, 'raw.db'));
  const insert = database.prepare('INSERT INTO jobs (id, prompt) VALUES (?, ?)');
  const creates: number[] = [];
  const inserts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const project = `p${round}`;
    await client.putProject(project, { repository });
    creates.push(
      await milliseconds(async () => {
        for (let job = 0; job < perProject; job++) await client.create(project, prompt);
      }),
    );
    inserts.push(
      await milliseconds(async () => {
        for (let job = 0; job < perProject; job++) insert.run(`job_${round}_${job}`, prompt);
      }),
    );
  }
  // Nobody waits for the job that stands still.
  await service.kill9();
  const figure = (perProject * 1000) / median(creates);
  const floor = (perProject * 1000) / median(inserts);
  return [
    {
      what: 'Durable creates over HTTP, one by one',
      figure: perSecond(figure),
      beside: `raw node:sqlite inserts, synchronous FULL: ${perSecond(floor)}`,
      ratio: times(figure, floor),
    },
  ];
}

function rawDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE jobs (id TEXT PRIMARY KEY, prompt TEXT NOT NULL)');
  return database;
}

function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString('en')}/s`;
}
