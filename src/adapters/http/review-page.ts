import type { ChangedFile, CommitInfo } from '../../service/ports/workspaces.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import { actions } from './review-actions.ts';
import { readDiff } from './review-diff.ts';
import { changeWord, counts, fileDiff, pathText } from './review-diff-view.ts';
import { icon } from './review-icons.ts';
import type { DiffMode, ShownReview } from './shown-review.ts';
import { pages, time } from './review-words.ts';
import { renderMarkdown } from './review-markdown.ts';
import { document } from './review-document.ts';

/** Lines that a reader scrolls through, and that a browser shows without a pause. */
const overview = { linesPerFile: 400, lines: 4_000 };
const oneFile = { linesPerFile: 8_000, lines: 8_000 };

const states = {
  open: { word: 'Open', icon: 'pull' },
  merged: { word: 'Merged', icon: 'merged' },
  closed: { word: 'Closed', icon: 'closed' },
} as const;

/** The page of one pull request of the local code host. */
export function reviewPage(page: ShownReview): string {
  const { view, outcome } = page;
  const { review } = view;
  const state = states[review.state];
  const body = html`<header>
      <p class="crumbs">
        ${icon('docs')}<span class="repository">${view.repository}</span
        ><span class="number">Pull request ${review.number}</span>
      </p>
      <h1 dir="auto">${review.title}</h1>
      <p class="meta">
        <span class="pill ${review.state}">${icon(state.icon)}${state.word}</span>
        <span
          >${pages(view.files.length)} from <code><bdi>${review.branch}</bdi></code> into
          <code><bdi>${review.baseBranch}</bdi></code></span
        >
        <span class="quiet">${time(review.createdAt)}</span>
      </p>
    </header>
    <main>
      ${
        outcome &&
        html`<p
          class="outcome ${outcome.done ? 'done' : 'refused'}"
          role="${outcome.done ? 'status' : 'alert'}"
          id="outcome"
          tabindex="-1"
        >
          ${icon(outcome.done ? 'check' : 'warning')}<span>${outcome.message}</span>
        </p>`
      }
      <p class="outcome refused" role="alert" id="gone" hidden>
        ${icon('warning')}<span
          >The Docs Agent service has ended itself, so this page cannot do anything now. Open the pull request
          again from VS Code.</span
        >
      </p>
      ${actions(page)}
      <div class="columns">
        <section class="card" aria-labelledby="summary">
          <h2 id="summary">About this change</h2>
          <div class="prose" dir="auto">
            ${review.body.trim() === '' ? html`<p class="quiet">There is no description.</p>` : renderMarkdown(review.body)}
          </div>
        </section>
        <div class="aside">${fileList(page)}${commitList(view.commits)}</div>
      </div>
      ${changes(page)}
    </main>`;
  return document(`${review.title} · ${state.word}`, body, page.nonce).text;
}

function fileList({ view, address, mode, alone }: ShownReview): Html {
  const items = view.files.map((file, index) => {
    const target =
      alone === undefined || alone === index ? `#file-${index}` : `${address}?view=${mode}#file-${index}`;
    return html`<li>
      <a href="${target}">${pathText(file.path)}</a
      ><span class="badge ${file.change}">${changeWord(file)}</span>${counts(file)}
    </li>`;
  });
  return card(
    'pages',
    'Changed pages',
    html`<ul class="files">
      ${items}
    </ul>`,
    view.files.length,
  );
}

function commitList(commits: readonly CommitInfo[]): Html {
  const items = commits.map(
    (commit) =>
      html`<li>
        <span class="subject" dir="auto">${commit.subject}</span>
        <span class="quiet"
          ><code>${commit.id.slice(0, 7)}</code> by <bdi>${commit.author}</bdi>, ${time(commit.at)}</span
        >
      </li>`,
  );
  return card(
    'commits',
    'Commits',
    html`<ul class="commits">
      ${items}
    </ul>`,
    commits.length,
  );
}

function card(id: string, title: string, content: HtmlValue, count: number): Html {
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title} <span class="count">${count}</span></h2>
    ${content}
  </section>`;
}

function changes(page: ShownReview): Html {
  const { view, mode, alone, address } = page;
  const read =
    alone === undefined
      ? readDiff(view.diff, overview)
      : readDiff(view.diff, oneFile, view.files[alone]?.path);
  const diffs = new Map(read.map((diff) => [diff.path, diff]));
  const shown = view.files
    .map((file, index) => ({ file, index }))
    .filter(({ index }) => alone === undefined || alone === index);
  return html`<section aria-labelledby="changes">
    <div class="bar">
      <h2 id="changes">Changes</h2>
      ${totals(view.files)}
      ${alone !== undefined && html`<a href="${address}?view=${mode}#changes">Show all pages</a>`}
      <nav aria-label="How the changes are shown">
        ${modeLink(page, 'unified', 'Unified')}${modeLink(page, 'split', 'Side by side')}
      </nav>
    </div>
    ${shown.map(({ file, index }) =>
      fileDiff(
        file,
        diffs.get(file.path),
        mode,
        `file-${index}`,
        `${address}?view=${mode}&file=${index}#changes`,
      ),
    )}
    <p class="quiet"><a href="${address}/patch">The whole change as a patch</a></p>
  </section>`;
}

function totals(files: readonly ChangedFile[]): Html {
  const sum = (of: (file: ChangedFile) => number): number =>
    files.reduce((total, file) => total + of(file), 0);
  return counts({
    addedLines: sum((file) => file.addedLines),
    removedLines: sum((file) => file.removedLines),
  });
}

function modeLink({ mode, address, alone }: ShownReview, target: DiffMode, label: string): Html {
  const query = alone === undefined ? '' : `&file=${alone}`;
  return html`<a
    href="${address}?view=${target}${query}#changes"
    ${mode === target && html` aria-current="true"`}
    >${icon(target)}${label}</a
  >`;
}
