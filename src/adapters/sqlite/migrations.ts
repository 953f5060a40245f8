import type { DatabaseSync } from 'node:sqlite';

/** The database was written by a newer version of Docs Agent. */
export class NewerSchemaError extends Error {
  constructor(found: number, known: number) {
    super(
      `The job database has format ${found}, and this version of Docs Agent knows formats up to ${known}. ` +
        'Update Docs Agent, or start it with another data folder.',
    );
    this.name = 'NewerSchemaError';
  }
}

/**
 * Number n takes the database from format n to n + 1. Never edited once released: a change of the tables
 * is a new entry at the end. Types and constraints are those that PostgreSQL shares: bigint for
 * milliseconds and counters, text for JSON.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    project TEXT NOT NULL
  );

  CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    status TEXT NOT NULL,
    title TEXT NOT NULL,
    prompt TEXT NOT NULL,
    model TEXT NOT NULL,
    repository TEXT NOT NULL,
    step TEXT,
    work TEXT NOT NULL DEFAULT '{}',
    summary TEXT,
    error TEXT,
    attempt BIGINT NOT NULL DEFAULT 0,
    claim_number BIGINT NOT NULL DEFAULT 0,
    held_by TEXT,
    lease_until BIGINT,
    not_before BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    archived_at BIGINT
  );
  CREATE INDEX jobs_of_project ON jobs (project_id, seq);
  CREATE INDEX jobs_active ON jobs (seq) WHERE status = 'active';

  CREATE TABLE messages (
    job_id TEXT NOT NULL REFERENCES jobs (id),
    number BIGINT NOT NULL,
    project_id TEXT NOT NULL,
    prompt TEXT NOT NULL,
    summary TEXT,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    PRIMARY KEY (job_id, number)
  );
  CREATE INDEX messages_of_project ON messages (project_id, created_at);

  CREATE TABLE events (
    job_id TEXT NOT NULL REFERENCES jobs (id),
    id BIGINT NOT NULL,
    type TEXT NOT NULL,
    at BIGINT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (job_id, id)
  );

  CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    job_id TEXT NOT NULL REFERENCES jobs (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
  );
  CREATE INDEX idempotency_by_age ON idempotency (created_at);

  CREATE TABLE reviews (
    token TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    job_id TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    branch TEXT NOT NULL,
    base_branch TEXT NOT NULL,
    base_commit TEXT NOT NULL,
    head_commit TEXT NOT NULL,
    state TEXT NOT NULL,
    merge_commit TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (project_id, number)
  );
  CREATE UNIQUE INDEX reviews_open ON reviews (project_id, branch) WHERE state = 'open';
  `,
  // Before jobs could choose, there was this one agent.
  `ALTER TABLE jobs ADD COLUMN agent TEXT NOT NULL DEFAULT 'rules';`,
];

function formatOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Brings the tables up to date, each step whole or not at all. Throws {@link NewerSchemaError}. */
export function migrate(database: DatabaseSync): void {
  refuseNewer(formatOf(database));
  if (formatOf(database) === migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have migrated meanwhile.
    const format = formatOf(database);
    refuseNewer(format);
    for (const sql of migrations.slice(format)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function refuseNewer(format: number): void {
  if (format > migrations.length) throw new NewerSchemaError(format, migrations.length);
}
