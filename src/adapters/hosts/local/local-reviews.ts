import type { Project } from '../../../contract/project.ts';
import type { ProjectStore } from '../../../service/ports/project-store.ts';
import type {
  Review,
  ReviewActionResult,
  Reviews,
  ReviewStore,
  ReviewView,
} from '../../../service/ports/reviews.ts';
import type { Workspaces } from '../../../service/ports/workspaces.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { mergedByHand } from './merged-by-hand.ts';

export interface LocalReviewsOptions {
  readonly store: ReviewStore;
  readonly workspaces: Workspaces;
  readonly projects: ProjectStore;
}

/** A person waits for the page: what takes longer than this is shown as it was last known. */
const lookTimeMs = 20_000;

/** What the review page shows and does, over the store and git. */
export class LocalReviews implements Reviews {
  readonly #store: ReviewStore;
  readonly #workspaces: Workspaces;
  readonly #projects: ProjectStore;

  constructor({ store, workspaces, projects }: LocalReviewsOptions) {
    this.#store = store;
    this.#workspaces = workspaces;
    this.#projects = projects;
  }

  async view(token: string): Promise<ReviewView | undefined> {
    const found = await this.#find(token);
    if (!found) return undefined;
    const { project } = found;
    const signal = AbortSignal.timeout(lookTimeMs);
    const repository = await this.#workspaces.inspect(project, signal);
    const review = await this.#settle(found.review, project, signal);
    const { baseCommit, headCommit } = review;
    const [change, commits, diff] = await Promise.all([
      this.#workspaces.change(project, baseCommit, headCommit),
      this.#workspaces.commits(project, baseCommit, headCommit),
      this.#workspaces.diff(project, baseCommit, headCommit),
    ]);
    return {
      review,
      repository: repository.displayUrl,
      files: change.files,
      commits,
      diff,
      canCheckOut: repository.remoteUrl === undefined && repository.checkout !== undefined,
    };
  }

  async merge(token: string): Promise<ReviewActionResult | undefined> {
    return this.#act(token, async (review, project) => {
      const message = `Merge "${review.title}"`;
      const result = await this.#workspaces.merge(project, review.branch, review.headCommit, message);
      switch (result.kind) {
        case 'merged':
          await this.#store.updateReview(token, { state: 'merged', mergeCommit: result.commit });
          return { done: true, message: `Merged into ${review.baseBranch}.` };
        case 'conflict':
          return { done: false, message: conflictSentence(review, result.paths) };
        case 'refused':
          return { done: false, message: result.reason };
      }
    });
  }

  async close(token: string): Promise<ReviewActionResult | undefined> {
    return this.#act(token, async () => {
      await this.#store.updateReview(token, { state: 'closed' });
      return { done: true, message: 'Closed. The branch stays, nothing was merged.' };
    });
  }

  async checkOut(token: string): Promise<ReviewActionResult | undefined> {
    return this.#act(token, async (review, project) => {
      const result = await this.#workspaces.checkOut(project, review.branch, review.headCommit);
      return result.kind === 'checked_out'
        ? { done: true, message: `The branch ${review.branch} is checked out now.` }
        : { done: false, message: result.reason };
    });
  }

  async #find(token: string): Promise<{ review: Review; project: Project } | undefined> {
    const review = await this.#store.reviewByToken(token);
    const project = review && (await this.#projects.get(review.projectId));
    return project && { review, project };
  }

  /** A review of work that was merged with git is shown as merged. When git cannot tell, as it was. */
  async #settle(review: Review, project: Project, signal: AbortSignal): Promise<Review> {
    if (review.state !== 'open') return review;
    try {
      if (!(await mergedByHand(this.#workspaces, project, review, signal))) return review;
    } catch (error) {
      if (error instanceof ServiceError) return review;
      throw error;
    }
    await this.#store.updateReview(review.token, { state: 'merged' });
    return { ...review, state: 'merged' };
  }

  /** What git refuses is an answer on the page, with its sentence; anything else is a defect. */
  async #act(
    token: string,
    action: (review: Review, project: Project) => Promise<ReviewActionResult>,
  ): Promise<ReviewActionResult | undefined> {
    const found = await this.#find(token);
    if (!found) return undefined;
    const { review, project } = found;
    if (review.state !== 'open') {
      return { done: false, message: `This review is ${review.state} already. Nothing was changed.` };
    }
    try {
      return await action(review, project);
    } catch (error) {
      if (error instanceof ServiceError) return { done: false, message: error.message };
      throw error;
    }
  }
}

function conflictSentence(review: Review, paths: readonly string[]): string {
  const shown = paths.slice(0, 10).join(', ');
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : '';
  return (
    `Nothing was merged: ${review.baseBranch} was changed in the same places (${shown}${more}). ` +
    `Ask for the change again in a new job, or merge the branch ${review.branch} with git.`
  );
}
