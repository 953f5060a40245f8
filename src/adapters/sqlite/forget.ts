import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import type { Forgotten, Retention } from '../../service/ports/job-store.ts';
import { inTransaction } from './database.ts';
import { forgetStatements, type ForgetStatements } from './forget-statements.ts';

/** Jobs of one transaction: some milliseconds, in which nobody else can write. */
const jobsAtOnce = 100;

/** See `JobStore.forget`. */
export async function forget(
  database: DatabaseSync,
  { keptMs, jobsPerProject }: Retention,
  now: number,
): Promise<Forgotten> {
  const sql = forgetStatements(database);
  const before = now - keptMs;
  let events = 0;
  let jobs = 0;
  for (;;) {
    const ids = inTransaction(database, () => {
      const found = sql.surplus(before, jobsPerProject, jobsAtOnce);
      for (const id of found) events += forgetJob(sql, id);
      return found;
    });
    jobs += ids.length;
    if (ids.length < jobsAtOnce) break;
    // Requests come in between.
    await turn();
    if (!database.isOpen) return { jobs, events };
  }
  return { jobs, events: events + sql.events(before) };
}

/** In the order in which rows point at each other. Answers how many events went. */
function forgetJob(sql: ForgetStatements, id: string): number {
  const events = sql.jobEvents(id);
  sql.messages(id);
  sql.idempotency(id);
  sql.reviews(id);
  sql.job(id);
  return events;
}
