import type { DatabaseSync } from 'node:sqlite';
import type { JobEvent, EventType } from '../../contract/events.ts';
import type { JobError, JobStatus } from '../../contract/job.ts';
import { lifecycleTexts } from '../../service/lifecycle-texts.ts';
import type { Job, JobWork } from '../../service/job.ts';
import type {
  Claim,
  Forgotten,
  Idempotency,
  JobStore,
  NewJob,
  Outcome,
  Quota,
  Release,
  Retention,
  Stored,
} from '../../service/ports/job-store.ts';
import { inTransaction } from './database.ts';
import { forget } from './forget.ts';
import { present, toEvent, toJob, toMessage } from './job-rows.ts';
import { jobStatements, type Hold, type JobStatements } from './job-statements.ts';

/** How often other processes' writes are looked for, in milliseconds: one PRAGMA that reads no page. */
const otherProcessesMs = 1000;
/** Idempotency keys are kept for a week: far longer than anybody repeats a request. */
const idempotencyKeptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Jobs in SQLite. Several stores, in one process or many, may share a file. Text is kept as it is, except
 * that NUL and lone surrogates become U+FFFD: PostgreSQL takes neither, and both stores must agree.
 */
export class SqliteJobStore implements JobStore {
  readonly #database: DatabaseSync;
  readonly #sql: JobStatements;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #watch: NodeJS.Timeout | undefined;
  #seen = 0;

  /** @param database from `openDatabase`; whoever opened it closes it. @param now milliseconds since the epoch */
  constructor(database: DatabaseSync, now: () => number = Date.now) {
    this.#database = database;
    this.#now = now;
    this.#sql = jobStatements(database);
    this.#sql.forgetIdempotency(now() - idempotencyKeptMs);
  }

