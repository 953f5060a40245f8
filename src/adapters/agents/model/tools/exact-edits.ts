import { shortLine } from './tool-answer.ts';
import { similarLines } from './similar-text.ts';

export interface ExactEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean | undefined;
}

export type Edited =
  | {
      readonly kind: 'edited';
      readonly text: string;
      readonly places: number;
      readonly lines: readonly number[];
    }
  /** `why` helps a model to get it right. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Replaces texts exactly, one edit after the other; all of them or none. A line break in an edit stands for the
 * one that the file has there, and what is put in gets the file's own.
 */
export function applyExactEdits(text: string, edits: readonly ExactEdit[]): Edited {
  let current = text;
  let places = 0;
  const lines: number[] = [];
  for (const [index, edit] of edits.entries()) {
    const name = edits.length === 1 ? '' : `Edit ${index + 1} of ${edits.length}: `;
    const result = applyOne(current, edit);
    if (typeof result === 'string') {
      const none = edits.length === 1 ? '' : ' None of the edits was done.';
      return { kind: 'refused', why: `${name}${result}${none}` };
    }
    places += result.lines.length;
    lines.push(...result.lines);
    current = result.text;
  }
  return { kind: 'edited', text: current, places, lines };
}

function applyOne(text: string, edit: ExactEdit): { text: string; lines: number[] } | string {
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  if (oldText === '')
    return 'oldText is empty. Give the text that stands there, or use write_file for a whole file.';
  const newText = edit.newText.replaceAll('\r\n', '\n');
  if (oldText === newText) return 'oldText and newText are the same, so there is nothing to change.';
  const flat = new FlatText(text);
  const found: number[] = [];
  for (let at = flat.text.indexOf(oldText); at !== -1; at = flat.text.indexOf(oldText, at + oldText.length)) {
    found.push(at);
  }
  if (found.length === 0) return notFound(flat.text, oldText);
  if (found.length > 1 && edit.replaceAll !== true) return notUnique(flat, found);
  const crlf = flat.isCrlf;
  const fresh = crlf ? newText.replaceAll('\n', '\r\n') : newText;
  let result = '';
  let done = 0;
  for (const at of found) {
    result += text.slice(done, flat.rawOffset(at)) + fresh;
    done = flat.rawOffset(at + oldText.length);
  }
  return { text: result + text.slice(done), lines: flat.linesAt(found) };
}

/** A text with all line breaks as `\n`, and the way back to the offsets of the text as it is. */
class FlatText {
  readonly text: string;
  /** Offsets in `text` of the breaks that have a carriage return in the file. */
  readonly #returns: number[] = [];
  readonly #breaks: number;

  constructor(raw: string) {
    let breaks = 0;
    for (let at = raw.indexOf('\n'); at !== -1; at = raw.indexOf('\n', at + 1)) {
      breaks += 1;
      if (raw[at - 1] === '\r') this.#returns.push(at - 1 - this.#returns.length);
    }
    this.#breaks = breaks;
    this.text = this.#returns.length === 0 ? raw : raw.replaceAll('\r\n', '\n');
  }

  /** What is put in gets the line breaks that most lines have. */
  get isCrlf(): boolean {
    return this.#returns.length * 2 > this.#breaks;
  }

  rawOffset(offset: number): number {
    let low = 0;
    let high = this.#returns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#returns[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  }

  /** The lines, from 1, of ascending offsets. */
  linesAt(offsets: readonly number[]): number[] {
    let line = 1;
    let at = 0;
    return offsets.map((offset) => {
      for (
        let next = this.text.indexOf('\n', at);
        next !== -1 && next < offset;
        next = this.text.indexOf('\n', at)
      ) {
        line += 1;
        at = next + 1;
      }
      return line;
    });
  }
}

function notUnique(flat: FlatText, found: readonly number[]): string {
  const lines = flat.linesAt(found.slice(0, 10)).join(', ');
  const more = found.length > 10 ? ' and more' : '';
  return `oldText occurs ${found.length} times, in lines ${lines}${more}. Take in more of the text around the right one, or set replaceAll to change all of them.`;
}

function notFound(text: string, oldText: string): string {
  const says = 'oldText does not stand in the file.';
  if (/^[^\S\r\n]*\d{1,6}\t/m.test(oldText)) {
    return `${says} It has line numbers at the beginning of lines; they are only in the answer of read_file. Leave them out.`;
  }
  const lines = text.split('\n');
  const spaced = placeWithoutSpaces(lines, oldText);
  if (spaced !== undefined) {
    const shown = lines.slice(spaced.from - 1, spaced.to).map((line) => shortLine(line, 500));
    return `${says} Lines ${spaced.from} to ${spaced.to} differ from it only in spaces, line breaks, quotation marks or dashes. Copy them exactly:\n${shown.slice(0, 30).join('\n')}`;
  }
  const longest = oldText.split('\n').toSorted((a, b) => b.trim().length - a.trim().length)[0] ?? '';
  const similar = similarLines(lines, longest, 3);
  if (similar.length === 0) {
    return `${says} Nothing in it is like that: read the file again, or search for the words.`;
  }
  const shown = similar.map(({ line, text: found }) => `${line}\t${shortLine(found, 300)}`);
  return `${says} Most like it are these lines; read around them and copy exactly:\n${shown.join('\n')}`;
}

/** Where a text stands when spaces and the shapes of quotation marks and dashes do not count. */
function placeWithoutSpaces(
  lines: readonly string[],
  wanted: string,
): { from: number; to: number } | undefined {
  const plain = (text: string): string =>
    text
      .replaceAll(/[\s\u200B\uFEFF]+/g, '')
      .replaceAll(/[\u2018\u2019]/g, "'")
      .replaceAll(/[\u201C\u201D]/g, '"')
      .replaceAll(/[\u2010-\u2015]/g, '-');
  const needle = plain(wanted);
  if (needle.length < 3) return undefined;
  const ends: number[] = [];
  let all = '';
  for (const line of lines) {
    all += plain(line);
    ends.push(all.length);
  }
  const at = all.indexOf(needle);
  if (at === -1) return undefined;
  return {
    from: ends.findIndex((end) => end > at) + 1,
    to: ends.findIndex((end) => end >= at + needle.length) + 1,
  };
}
