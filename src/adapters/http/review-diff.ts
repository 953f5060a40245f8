import { diffWordsWithSpace, parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import { pairLines } from './review-line-pairs.ts';

/** A piece of a line; `changed` when the other side's line has something else there. */
export interface Part {
  readonly text: string;
  readonly changed: boolean;
}

export interface Line {
  readonly number: number;
  readonly parts: readonly Part[];
  /** Told only where it is what changed: the invisible end of the line. */
  readonly lineEnd?: 'CRLF' | 'LF';
}

export type DiffRow =
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  | { readonly kind: 'context'; readonly before: Line; readonly after: Line }
  /** A line that was exchanged for another has both sides; one that was only removed or added has one. */
  | { readonly kind: 'change'; readonly before: Line | undefined; readonly after: Line | undefined }
  | { readonly kind: 'note'; readonly text: string };

export interface FileDiff {
  /** Path after the change, or before it when the file was deleted. */
  readonly path: string;
  readonly binary: boolean;
  readonly rows: readonly DiffRow[];
  /** Lines of the patch that are not in `rows`, because the page would be too large. */
  readonly hiddenLines: number;
}

export interface DiffLimits {
  /** Lines of one file's patch that are shown. */
  readonly linesPerFile: number;
  /** Lines that are shown of all files together. */
  readonly lines: number;
}

/** Longer lines are cut: a minified file in one line would be megabytes of page. */
const maxLineLength = 5_000;
/** Above this, comparing two lines word by word takes longer than a reader waits. */
const maxComparedLength = 3_000;

/**
 * Reads a unified diff as rows for a page, of all files or of the `only` one. The diff is hostile text;
 * nothing here is HTML yet.
 */
export function readDiff(diff: string, limits: DiffLimits, only?: string): readonly FileDiff[] {
  let left = limits.lines;
  return parsePatch(diff)
    .map((patch) => ({ patch, path: pathOf(patch) }))
    .filter(({ path }) => only === undefined || path === only)
    .map(({ patch, path }) => {
      const total = patch.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
      const shown = Math.min(total, limits.linesPerFile, left);
      left -= shown;
      const binary = patch.isBinary ?? false;
      return { path, binary, rows: rowsOf(patch.hunks, shown), hiddenLines: total - shown };
    });
}

function pathOf(patch: StructuredPatch): string {
  const name = patch.isDelete || patch.newFileName === '/dev/null' ? patch.oldFileName : patch.newFileName;
  return (name ?? '').replace(/^[ab]\//, '');
}

function rowsOf(hunks: readonly StructuredPatchHunk[], limit: number): DiffRow[] {
  const rows: DiffRow[] = [];
  let left = limit;
  let lastNew = 0;
  for (const hunk of hunks) {
    if (left <= 0) break;
    if (hunk.newStart > lastNew + 1) rows.push({ kind: 'gap', from: lastNew + 1, to: hunk.newStart - 1 });
    rows.push(...hunkRows(hunk, left));
    left -= hunk.lines.length;
    lastNew = hunk.newStart + hunk.newLines - 1;
  }
  return rows;
}

function hunkRows(hunk: StructuredPatchHunk, limit: number): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = hunk.oldStart;
  let after = hunk.newStart;
  let removed: string[] = [];
  let added: string[] = [];
  // Said after the block: git puts it between the removed and the added line, which belong together.
  let lastLineOpen = false;
  const flush = (): void => {
    for (const [from, to] of pairLines(removed, added)) {
      rows.push(changeRow(from, from === undefined ? 0 : before++, to, to === undefined ? 0 : after++));
    }
    removed = [];
    added = [];
    if (lastLineOpen) rows.push({ kind: 'note', text: 'No line break at the end of the file' });
    lastLineOpen = false;
  };
  for (const line of hunk.lines.slice(0, limit)) {
    const text = line.slice(1);
    if (line.startsWith('-')) {
      removed.push(text);
    } else if (line.startsWith('+')) {
      added.push(text);
    } else if (line.startsWith('\\')) {
      lastLineOpen = true;
    } else {
      flush();
      const parts = whole(text);
      rows.push({ kind: 'context', before: { number: before++, parts }, after: { number: after++, parts } });
    }
  }
  flush();
  return rows;
}

function changeRow(from: string | undefined, before: number, to: string | undefined, after: number): DiffRow {
  if (from === undefined || to === undefined) {
    return {
      kind: 'change',
      before: from === undefined ? undefined : { number: before, parts: whole(from) },
      after: to === undefined ? undefined : { number: after, parts: whole(to) },
    };
  }
  const [left, right] = compare(from.replace(/\r$/, ''), to.replace(/\r$/, ''));
  const endsDiffer = from.endsWith('\r') !== to.endsWith('\r');
  const lineEnd = (text: string): Pick<Line, 'lineEnd'> =>
    endsDiffer ? { lineEnd: text.endsWith('\r') ? 'CRLF' : 'LF' } : {};
  return {
    kind: 'change',
    before: { number: before, parts: left, ...lineEnd(from) },
    after: { number: after, parts: right, ...lineEnd(to) },
  };
}

function compare(from: string, to: string): [Part[], Part[]] {
  const changes =
    from.length + to.length <= 2 * maxComparedLength
      ? diffWordsWithSpace(from, to, { maxEditLength: 400 })
      : undefined;
  if (changes === undefined) return [whole(from), whole(to)];
  const side = (other: 'added' | 'removed'): Part[] =>
    changes
      .filter((change) => !change[other])
      .map((change) => ({ text: change.value, changed: change.added || change.removed }));
  return [side('added'), side('removed')];
}

function whole(text: string): Part[] {
  const line = text.replace(/\r$/, '');
  if (line.length <= maxLineLength) return [{ text: line, changed: false }];
  return [
    {
      text: `${line.slice(0, maxLineLength)} … (${line.length - maxLineLength} more characters)`,
      changed: false,
    },
  ];
}