  async create(job: NewJob, idempotency?: Idempotency, quota?: Quota): Promise<Stored> {
    const scope = `create:${job.projectId}`;
    const now = this.#now();
    const stored = this.#write((): Stored => {
      const earlier = this.#replay(job.projectId, scope, idempotency);
      if (earlier !== undefined) return earlier;
      const full = this.#overQuota(job.projectId, true, quota, now);
      if (full !== undefined) return full;
      const row = this.#sql.insertJob(
        {
          id: job.id,
          projectId: job.projectId,
          title: clean(job.title),
          prompt: clean(job.prompt),
          agent: clean(job.agent),
          model: clean(job.model),
          repository: clean(job.repository),
        },
        now,
      );
      this.#sql.insertMessage(job.id, job.projectId, clean(job.prompt), now);
      this.#sql.insertEvent(job.id, 'created', lifecycleTexts.created, now);
      this.#remember(scope, idempotency, job.id, now);
      return { kind: 'stored', job: toJob(row) };
    });
    if (stored.kind === 'stored') this.#wake();
    return stored;
  }

  async get(projectId: string, id: string): Promise<Job | undefined> {
    const row = this.#sql.job(projectId, id);
    return row && toJob(row);
  }

  async list(
    projectId: string,
    query: { limit: number; cursor?: string; status?: JobStatus },
  ): Promise<{ jobs: Job[]; cursor: string | undefined }> {
    const { limit, cursor = null, status = null } = query;
    // One more than asked for tells whether there is a next page.
    const rows = this.#sql.page({ projectId, status, cursor, limit: limit + 1 });
    const jobs = rows.slice(0, limit).map(toJob);
    return { jobs, cursor: rows.length > limit ? jobs.at(-1)?.id : undefined };
  }

  async addMessage(
    projectId: string,
    id: string,
    prompt: string,
    idempotency?: Idempotency,
    quota?: Quota,
  ): Promise<Stored | { kind: 'archived' } | undefined> {
    const scope = `message:${id}`;
    const now = this.#now();
    const stored = this.#write((): Stored | { kind: 'archived' } | undefined => {
      const status = this.#sql.job(projectId, id)?.['status'];
      if (status === undefined) return undefined;
      const earlier = this.#replay(projectId, scope, idempotency);
      if (earlier !== undefined) return earlier;
      if (status === 'archived') return { kind: 'archived' };
      const full = this.#overQuota(projectId, false, quota, now);
      if (full !== undefined) return full;
      if (!this.#sql.reactivate(id, now)) this.#sql.touch(id, now);
      this.#sql.insertMessage(id, projectId, clean(prompt), now);
      this.#sql.insertEvent(id, 'message', lifecycleTexts.message, now);
      this.#remember(scope, idempotency, id, now);
      return { kind: 'stored', job: toJob(present(this.#sql.job(projectId, id))) };
    });
    if (stored?.kind === 'stored') this.#wake();
    return stored;
  }

  async cancel(projectId: string, id: string, error: JobError): Promise<boolean> {
    const now = this.#now();
    return this.#write(() => {
      if (!this.#sql.cancel(projectId, id, JSON.stringify(error), now)) return false;
      this.#sql.settleAll(id, now);
      this.#sql.insertEvent(id, 'cancelled', clean(error.message), now);
      return true;
    });
  }

  async archive(projectId: string, id: string): Promise<boolean> {
    const now = this.#now();
    return this.#write(() => {
      if (!this.#sql.archive(projectId, id, now)) {
        return this.#sql.job(projectId, id)?.['status'] === 'archived';
      }
      this.#sql.insertEvent(id, 'archived', lifecycleTexts.archived, now);
      return true;
    });
  }

  async claim(worker: string, leaseMs: number): Promise<Claim | undefined> {
    const now = this.#now();
    return this.#write(() => {
      const row = this.#sql.claimNext(worker, now + leaseMs, now);
      if (row === undefined) return undefined;
      const job = toJob(row);
      const messages = this.#sql.messages(job.id);
      const next = messages.find((message) => message['settled_at'] === null);
      if (next === undefined) throw new Error('An active job has no message that is to be done.');
      this.#sql.insertEvent(job.id, 'claimed', lifecycleTexts.claimed(job.attempt), now);
      return {
        job,
        number: Number(row['claim_number']),
        attempt: job.attempt,
        message: toMessage(next),
        earlier: messages.filter((message) => message['settled_at'] !== null).map(toMessage),
      };
    });
  }

  async heartbeat(claim: Claim, leaseMs: number): Promise<boolean> {
    return this.#sql.heartbeat(hold(claim), this.#now() + leaseMs);
  }

  async record(
    claim: Claim,
    change: { step?: string; model?: string; repository?: string; work?: JobWork },
  ): Promise<boolean> {
    return this.#sql.record(
      hold(claim),
      {
        step: cleanOrNull(change.step),
        model: cleanOrNull(change.model),
        repository: cleanOrNull(change.repository),
        work: change.work === undefined ? null : JSON.stringify(change.work),
      },
      this.#now(),
    );
  }

  async addEvent(claim: Claim, type: EventType, message: string): Promise<boolean> {
    return this.#sql.insertHeldEvent(hold(claim), type, clean(message), this.#now());
  }

  async finish(claim: Claim, outcome: Outcome): Promise<boolean> {
    const now = this.#now();
    const { id } = claim.job;
    const completed = outcome.status === 'completed';
    const summary = completed ? clean(outcome.summary) : null;
    const model = completed ? clean(outcome.model) : null;
    const error = completed ? null : outcome.error;
    let more = false;
    const finished = this.#write(() => {
      // Asks whether the claim is still held; within the transaction nobody can take it away.
      if (!this.#sql.heartbeat(hold(claim), now)) return false;
      this.#sql.settle(id, claim.message.number, summary, now);
      more = this.#sql.countUnsettled(id) > 0;
      if (more) {
        this.#sql.goOn(hold(claim), { summary, model }, now);
        // Not an end, so none of the words that tell one.
        this.#sql.insertEvent(id, error ? 'warning' : 'progress', lifecycleTexts.goesOn(error), now);
      } else {
        const json = error && JSON.stringify(error);
        this.#sql.end(hold(claim), { status: outcome.status, error: json, summary, model }, now);
        this.#sql.insertEvent(id, outcome.status, clean(error?.message ?? lifecycleTexts.completed), now);
      }
      return true;
    });
    if (finished && more) this.#wake();
    return finished;
  }

  async release(claim: Claim, options: Release = {}): Promise<boolean> {
    const now = this.#now();
    const notBefore = options.delayMs === undefined ? 0 : now + options.delayMs;
    const released = this.#sql.release(hold(claim), notBefore, options.uncounted ?? false, now);
    if (released && notBefore <= now) this.#wake();
    return released;
  }

  async endLeases(): Promise<number> {
    const ended = this.#sql.endLeases();
    if (ended > 0) this.#wake();
    return ended;
  }

  async forget(retention: Retention): Promise<Forgotten> {
    this.#sql.forgetIdempotency(this.#now() - idempotencyKeptMs);
    return forget(this.#database, retention, this.#now());
  }

  async events(jobId: string, after: number, limit: number): Promise<JobEvent[]> {
    return this.#sql.events(jobId, after, limit).map(toEvent);
  }

  async activeCount(): Promise<number> {
    return this.#sql.countActive();
  }

  onWork(listener: () => void): Disposable {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    if (this.#watch === undefined) {
      this.#seen = this.#sql.dataVersion();
      this.#watch = setInterval(() => this.#lookAtOthers(), otherProcessesMs).unref();
    }
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(entry);
        if (this.#listeners.size === 0) this.#stopWatching();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#stopWatching();
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #lookAtOthers(): void {
    const version = this.#sql.dataVersion();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#wake();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  #write<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  #replay(projectId: string, scope: string, idempotency: Idempotency | undefined): Stored | undefined {
    if (idempotency === undefined) return undefined;
    const row = this.#sql.idempotency(scope, clean(idempotency.key));
    if (row === undefined) return undefined;
    const job = this.#sql.job(projectId, String(row['job_id']));
    if (job === undefined || row['fingerprint'] !== idempotency.fingerprint) return { kind: 'conflict' };
    return { kind: 'replayed', job: toJob(job) };
  }

  #remember(scope: string, idempotency: Idempotency | undefined, id: string, now: number): void {
    if (idempotency === undefined) return;
    this.#sql.insertIdempotency(scope, clean(idempotency.key), idempotency.fingerprint, id, now);
  }

  #overQuota(projectId: string, creates: boolean, quota: Quota | undefined, now: number): Stored | undefined {
    if (quota === undefined) return undefined;
    const since = now - quota.withinMs;
    const filler = this.#sql.quotaFiller(projectId, creates, quota.most, since);
    return filler && { kind: 'over_quota', retryAfterMs: Number(filler['created_at']) - since };
  }
}

function hold(claim: Claim): Hold {
  return { id: claim.job.id, number: claim.number };
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function cleanOrNull(text: string | undefined): string | null {
  return text === undefined ? null : clean(text);
}
