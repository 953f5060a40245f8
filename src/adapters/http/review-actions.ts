import type { Review } from '../../service/ports/reviews.ts';
import { type Html, html } from './html.ts';
import { icon } from './review-icons.ts';
import type { ShownReview } from './shown-review.ts';
import { pages, time } from './review-words.ts';

/** What can be done with a review, by the last part of the path. */
export const reviewActions = ['merge', 'close', 'checkout'] as const;
export type ReviewAction = (typeof reviewActions)[number];

/** What happens next, in words, and the buttons for it. Each asks once more, without a script too. */
export function actions(page: ShownReview): Html {
  const { review } = page.view;
  switch (review.state) {
    case 'open':
      return openActions(page);
    case 'merged':
      return html`<section class="next merged" aria-label="What happens next">
        <div>
          <p class="lead">This change is part of <code>${review.baseBranch}</code>.</p>
          <p>There is nothing left to do here. ${mergeNote(page)}</p>
        </div>
      </section>`;
    case 'closed':
      return html`<section class="next closed" aria-label="What happens next">
        <div>
          <p class="lead">This pull request was closed ${time(review.updatedAt)} without merging.</p>
          <p>
            <code>${review.baseBranch}</code> is as it was. The work is still on the branch
            <code><bdi>${review.branch}</bdi></code
            >.
          </p>
        </div>
      </section>`;
  }
}

function mergeNote({ view }: ShownReview): Html {
  const commit = view.review.mergeCommit;
  return html`${commit !== undefined && html`The merge is commit <code>${commit.slice(0, 7)}</code>. `}${
    !view.canCheckOut && html`To have it in your folder, pull <code>${view.review.baseBranch}</code>.`
  }`;
}

function openActions(page: ShownReview): Html {
  const { review, files, canCheckOut } = page.view;
  return html`<section class="next open" aria-label="What happens next">
    <div>
      <p class="lead">Read the changes below, then decide.</p>
      <p>
        Nothing has changed in <code>${review.baseBranch}</code> yet. To have something done differently, send
        a follow-up to the job in VS Code: it arrives in this pull request.
      </p>
    </div>
    <div class="buttons">
      ${action(page, 'merge', {
        label: 'Merge',
        question: html`Put ${pages(files.length)} into
          <code>${review.baseBranch}</code>?${mergeHint(review, canCheckOut)}`,
        confirm: 'Yes, merge',
      })}
      ${
        canCheckOut &&
        action(page, 'checkout', {
          label: 'Check out branch',
          question: html`Switch your folder to <code><bdi>${review.branch}</bdi></code
            >, to try the change out? Save your open files first.`,
          confirm: 'Yes, check out',
        })
      }
      ${action(page, 'close', {
        label: 'Close',
        question: html`Close without merging? <code>${review.baseBranch}</code> stays as it is, and so does
          the branch.`,
        confirm: 'Yes, close',
      })}
    </div>
  </section>`;
}

function mergeHint(review: Review, canCheckOut: boolean): Html {
  return canCheckOut
    ? html` This changes the repository in your folder. With unsaved or uncommitted work in the way, nothing
      is touched.`
    : html` The files in your folder stay as they are until you pull <code>${review.baseBranch}</code>.`;
}

interface ActionText {
  readonly label: string;
  readonly question: Html;
  readonly confirm: string;
}

/** A button that unfolds its question; opening one folds the others, because they share a name. */
function action({ address, formToken, mode }: ShownReview, name: ReviewAction, text: ActionText): Html {
  return html`<details class="action ${name}" name="action">
    <summary>${icon(name)}${text.label}</summary>
    <form method="post" action="${address}/${name}">
      <p>${text.question}</p>
      <input type="hidden" name="token" value="${formToken}" /><input
        type="hidden"
        name="view"
        value="${mode}"
      /><button>${text.confirm}</button>
    </form>
  </details>`;
}
