import type { Span } from './tree.ts';

export interface HtmlAttribute {
  /** In lower case. */
  readonly name: string;
  /** The value without its quotes. */
  readonly value: Span;
  readonly quote: '"' | "'" | '';
}

export type HtmlPart =
  | ({ readonly kind: 'text' } & Span)
  /** Comments, declarations, and the content of scripts, styles and code. */
  | ({ readonly kind: 'opaque' } & Span)
  | ({
      readonly kind: 'tag';
      /** In lower case. */
      readonly name: string;
      readonly closing: boolean;
      readonly attributes: readonly HtmlAttribute[];
    } & Span);

/** Elements whose text is no prose. */
export const opaqueElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'pre',
  'code',
  'kbd',
  'samp',
  'var',
  'textarea',
  'svg',
  'math',
]);

/**
 * Takes a piece of HTML apart, tolerant of everything, in linear time. Offsets count from `base`.
 */
export function scanHtml(html: string, base: number): HtmlPart[] {
  const parts: HtmlPart[] = [];
  let at = 0;
  const text = (end: number): void => {
    if (end > at) parts.push({ kind: 'text', start: base + at, end: base + end });
  };
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', Math.max(at, open + 1))) {
    const next = html[open + 1] ?? '';
    if (next === '!' || next === '?') {
      text(open);
      const comment = html.startsWith('<!--', open);
      const close = html.indexOf(comment ? '-->' : '>', open + 2);
      at = close === -1 ? html.length : close + (comment ? 3 : 1);
      parts.push({ kind: 'opaque', start: base + open, end: base + at });
    } else if (/[A-Za-z/]/.test(next)) {
      const tag = scanTag(html, open, base);
      if (!tag) continue;
      text(open);
      parts.push(tag);
      at = tag.end - base;
      if (tag.closing || !opaqueElements.has(tag.name) || html[at - 2] === '/') continue;
      const close = indexOfClosing(html, tag.name, at);
      parts.push({ kind: 'opaque', start: base + at, end: base + close });
      at = close;
    }
  }
  text(html.length);
  return parts;
}

function indexOfClosing(html: string, name: string, from: number): number {
  const pattern = new RegExp(`</${name}[\\s>]`, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function scanTag(html: string, open: number, base: number): Extract<HtmlPart, { kind: 'tag' }> | undefined {
  const head = /<(\/?)([A-Za-z][\w.:-]{0,100})/y;
  head.lastIndex = open;
  const found = head.exec(html);
  if (!found) return undefined;
  const attributes: HtmlAttribute[] = [];
  const attribute = /[\s/]*([^\s"'<>/=]{1,100})(\s{0,20}=\s{0,20})?/y;
  let at = head.lastIndex;
  for (;;) {
    attribute.lastIndex = at;
    const name = attribute.exec(html);
    if (!name) break;
    at = attribute.lastIndex;
    if (name[2] === undefined) continue;
    const quote = html[at];
    if (quote === '"' || quote === "'") {
      const end = html.indexOf(quote, at + 1);
      if (end === -1) return undefined;
      attributes.push({
        name: (name[1] ?? '').toLowerCase(),
        value: { start: base + at + 1, end: base + end },
        quote,
      });
      at = end + 1;
    } else {
      const bare = /[^\s"'=<>`]{1,2000}/y;
      bare.lastIndex = at;
      if (!bare.test(html)) return undefined;
      attributes.push({
        name: (name[1] ?? '').toLowerCase(),
        value: { start: base + at, end: base + bare.lastIndex },
        quote: '',
      });
      at = bare.lastIndex;
    }
  }
  const tail = /[\s/]*>/y;
  tail.lastIndex = at;
  if (!tail.test(html)) return undefined;
  return {
    kind: 'tag',
    name: (found[2] ?? '').toLowerCase(),
    closing: found[1] === '/',
    attributes,
    start: base + open,
    end: base + tail.lastIndex,
  };
}
