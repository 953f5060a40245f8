import type { ReviewActionResult, ReviewView } from '../../service/ports/reviews.ts';

/** How the lines of a change stand: below each other, or before and after beside each other. */
export type DiffMode = 'unified' | 'split';

/** One request for a review page, with everything that the page shows. */
export interface ShownReview {
  readonly view: ReviewView;
  readonly mode: DiffMode;
  /** Index of the only file that is shown, with more of its lines. */
  readonly alone: number | undefined;
  /** What the last click did. */
  readonly outcome: ReviewActionResult | undefined;
  /** Path of the page, without a query. */
  readonly address: string;
  /** Proves that a form came from this page. */
  readonly formToken: string;
  readonly nonce: string;
}
