import type { Edit } from './edits.ts';
import type { Span } from './tree.ts';

/** Stands for something that is no word: code, an image, a tag. No term matches across it. */
const gap = '\uFFFC';

const entities = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&nbsp;', '\u00A0'],
]);

/**
 * Parts of text that only look like words: templates, attribute lists, the names of containers and
 * admonitions, includes, tables of contents.
 */
const machinery =
  /\{\{[^{}]{0,2000}\}\}|\{%[^%]{0,2000}%\}|\{[:#.][^{}\n]{0,300}\}|^[ \t>]*(?::{3,}[ \t]*\{?[\w-]*\}?|(?:!!!|\?\?\?\+?) ?[\w -]+|<<<[^\n]*|-{1,2}8<-{1,2}[^\n]*)|\[![\w-]+\]|\[\[[\w ]{1,40}\]\]|\[TOC\]/gm;

/** The start of a further line inside a block: indentation and block quotes' marks. */
const linePrefix = /[ \t]*(?:>[ \t]?)*[ \t]*/y;

/**
 * Text as a reader sees it, that knows where each of its characters stands in the page. Escapes and entities
 * count as the character they stand for, a line break with what the next line begins with as one space.
 */
export class PlainText {
  value = '';
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** Which piece of markup a character belongs to: equal numbers stand side by side in one text. */
  private readonly units: number[] = [];
  private readonly locks = new Map<number, string>();
  private readonly breaks = new Set<number>();
  private readonly labels = new Map<number, Edit>();
  private unit = 0;

  get length(): number {
    return this.value.length;
  }

  /** Adds text without any meaning of its own characters, such as code or an attribute's value. */
  addRaw(page: string, span: Span): void {
    this.unit += 1;
    for (let at = span.start; at < span.end; at += 1) this.push(page[at] ?? '', at, at + 1);
  }

  addText(page: string, span: Span): void {
    this.unit += 1;
    const raw = page.slice(span.start, span.end);
    let done = 0;
    for (const match of raw.matchAll(machinery)) {
      this.addWords(page, { start: span.start + done, end: span.start + match.index });
      done = match.index + match[0].length;
      this.addLocked(
        page,
        { start: span.start + match.index, end: span.start + done },
        'template or markup syntax',
      );
    }
    this.addWords(page, { start: span.start + done, end: span.end });
  }

  /** Adds text that is found but never changed, with the reason. */
  addLocked(page: string, span: Span, reason: string): void {
    this.unit += 1;
    for (let at = span.start; at < span.end; at += 1) {
      this.locks.set(this.value.length, reason);
      this.push(page[at] ?? '', at, at + 1);
    }
    this.unit += 1;
  }

  addGap(): void {
    this.unit += 1;
    const at = this.ends.at(-1) ?? 0;
    this.push(gap, at, at);
  }

  /** The place of characters `from` to `to` (exclusive) in the page. */
  span(from: number, to: number): Span {
    return { start: this.starts[from] ?? 0, end: this.ends[to - 1] ?? 0 };
  }

  /** The places that its characters come from, in order; neighbours are one. */
  places(): Span[] {
    const places: { start: number; end: number }[] = [];
    for (const [index, start] of this.starts.entries()) {
      const end = this.ends[index] ?? start;
      const last = places.at(-1);
      if (last && last.end === start) last.end = end;
      else if (end > start) places.push({ start, end });
    }
    return places;
  }

  /** From here on, whatever is changed needs `edit` too, such as a name for a link that was named by its words. */
  label(from: number, edit: Edit): void {
    for (let at = from; at < this.value.length; at += 1) this.labels.set(at, edit);
  }

  /** What a change of these characters needs beside. */
  labelsOf(from: number, to: number): Edit[] {
    const found = new Set<Edit>();
    for (let at = from; at < to; at += 1) {
      const edit = this.labels.get(at);
      if (edit) found.add(edit);
    }
    return [...found];
  }

  /** Why these characters must stay; undefined when they may change. */
  lockOf(from: number, to: number): string | undefined {
    for (let at = from; at < to; at += 1) {
      const reason = this.locks.get(at);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  isOneUnit(from: number, to: number): boolean {
    return this.units[from] === this.units[to - 1];
  }

  /** True when the character is a line break of the page. */
  isBreak(at: number): boolean {
    return this.breaks.has(at);
  }

  private addWords(page: string, span: Span): void {
    let at = span.start;
    while (at < span.end) {
      const character = page[at] ?? '';
      if (character === '\n' || (character === '\r' && page[at + 1] === '\n')) {
        const start = at;
        at += character === '\r' ? 2 : 1;
        linePrefix.lastIndex = at;
        if (linePrefix.test(page)) at = Math.min(linePrefix.lastIndex, span.end);
        this.breaks.add(this.value.length);
        this.push(' ', start, at);
      } else if (character === '\\' && /[!-/:-@[-`{-~]/.test(page[at + 1] ?? '')) {
        this.push(page[at + 1] ?? '', at, at + 2);
        at += 2;
      } else {
        const entity =
          character === '&'
            ? /^&(?:amp|lt|gt|quot|apos|nbsp|#39);/.exec(page.slice(at, at + 7))?.[0]
            : undefined;
        this.push(
          entity === undefined ? character : (entities.get(entity) ?? character),
          at,
          at + (entity?.length ?? 1),
        );
        at += entity?.length ?? 1;
      }
    }
  }

  private push(character: string, start: number, end: number): void {
    this.value += character;
    this.starts.push(start);
    this.ends.push(end);
    this.units.push(this.unit);
  }
}
