import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { PullRequestState } from '../../service/ports/code-host.ts';
import type { Review, ReviewStore } from '../../service/ports/reviews.ts';
import { inTransaction } from './database.ts';
import { present } from './job-rows.ts';

type NewReview = Parameters<ReviewStore['createReview']>[0];
type ReviewChange = Parameters<ReviewStore['updateReview']>[1];
type Row = Record<string, SQLOutputValue>;

/** The statements on reviews, one function each. */
function reviewStatements(database: DatabaseSync) {
  const selectOpen = database.prepare(
    `SELECT * FROM reviews WHERE project_id = $projectId AND branch = $branch AND state = 'open'`,
  );
  const selectByNumber = database.prepare(
    `SELECT * FROM reviews WHERE project_id = $projectId AND number = $number`,
  );
  const selectByToken = database.prepare(`SELECT * FROM reviews WHERE token = $token`);
  const insert = database.prepare(`
    INSERT INTO reviews (token, project_id, number, job_id, title, body, branch, base_branch, base_commit,
      head_commit, state, created_at, updated_at)
    SELECT $token, $projectId, COALESCE((SELECT max(number) FROM reviews WHERE project_id = $projectId), 0) + 1,
      $jobId, $title, $body, $branch, $baseBranch, $baseCommit, $headCommit, 'open', $now, $now
    RETURNING *`);
  const update = database.prepare(`
    UPDATE reviews SET title = COALESCE($title, title), body = COALESCE($body, body),
      head_commit = COALESCE($headCommit, head_commit), state = COALESCE($state, state),
      merge_commit = COALESCE($mergeCommit, merge_commit), updated_at = $now
    WHERE token = $token`);
  return {
    open: (projectId: string, branch: string): Row | undefined => selectOpen.get({ projectId, branch }),
    byNumber: (projectId: string, number: number): Row | undefined =>
      selectByNumber.get({ projectId, number }),
    byToken: (token: string): Row | undefined => selectByToken.get({ token }),
    insert: (review: NewReview, now: number): Row =>
      present(
        insert.get({
          token: review.token,
          projectId: review.projectId,
          jobId: review.jobId,
          title: review.title,
          body: review.body,
          branch: review.branch,
          baseBranch: review.baseBranch,
          baseCommit: review.baseCommit,
          headCommit: review.headCommit,
          now,
        }),
      ),
    update: (token: string, change: ReviewChange, now: number): void =>
      void update.run({
        token,
        title: change.title ?? null,
        body: change.body ?? null,
        headCommit: change.headCommit ?? null,
        state: change.state ?? null,
        mergeCommit: change.mergeCommit ?? null,
        now,
      }),
  };
}

/** The local code host's pull requests in SQLite. */
export class SqliteReviewStore implements ReviewStore {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof reviewStatements>;
  readonly #now: () => number;

  constructor(database: DatabaseSync, now: () => number = Date.now) {
    this.#database = database;
    this.#sql = reviewStatements(database);
    this.#now = now;
  }

  async createReview(review: NewReview): Promise<Review> {
    return inTransaction(this.#database, () =>
      toReview(this.#sql.open(review.projectId, review.branch) ?? this.#sql.insert(review, this.#now())),
    );
  }

  async openReview(projectId: string, branch: string): Promise<Review | undefined> {
    return maybeReview(this.#sql.open(projectId, branch));
  }

  async reviewByNumber(projectId: string, number: number): Promise<Review | undefined> {
    return maybeReview(this.#sql.byNumber(projectId, number));
  }

  async reviewByToken(token: string): Promise<Review | undefined> {
    return maybeReview(this.#sql.byToken(token));
  }

  async updateReview(token: string, change: ReviewChange): Promise<void> {
    this.#sql.update(token, change, this.#now());
  }
}

function maybeReview(row: Row | undefined): Review | undefined {
  return row && toReview(row);
}

function toReview(row: Row): Review {
  const text = (name: string): string => String(row[name]);
  return {
    token: text('token'),
    number: Number(row['number']),
    jobId: text('job_id'),
    projectId: text('project_id'),
    title: text('title'),
    body: text('body'),
    branch: text('branch'),
    baseBranch: text('base_branch'),
    baseCommit: text('base_commit'),
    headCommit: text('head_commit'),
    state: text('state') as PullRequestState,
    mergeCommit: row['merge_commit'] === null ? undefined : text('merge_commit'),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
  };
}
