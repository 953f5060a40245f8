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
  return patches(diff)
    .map((patch) => ({ patch, path: pathOf(patch) }))
    .filter(({ path }) => path !== '' && (only === undefined || path === only))
    .map(({ patch, path }) => {
      const lines = patch.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
      const { rows, shown } = rowsOf(patch.hunks, Math.min(limits.linesPerFile, left));
      left -= shown;
      return { path, binary: patch.isBinary ?? false, rows, hiddenLines: lines - shown };
    });
}

/** A diff that breaks off has no lines to show; the page says so, and has the patch as it is. */
function patches(diff: string): StructuredPatch[] {
  try {
    return parsePatch(diff);
  } catch {
    return [];
  }
}

function pathOf(patch: StructuredPatch): string {
  const name = patch.isDelete || patch.newFileName === '/dev/null' ? patch.oldFileName : patch.newFileName;
  return (name ?? '').replace(/^[ab]\//, '');
}

/** Rows of at most about `limit` lines, and how many lines they show: a changed line counts on both sides. */
function rowsOf(hunks: readonly StructuredPatchHunk[], limit: number): { rows: DiffRow[]; shown: number } {
  const rows: DiffRow[] = [];
  let shown = 0;
  let last = 0;
  for (const hunk of hunks) {
    if (shown >= limit) break;
    if (hunk.newStart > last + 1) rows.push({ kind: 'gap', from: last + 1, to: hunk.newStart - 1 });
    // Lazy, so that lines beyond the limit are never compared.
    for (const row of hunkRows(hunk)) {
      rows.push(row);
      shown += row.kind === 'change' && row.before !== undefined && row.after !== undefined ? 2 : 1;
      if (shown >= limit) break;
    }
    last = hunk.newStart + hunk.newLines - 1;
  }
  return { rows, shown };
}

function* hunkRows(hunk: StructuredPatchHunk): Generator<DiffRow> {
  let before = hunk.oldStart;
  let after = hunk.newStart;
  for (const { removed, added, context, openEnd } of blocks(hunk.lines)) {
    for (const [from, to] of pairLines(removed, added)) {
      yield changeRow(from, from === undefined ? 0 : before++, to, to === undefined ? 0 : after++);
    }
    if (context !== undefined) {
      const parts = whole(context);
      yield { kind: 'context', before: { number: before++, parts }, after: { number: after++, parts } };
    }
    if (openEnd) yield { kind: 'note', text: 'No line break at the end of the file' };
  }
}

interface Block {
  readonly removed: string[];
  readonly added: string[];
  /** The unchanged line that ends the block. */
  context: string | undefined;
  /** Git tells a missing last line break between the removed and the added line, which belong together. */
  openEnd: boolean;
}

function blocks(lines: readonly string[]): Block[] {
  const found: Block[] = [];
  let current: Block | undefined;
  const block = (): Block => {
    if (current === undefined)
      found.push((current = { removed: [], added: [], context: undefined, openEnd: false }));
    return current;
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('-')) block().removed.push(text);
    else if (line.startsWith('+')) block().added.push(text);
    else if (line.startsWith('\\')) (current ?? found.at(-1) ?? block()).openEnd = true;
    else {
      block().context = text;
      current = undefined;
    }
  }
  return found;
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
