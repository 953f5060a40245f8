import type { DatabaseSync } from 'node:sqlite';
import type { EventType } from '../../contract/events.ts';
import type { JobStatus } from '../../contract/job.ts';
import type { NewJob } from '../../service/ports/job-store.ts';
import { present, type Row } from './job-rows.ts';

/** Names one hold of one job: what every write of a claim is guarded by. */
export interface Hold {
  readonly id: string;
  readonly number: number;
}

/**
 * The hold is still there. A lease that ran out is none the worse while nobody took the job over: a laptop
 * that slept goes on where it was.
 */
const held = `id = $id AND claim_number = $number AND held_by IS NOT NULL AND status = 'active'`;

/** The statements on jobs and their messages, one function each. All times are passed in. */
export function jobStatements(database: DatabaseSync) {
  const insertJob = database.prepare(`
    INSERT INTO jobs (id, project_id, status, title, prompt, agent, model, repository, created_at, updated_at)
    VALUES ($id, $projectId, 'active', $title, $prompt, $agent, $model, $repository, $now, $now)
    RETURNING *`);
  const selectJob = database.prepare(`SELECT * FROM jobs WHERE project_id = $projectId AND id = $id`);
  const selectPage = database.prepare(`
    SELECT * FROM jobs
    WHERE project_id = $projectId
      AND ($status IS NULL OR status = $status)
      AND ($cursor IS NULL OR seq < (SELECT seq FROM jobs WHERE project_id = $projectId AND id = $cursor))
    ORDER BY seq DESC LIMIT $limit`);
  const reactivate = database.prepare(`
    UPDATE jobs SET status = 'active', attempt = 0, not_before = 0, held_by = NULL, lease_until = NULL,
      step = NULL, error = NULL, updated_at = $now
    WHERE id = $id AND status IN ('completed', 'failed')`);
  const touch = database.prepare(`UPDATE jobs SET updated_at = $now WHERE id = $id`);
  const cancel = database.prepare(`
    UPDATE jobs SET status = 'failed', error = $error, step = NULL, held_by = NULL, lease_until = NULL,
      updated_at = $now
    WHERE project_id = $projectId AND id = $id AND status = 'active'`);
  const archive = database.prepare(`
    UPDATE jobs SET status = 'archived', archived_at = $now, updated_at = $now
    WHERE project_id = $projectId AND id = $id AND status IN ('completed', 'failed')`);
  // What was written later than now tells of a clock that was set back: no delay is worth the difference.
  const claimNext = database.prepare(`
    UPDATE jobs SET held_by = $worker, lease_until = $until, attempt = attempt + 1,
      claim_number = claim_number + 1, updated_at = $now
    WHERE seq = (
      SELECT seq FROM jobs
      WHERE status = 'active' AND (not_before <= $now OR updated_at > $now) AND (held_by IS NULL OR lease_until <= $now)
      ORDER BY seq LIMIT 1)
    RETURNING *`);
  const heartbeat = database.prepare(`UPDATE jobs SET lease_until = $until WHERE ${held}`);
  const record = database.prepare(`
    UPDATE jobs SET step = COALESCE($step, step), model = COALESCE($model, model),
      repository = COALESCE($repository, repository), work = COALESCE($work, work), updated_at = $now
    WHERE ${held}`);
  const end = database.prepare(`
    UPDATE jobs SET status = $status, error = $error, summary = COALESCE($summary, summary),
      model = COALESCE($model, model), step = NULL, held_by = NULL, lease_until = NULL, updated_at = $now
    WHERE ${held}`);
  const goOn = database.prepare(`
    UPDATE jobs SET summary = COALESCE($summary, summary), model = COALESCE($model, model), step = NULL,
      attempt = 0, not_before = 0, held_by = NULL, lease_until = NULL, updated_at = $now
    WHERE ${held}`);
  const release = database.prepare(`
    UPDATE jobs SET held_by = NULL, lease_until = NULL, not_before = $notBefore,
      attempt = attempt - $uncounted, updated_at = $now
    WHERE ${held}`);
  const endLeases = database.prepare(`
    UPDATE jobs SET held_by = NULL, lease_until = NULL WHERE status = 'active' AND held_by IS NOT NULL`);
  const countActive = database.prepare(`SELECT count(*) AS n FROM jobs WHERE status = 'active'`);

  const insertMessage = database.prepare(`
    INSERT INTO messages (job_id, number, project_id, prompt, created_at)
    SELECT $id, COALESCE((SELECT max(number) FROM messages WHERE job_id = $id), -1) + 1, $projectId, $prompt, $now`);
  const selectMessages = database.prepare(`SELECT * FROM messages WHERE job_id = $id ORDER BY number`);
  const settle = database.prepare(`
    UPDATE messages SET settled_at = $now, summary = $summary WHERE job_id = $id AND number = $message`);
  const settleAll = database.prepare(`
    UPDATE messages SET settled_at = $now WHERE job_id = $id AND settled_at IS NULL`);
  const countUnsettled = database.prepare(`
    SELECT count(*) AS n FROM messages WHERE job_id = $id AND settled_at IS NULL`);
  /** The one whose going out of the window makes room for one more; none while there is room. */
  const quotaFiller = database.prepare(`
    SELECT created_at FROM messages
    WHERE project_id = $projectId AND created_at > $since AND (number = 0) = $creates
    ORDER BY created_at DESC LIMIT 1 OFFSET $most - 1`);

  const insertEvent = database.prepare(`
    INSERT INTO events (job_id, id, type, at, message)
    SELECT $id, COALESCE((SELECT max(id) FROM events WHERE job_id = $id), 0) + 1, $type, $now, $message`);
  const insertHeldEvent = database.prepare(`
    INSERT INTO events (job_id, id, type, at, message)
    SELECT id, COALESCE((SELECT max(id) FROM events WHERE job_id = $id), 0) + 1, $type, $now, $message
    FROM jobs WHERE ${held}`);
  const selectEvents = database.prepare(`
    SELECT * FROM events WHERE job_id = $id AND id > $after ORDER BY id LIMIT $limit`);

  const selectIdempotency = database.prepare(`
    SELECT fingerprint, job_id FROM idempotency WHERE scope = $scope AND key = $key`);
  const insertIdempotency = database.prepare(`
    INSERT INTO idempotency (scope, key, fingerprint, job_id, created_at)
    VALUES ($scope, $key, $fingerprint, $id, $now)`);
  const forgetIdempotency = database.prepare(`DELETE FROM idempotency WHERE created_at < $before`);
  const dataVersion = database.prepare(`PRAGMA data_version`);

  const changed = (result: { changes: number | bigint }): boolean => Number(result.changes) > 0;
  const count = (row: Row | undefined): number => Number(row?.['n']);

  return {
    insertJob: (job: NewJob, now: number): Row => present(insertJob.get({ ...job, now })),
    job: (projectId: string, id: string): Row | undefined => selectJob.get({ projectId, id }),
    page: (query: {
      projectId: string;
      status: JobStatus | null;
      cursor: string | null;
      limit: number;
    }): Row[] => selectPage.all(query),
    reactivate: (id: string, now: number): boolean => changed(reactivate.run({ id, now })),
    touch: (id: string, now: number): boolean => changed(touch.run({ id, now })),
    cancel: (projectId: string, id: string, error: string, now: number): boolean =>
      changed(cancel.run({ projectId, id, error, now })),
    archive: (projectId: string, id: string, now: number): boolean =>
      changed(archive.run({ projectId, id, now })),
    claimNext: (worker: string, until: number, now: number): Row | undefined =>
      claimNext.get({ worker, until, now }),
    heartbeat: (hold: Hold, until: number): boolean => changed(heartbeat.run({ ...hold, until })),
    record: (
      hold: Hold,
      change: { step: string | null; model: string | null; repository: string | null; work: string | null },
      now: number,
    ): boolean => changed(record.run({ ...hold, ...change, now })),
    end: (
      hold: Hold,
      result: { status: JobStatus; error: string | null; summary: string | null; model: string | null },
      now: number,
    ): boolean => changed(end.run({ ...hold, ...result, now })),
    goOn: (hold: Hold, result: { summary: string | null; model: string | null }, now: number): boolean =>
      changed(goOn.run({ ...hold, ...result, now })),
    release: (hold: Hold, notBefore: number, uncounted: boolean, now: number): boolean =>
      changed(release.run({ ...hold, notBefore, uncounted: Number(uncounted), now })),
    endLeases: (): number => Number(endLeases.run().changes),
    countActive: (): number => count(countActive.get()),

    insertMessage: (id: string, projectId: string, prompt: string, now: number): void =>
      void insertMessage.run({ id, projectId, prompt, now }),
    messages: (id: string): Row[] => selectMessages.all({ id }),
    settle: (id: string, message: number, summary: string | null, now: number): void =>
      void settle.run({ id, message, summary, now }),
    settleAll: (id: string, now: number): void => void settleAll.run({ id, now }),
    countUnsettled: (id: string): number => count(countUnsettled.get({ id })),
    quotaFiller: (projectId: string, creates: boolean, most: number, since: number): Row | undefined =>
      quotaFiller.get({ projectId, creates: Number(creates), most, since }),

    insertEvent: (id: string, type: EventType, message: string, now: number): void =>
      void insertEvent.run({ id, type, message, now }),
    insertHeldEvent: (hold: Hold, type: EventType, message: string, now: number): boolean =>
      changed(insertHeldEvent.run({ ...hold, type, message, now })),
    events: (id: string, after: number, limit: number): Row[] => selectEvents.all({ id, after, limit }),

    idempotency: (scope: string, key: string): Row | undefined => selectIdempotency.get({ scope, key }),
    insertIdempotency: (scope: string, key: string, fingerprint: string, id: string, now: number): void =>
      void insertIdempotency.run({ scope, key, fingerprint, id, now }),
    forgetIdempotency: (before: number): void => void forgetIdempotency.run({ before }),
    /** Another number when another connection has written since the last look. */
    dataVersion: (): number => Number(dataVersion.get()?.['data_version']),
  };
}

export type JobStatements = ReturnType<typeof jobStatements>;
