import type { ChangedFile } from '../../service/ports/workspaces.ts';
import { type Html, html } from './html.ts';
import type { DiffMode } from './shown-review.ts';
import type { DiffRow, FileDiff, Line, Part } from './review-diff.ts';

const words: Readonly<Record<ChangedFile['change'], string>> = {
  added: 'Added',
  modified: 'Changed',
  deleted: 'Deleted',
  renamed: 'Renamed',
};

export function changeWord(file: ChangedFile): string {
  return words[file.change];
}

/** `+12 −3`, with words for who cannot see the signs. */
export function counts(file: Pick<ChangedFile, 'addedLines' | 'removedLines'>): Html {
  return html`<span class="counts"
    ><span class="plus"
      ><span aria-hidden="true">+${file.addedLines}</span
      ><span class="sr">${file.addedLines} lines added,</span></span
    >
    <span class="minus"
      ><span aria-hidden="true">−${file.removedLines}</span
      ><span class="sr">${file.removedLines} removed</span></span
    ></span
  >`;
}

/** One page's change: a heading that folds, and the table of lines. */
export function fileDiff(
  file: ChangedFile,
  diff: FileDiff | undefined,
  mode: DiffMode,
  anchor: string,
  alone: string,
): Html {
  return html`<details class="file" id="${anchor}" open>
    <summary>
      <span class="badge ${file.change}">${changeWord(file)}</span>
      <h3>
        ${file.previousPath !== undefined && html`<span class="previous">${pathText(file.previousPath)}</span> <span class="sr">is now</span><span aria-hidden="true">→</span> `}${pathText(file.path)}
      </h3>
      ${counts(file)}
    </summary>
    ${fileBody(file, diff, mode, alone)}
  </details>`;
}

function fileBody(file: ChangedFile, diff: FileDiff | undefined, mode: DiffMode, alone: string): Html {
  if (diff?.binary)
    return html`<p class="note">This file is not text, so its change cannot be shown here.</p>`;
  if (diff === undefined) {
    return html`<p class="note">The lines of this change cannot be shown here. The patch below has them.</p>`;
  }
  if (diff.rows.length === 0 && diff.hiddenLines === 0) {
    const sentence =
      file.change === 'renamed' ? 'Renamed without a change in its text.' : 'There are no lines to show.';
    return html`<p class="note">${sentence}</p>`;
  }
  return html`${diff.rows.length > 0 && table(file, diff.rows, mode)}${
    diff.hiddenLines > 0 &&
    html`<p class="note">
      ${diff.hiddenLines} more lines of this change are not shown, to keep this page quick.
      <a href="${alone}">Show this file alone</a>
    </p>`
  }`;
}

function table(file: ChangedFile, rows: readonly DiffRow[], mode: DiffMode): Html {
  const split = mode === 'split';
  return html`<table class="diff ${mode}">
    <caption class="sr">
      Changed lines of ${file.path}
    </caption>
    <colgroup>
      ${
        split
          ? html`<col class="no" />
              <col class="side" />
              <col class="no" />
              <col class="side" />`
          : html`<col class="no" />
              <col class="no" />
              <col />`
      }
    </colgroup>
    <thead class="sr">
      <tr>
        ${
          split
            ? html`<th scope="col">Line before</th>
                <th scope="col">Text before</th>
                <th scope="col">Line after</th>
                <th scope="col">Text after</th>`
            : html`<th scope="col">Line before</th>
                <th scope="col">Line after</th>
                <th scope="col">Text</th>`
        }
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => (split ? splitRow(row) : unifiedRow(row)))}
    </tbody>
  </table>`;
}

function unifiedRow(row: DiffRow): Html {
  switch (row.kind) {
    case 'gap':
      return gapRow(row.from, row.to, 3);
    case 'note':
      return html`<tr class="remark">
        <td class="no"></td>
        <td class="no"></td>
        <td>${row.text}</td>
      </tr> `;
    case 'context':
      return html`<tr>
        ${number(row.before)}${number(row.after)}${text(row.after)}
      </tr> `;
    case 'change':
      return html`${
        row.before &&
        html`<tr class="del">
          ${number(row.before)}
          <td class="no"></td>
          ${text(row.before, 'del')}
        </tr> `
      }${
        row.after &&
        html`<tr class="ins">
          <td class="no"></td>
          ${number(row.after)}${text(row.after, 'ins')}
        </tr> `
      }`;
  }
}

function splitRow(row: DiffRow): Html {
  switch (row.kind) {
    case 'gap':
      return gapRow(row.from, row.to, 4);
    case 'note':
      return html`<tr class="remark">
        <td colspan="4">${row.text}</td>
      </tr> `;
    case 'context':
      return html`<tr>
        ${number(row.before)}${text(row.before)}${number(row.after)}${text(row.after)}
      </tr> `;
    case 'change':
      return html`<tr>
        ${half(row.before, 'del')}${half(row.after, 'ins')}
      </tr> `;
  }
}

function half(line: Line | undefined, kind: 'del' | 'ins'): Html {
  if (line === undefined)
    return html`<td class="no none"></td>
      <td class="none"></td>`;
  return html`<td class="no ${kind}">${line.number}</td>
    ${text(line, kind)}`;
}

function gapRow(from: number, to: number, columns: number): Html {
  const unchanged = from === to ? `Line ${from} is unchanged` : `Lines ${from} to ${to} are unchanged`;
  return html`<tr class="gap">
    <td colspan="${columns}">${unchanged}</td>
  </tr> `;
}

function number(line: Line): Html {
  return html`<td class="no">${line.number}</td>`;
}

function text(line: Line, kind?: 'del' | 'ins'): Html {
  const sign = kind === 'del' ? '−' : '+';
  return html`<td class="text ${kind}">
    ${
      kind &&
      html`<span class="sign" aria-hidden="true">${sign}</span
        ><span class="sr">${kind === 'del' ? 'Removed: ' : 'Added: '}</span>`
    }<span class="line" dir="auto"
      >${line.parts.map((part) => piece(part, kind))}${
        line.lineEnd &&
        html`<span class="mark" title="The line break at the end changed">${line.lineEnd}</span>`
      }</span
    >
  </td>`;
}

function piece(part: Part, kind: 'del' | 'ins' | undefined): Html {
  const shown = visible(part.text);
  if (!part.changed || kind === undefined) return html`${shown}`;
  return kind === 'del' ? html`<del>${shown}</del>` : html`<ins>${shown}</ins>`;
}

/** A path, with places to wrap after each folder, and kept apart from the direction of the text around it. */
export function pathText(value: string): Html {
  const parts = value.split('/');
  return html`<bdi class="path"
    >${parts.map((part, i) => html`${visible(part)}${i < parts.length - 1 && html`/<wbr />`}`)}</bdi
  >`;
}

/**
 * Characters that change what stands beside them, or that nobody sees, are written out: text must not
 * look like something else than what is merged.
 */
function visible(value: string): readonly (string | Html)[] {
  return value
    .split(/([\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u0000-\u0008\u000B-\u001F\u007F])/u)
    .map((run, i) => (i % 2 === 0 ? run : html`<span class="mark">${codePoint(run)}</span>`));
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
