import assert from 'node:assert/strict';
import { reviewPage } from '../../src/adapters/http/review-page.ts';
import { renderMarkdown } from '../../src/adapters/http/review-markdown.ts';
import type { ShownReview } from '../../src/adapters/http/shown-review.ts';
import { reviewView } from '../support/review-views.ts';

function page(shown: Partial<ShownReview> = {}): string {
  return reviewPage({
    view: reviewView(),
    mode: 'unified',
    alone: undefined,
    outcome: undefined,
    address: '/review/review-token',
    formToken: 'form-token',
    nonce: 'n0nce',
    ...shown,
  });
}

/** What a reader without pictures hears, roughly. */
function text(html: string): string {
  return html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

const hostile = `</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>"'><b onclick=x>&amp;`;

describe('The review page', () => {
  it('says in words what it is, in which state, and what happens next', () => {
    const open = text(page());
    assert.match(open, /Pull request 7/);
    assert.match(open, /Open/);
    assert.match(open, /1 changed page from docs-agent\/replace-log-in into main/);
    assert.match(open, /Read the changes below, then decide\./);
    assert.match(open, /Yes, merge.*Yes, close/);

    const merged = text(page({ view: reviewView({ state: 'merged', mergeCommit: 'abcdef0123' }) }));
    assert.match(merged, /Merged/);
    assert.match(merged, /The merge is commit abcdef0/);
    assert.doesNotMatch(merged, /Yes, merge/);

    const closed = text(page({ view: reviewView({ state: 'closed' }) }));
    assert.match(closed, /closed .* without merging/);
    assert.doesNotMatch(closed, /Yes, merge/);
  });

  it('offers to check out only where that is possible', () => {
    assert.doesNotMatch(page(), /Check out branch/);
    assert.match(page({ view: reviewView({}, { canCheckOut: true }) }), /Check out branch/);
  });

  it('lets nothing of a hostile text become part of the page', () => {
    const files = [
      {
        path: `${hostile}.md`,
        previousPath: `${hostile}/old.md`,
        change: 'renamed',
        addedLines: 1,
        removedLines: 1,
      },
    ] as const;
    const diff = `diff --git a/x.md b/x.md\n--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-${hostile}\n+${hostile}!\n`;
    const view = reviewView(
      {
        title: hostile,
        body: `${hostile}\n\n${hostile}`,
        branch: hostile,
        baseBranch: hostile,
        mergeCommit: hostile,
      },
      {
        repository: hostile,
        files: [...files, { path: 'x.md', change: 'modified', addedLines: 1, removedLines: 1 }],
        diff,
        commits: [{ id: hostile, subject: hostile, author: hostile, at: 0 }],
        canCheckOut: true,
      },
    );
    for (const state of ['open', 'merged', 'closed'] as const) {
      for (const mode of ['unified', 'split'] as const) {
        const html = page({
          view: { ...view, review: { ...view.review, state } },
          mode,
          outcome: { done: false, message: hostile },
        });
        assert.equal(html.match(/<script/g)?.length, 1, 'only the own script');
        assert.equal(html.match(/<style/g)?.length, 1, 'only the own style');
        assert.equal(html.match(/<\/title>/g)?.length, 1);
        assert.doesNotMatch(html, /<img|<b onclick/);
        assert.doesNotMatch(html.replace(/<script[\s\S]*<\/script>/, ''), /<[^>]+\son\w+=/);
      }
    }
  });

  it('writes out characters that turn text around or that nobody sees', () => {
    const diff =
      'diff --git a/docs/a.md b/docs/a.md\n--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-a\n+a\u202Eb\u200Bc\u0007\n';
    const html = page({ view: reviewView({}, { diff }) });
    assert.match(html, /U\+202E/);
    assert.match(html, /U\+200B/);
    assert.match(html, /U\+0007/);
    assert.ok(!html.includes('\u202E'));
  });

  it('leaves emoji and letters of other scripts as they are', () => {
    const words = '👩‍💻 می‌خواهم ü';
    const diff = `diff --git a/docs/a.md b/docs/a.md\n--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1,2 @@\n a\n+${words}\n`;
    assert.ok(page({ view: reviewView({}, { diff }) }).includes(words));
  });

  it('says added and removed in words beside the colours', () => {
    for (const mode of ['unified', 'split'] as const) {
      const heard = text(page({ mode }));
      assert.match(heard, /Removed: Please log in\./);
      assert.match(heard, /Added: Please sign in\./);
      assert.match(heard, /1 lines added, .*1 removed/);
    }
  });

  it('shows both ways to look at the change and marks the current one', () => {
    const html = page({ mode: 'split' });
    assert.match(html, /view=unified#changes/);
    assert.match(html, /view=split#changes"\s+aria-current="true"/);
    assert.match(html, /<table class="diff split">/);
  });

  it('cuts a file that is too long, says so, and shows more of it alone', () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `+line ${i}\n`).join('');
    const diff = `diff --git a/docs/a.md b/docs/a.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/a.md\n@@ -0,0 +1,1000 @@\n${lines}`;
    const view = reviewView({}, { diff });
    const cut = page({ view });
    assert.match(text(cut), /600 more lines of this change are not shown/);
    assert.match(cut, /file=0#changes/);
    const alone = page({ view, alone: 0 });
    assert.match(text(alone), /line 999/);
    assert.match(text(alone), /Show all pages/);
  });

  it('stays below three megabytes for a change of a thousand pages', () => {
    const paths = Array.from({ length: 1_000 }, (_, i) => `docs/page-${i}.md`);
    const files = paths.map(
      (path) => ({ path, change: 'modified', addedLines: 50, removedLines: 50 }) as const,
    );
    const diff = paths
      .map(
        (path) =>
          `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,50 +1,50 @@\n${'-Please log in.\n'.repeat(50)}${'+Please sign in.\n'.repeat(50)}`,
      )
      .join('');
    const size = page({ view: reviewView({}, { files, diff }), mode: 'split' }).length;
    assert.ok(size < 3_000_000, String(size));
  });

  it('tells a renamed page and a file that is no text', () => {
    const diff =
      'diff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ\n';
    const heard = text(
      page({
        view: reviewView(
          {},
          {
            diff: `diff --git a/a.md b/b.md\nsimilarity index 100%\nrename from a.md\nrename to b.md\n${diff}`,
            files: [
              { path: 'b.md', previousPath: 'a.md', change: 'renamed', addedLines: 0, removedLines: 0 },
              { path: 'logo.png', change: 'modified', addedLines: 0, removedLines: 0 },
            ],
          },
        ),
      }),
    );
    assert.match(heard, /a\.md is now → b\.md/);
    assert.match(heard, /Renamed without a change in its text\./);
    assert.match(heard, /This file is not text/);
  });
});

describe('The description of a pull request', () => {
  const cases: readonly [string, string, RegExp, RegExp?][] = [
    ['tables', '| a | b |\n|---|---|\n| 1 | 2 |', /<table>/],
    ['headings below those of the page', '# Top\n\n###### Low', /<h3>Top<\/h3>[\s\S]*<h6>Low<\/h6>/, /<h1/],
    ['HTML as text', 'a <img src=x onerror=alert(1)> b', /&lt;img/, /<img/],
    ['a block of HTML as text', '<script>\nalert(1)\n</script>', /&lt;script&gt;/, /<script/],
    ['Markdown in HTML as Markdown', '<div>\n\n**x**\n\n</div>', /<strong>x<\/strong>/, /<div/],
    [
      'images as links, so that nothing is loaded',
      '![pixel](https://evil.example/p.png)',
      /<a href="https:\/\/evil/,
      /<img/,
    ],
    [
      'no address that runs a script',
      '[x](javascript:alert(1)) [y](data:text/html,z)',
      /<a href="">/,
      /javascript|data:/,
    ],
    [
      'no comment',
      'before\n\n<!-- docs-agent: job_1\nmore -->\n\nafter',
      /before[\s\S]*after/,
      /docs-agent|job_1/,
    ],
    ['comments inside a line as text', 'x <!-- y --> z', /&lt;!-- y --&gt;/],
    ['headings of the text itself as text', '<h1>x</h1>', /&lt;h1&gt;/, /<h1|<h3/],
  ];
  for (const [what, markdown, has, hasNot] of cases) {
    it(`shows ${what}`, () => {
      const html = renderMarkdown(markdown).text;
      assert.match(html, has);
      if (hasNot) assert.doesNotMatch(html, hasNot);
    });
  }

  it('shows a comment that never ends, and what stands behind one', () => {
    assert.match(renderMarkdown('a\n\n<!-- b\n\nc').text, /&lt;!-- b[\s\S]*c/);
    assert.match(renderMarkdown('<!-- b --> c').text, /&lt;!-- b --&gt; c/);
    assert.equal(renderMarkdown('<!-- a -->\n<!-- b -->\r\nc').text, '<p>c</p>');
  });

  const slow = [
    '<!--',
    '<!--\n',
    '[',
    '[a](',
    '*a ',
    '_a*b',
    '`',
    '> ',
    '>\n> ',
    '- ',
    '+ ',
    '1. ',
    '| ',
    '<a ',
    '&',
  ];
  for (const piece of slow) {
    it(`is done soon with text that was made to be slow: ${JSON.stringify(piece)} over and over`, () => {
      // No clock: what is cut keeps the work small, and without the cuts this is seen, or takes minutes.
      const html = renderMarkdown(piece.repeat(2_000_000 / piece.length)).text;
      assert.ok(html.length < 400_000, `${html.length} characters`);
      assert.ok((html.match(/<(?:blockquote|ul|ol)>/g)?.length ?? 0) <= 2_000, 'nested too deeply');
    }).timeout(20_000);
  }
});
