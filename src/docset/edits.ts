import { MagicString } from 'magic-string';
import type { Span } from './tree.ts';

/** One intended change of a page's text; `start === end` inserts. */
export interface Edit extends Span {
  readonly text: string;
}

/** Splices edits into a text; everything else stays byte for byte. The edits must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const spliced = new MagicString(text);
  for (const edit of edits) {
    if (edit.start === edit.end) spliced.appendLeft(edit.start, edit.text);
    else if (edit.text === '') spliced.remove(edit.start, edit.end);
    else spliced.overwrite(edit.start, edit.end, edit.text);
  }
  return spliced.toString();
}

/** In order of place, without those that overlap an earlier one. */
export function orderedEdits<T extends Span>(edits: readonly T[]): T[] {
  const ordered: T[] = [];
  let end = -1;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < end) continue;
    ordered.push(edit);
    end = edit.end;
  }
  return ordered;
}

/**
 * Tells where an offset of the old text stands in the new one. `from` and `to` differ where text was
 * inserted right there or the offset lay inside a replaced piece: then any place between them is right.
 */
export function offsetMap(edits: readonly Edit[]): (offset: number) => { from: number; to: number } {
  const ordered = orderedEdits(edits);
  const shifts: number[] = [];
  let shift = 0;
  for (const edit of ordered) {
    shifts.push(shift);
    shift += edit.text.length - (edit.end - edit.start);
  }
  return (offset) => {
    let low = 0;
    let high = ordered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ordered[middle]?.end ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    const edit = ordered[low];
    const before = low < shifts.length ? (shifts[low] ?? 0) : shift;
    if (!edit || offset < edit.start) return { from: offset + before, to: offset + before };
    const start = edit.start + before;
    if (offset === edit.start && edit.start !== edit.end) return { from: start, to: start };
    const end = start + edit.text.length;
    if (offset === edit.end && edit.start !== edit.end) {
      const next = ordered[low + 1];
      const inserted = next && next.start === offset && next.end === offset ? next.text.length : 0;
      return { from: end, to: end + inserted };
    }
    return { from: start, to: end };
  };
}
