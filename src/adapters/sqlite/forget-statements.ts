import type { DatabaseSync } from 'node:sqlite';

/**
 * Ended before `$before`, and not the way to work that waits for a decision.
 */
const resting = `status <> 'active' AND updated_at < $before
  AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.job_id = jobs.id AND reviews.state = 'open')`;

/** The statements that remove what is old, one function each; each answers how many rows went. */
export function forgetStatements(database: DatabaseSync) {
  const events = database.prepare(`
    DELETE FROM events WHERE job_id IN (SELECT id FROM jobs WHERE ${resting})
      AND id < (SELECT max(id) FROM events AS last WHERE last.job_id = events.job_id)`);
  const surplus = database.prepare(`
    SELECT id FROM (
      SELECT id, status, updated_at,
        row_number() OVER (PARTITION BY project_id ORDER BY seq DESC) AS place
      FROM jobs) AS jobs
    WHERE place > $most AND ${resting} LIMIT $limit`);
  const jobEvents = database.prepare(`DELETE FROM events WHERE job_id = $id`);
  const messages = database.prepare(`DELETE FROM messages WHERE job_id = $id`);
  const idempotency = database.prepare(`DELETE FROM idempotency WHERE job_id = $id`);
  const reviews = database.prepare(`DELETE FROM reviews WHERE job_id = $id`);
  const job = database.prepare(`DELETE FROM jobs WHERE id = $id`);

  const changes = (result: { changes: number | bigint }): number => Number(result.changes);
  return {
    events: (before: number): number => changes(events.run({ before })),
    surplus: (before: number, most: number, limit: number): string[] =>
      surplus.all({ before, most, limit }).map((row) => String(row['id'])),
    jobEvents: (id: string): number => changes(jobEvents.run({ id })),
    messages: (id: string): number => changes(messages.run({ id })),
    idempotency: (id: string): number => changes(idempotency.run({ id })),
    reviews: (id: string): number => changes(reviews.run({ id })),
    job: (id: string): number => changes(job.run({ id })),
  };
}

export type ForgetStatements = ReturnType<typeof forgetStatements>;
