import type { Review, ReviewView } from '../../src/service/ports/reviews.ts';

const at = Date.UTC(2026, 10, 21, 1, 2, 3);

/** A pull request of the local code host as the page gets it, with what a case is about laid over it. */
export function reviewView(review: Partial<Review> = {}, view: Partial<ReviewView> = {}): ReviewView {
  return {
    review: {
      token: 'review-token',
      number: 7,
      jobId: 'job_1',
      projectId: 'docs',
      title: 'Replace log in with sign in',
      body: '## Summary\n\nReplaced *log in* in 1 page.',
      branch: 'docs-agent/replace-log-in',
      baseBranch: 'main',
      baseCommit: '1'.repeat(40),
      headCommit: '2'.repeat(40),
      state: 'open',
      mergeCommit: undefined,
      createdAt: at,
      updatedAt: at,
      ...review,
    },
    repository: '/home/writer/docs',
    files: [{ path: 'docs/a.md', change: 'modified', addedLines: 1, removedLines: 1 }],
    commits: [{ id: '2'.repeat(40), subject: 'Replace log in', author: 'Docs Agent', at }],
    diff:
      'diff --git a/docs/a.md b/docs/a.md\nindex 1111111..2222222 100644\n--- a/docs/a.md\n+++ b/docs/a.md\n' +
      '@@ -1 +1 @@\n-Please log in.\n+Please sign in.\n',
    canCheckOut: false,
    ...view,
  };
}
