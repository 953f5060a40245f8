import { readFrontMatter } from './front-matter.ts';
import { opaqueElements, scanHtml } from './html.ts';
import { attributeValue } from './jsx.ts';
import type { Generator } from './layout.ts';
import { linksOf } from './links.ts';
import { PlainText } from './plain-text.ts';
import { spanOf, walkTree } from './tree.ts';
import type { PageNode, Span } from './tree.ts';

export type SegmentKind = 'prose' | 'attribute' | 'front matter' | 'code' | 'link target';

/** A run of words as a reader sees it, each character with its place in the page. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly text: PlainText;
  /** For an attribute or a quoted value: what must not occur in a replacement. */
  readonly quote: string;
}

/** What else than prose may be touched, because the writer asked for it. */
export interface Reach {
  readonly code: boolean;
  readonly frontMatter: boolean;
  readonly links: boolean;
}

/** Front-matter values that readers see, over all generators. */
const proseKeys = new Set(
  'title description sidebartitle sidebar_title sidebar_label linktitle subtitle summary excerpt tagline text details headline caption alt hide_title_label pagination_label'.split(
    ' ',
  ),
);

/** Attributes of components and HTML elements that readers see. */
const proseAttributes = new Set(
  'title description label alt caption summary tip headline heading subtitle tooltip aria-label arialabel sidebartitle cta'.split(
    ' ',
  ),
);

const transparent = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference', 'mdxJsxTextElement']);

/** Every run of words of a page that a replacement may touch. */
export function segmentsOf(text: string, tree: PageNode, generator: Generator, reach: Reach): Segment[] {
  const segments: Segment[] = [];
  const add = (kind: SegmentKind, plain: PlainText, quote = ''): void => {
    if (plain.length > 0) segments.push({ kind, text: plain, quote });
  };
  const raw = (kind: SegmentKind, span: Span, quote = ''): void => {
    const plain = new PlainText();
    plain.addRaw(text, span);
    add(kind, plain, quote);
  };

  const matter = readFrontMatter(text, tree);
  for (const value of matter.kind === 'valid' ? matter.strings : []) {
    if (reach.frontMatter || proseKeys.has(value.key.toLowerCase())) {
      const quote = text[value.span.start - 1] ?? '';
      raw('front matter', value.span, quote === '"' || quote === "'" ? quote : '');
    }
  }

  walkTree(tree, (node) => {
    for (const attribute of node.attributes ?? []) {
      const span = attributeValue(text, attribute);
      if (span && proseAttributes.has((attribute.name ?? '').toLowerCase())) {
        raw('attribute', span, text[span.start - 1]);
      }
    }
    if (node.type === 'mdxJsxFlowElement' && opaqueElements.has(node.name ?? '')) return false;
    if (node.type === 'html') addHtml(text, spanOf(node), add, raw, reach);
    if (node.type === 'image' || node.type === 'imageReference') {
      // The text between `![` and `]` is the alternative text; a reference's is also its name.
      const start = spanOf(node).start + 2;
      const alt = text.slice(start, spanOf(node).end);
      if (node.type === 'image' && node.alt && alt.startsWith(`${node.alt}]`)) {
        raw('prose', { start, end: start + node.alt.length });
      }
    }
    if (reach.code && (node.type === 'code' || node.type === 'inlineCode')) {
      add('code', codeWords(text, codeBody(text, node), reach));
      const title = codeTitle(text, node);
      if (title) raw('code', title, '"');
    }
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') {
      add('prose', phrasing(text, node));
    }
    return undefined;
  });
  for (const { span, kind } of reach.links ? linksOf(text, tree, generator) : []) {
    if (kind !== 'import') raw('link target', span, '"');
  }
  return segments;
}

function addHtml(
  text: string,
  span: Span,
  add: (kind: SegmentKind, plain: PlainText) => void,
  raw: (kind: SegmentKind, span: Span, quote?: string) => void,
  reach: Reach,
): void {
  const plain = new PlainText();
  for (const part of scanHtml(text.slice(span.start, span.end), span.start)) {
    if (part.kind === 'text') plain.addText(text, part);
    else if (part.kind === 'opaque') {
      plain.addGap();
      if (reach.code && !text.startsWith('<!--', part.start)) raw('code', part);
    } else {
      plain.addGap();
      for (const { name, value, quote } of part.attributes) {
        if (quote !== '' && proseAttributes.has(name)) raw('attribute', value, quote);
      }
    }
  }
  add('prose', plain);
}

function phrasing(text: string, block: PageNode): PlainText {
  const plain = new PlainText();
  // Inline HTML comes as single tags: what stands between `<code>` and `</code>` is plain text to the parser.
  let opaque: string | undefined;
  const references: { node: PageNode; from: number }[] = [];
  walkTree(block, (node) => {
    if (node === block) return undefined;
    closeReferences(text, plain, references, spanOf(node).start);
    if (node.type === 'text') {
      if (opaque === undefined) plain.addText(text, spanOf(node));
      else plain.addLocked(text, spanOf(node), 'code');
      return false;
    }
    if (node.type === 'html') {
      const tag = scanHtml(text.slice(spanOf(node).start, spanOf(node).end), 0)[0];
      if (tag?.kind === 'tag' && opaqueElements.has(tag.name)) opaque = tag.closing ? undefined : tag.name;
      plain.addGap();
      return false;
    }
    if (node.type === 'linkReference' && node.referenceType !== 'full') {
      references.push({ node, from: plain.length });
      return undefined;
    }
    // A bare address is a link whose text must stay as it is.
    const bare = node.type === 'link' && text[spanOf(node).start] !== '[';
    // `<br />` parts words, as an icon does.
    const empty = node.type === 'mdxJsxTextElement' && (node.children ?? []).length === 0;
    if (bare || empty || !transparent.has(node.type) || opaqueElements.has(node.name ?? '')) {
      plain.addGap();
      return false;
    }
    return undefined;
  });
  closeReferences(text, plain, references, Infinity);
  return plain;
}

/** `[words]` is named by its words: with other words it keeps its name, as `[new words][words]`. */
function closeReferences(
  text: string,
  plain: PlainText,
  open: { node: PageNode; from: number }[],
  start: number,
): void {
  while (open.length > 0) {
    const { node, from } = open.at(-1) ?? { node: {}, from: 0 };
    const span = spanOf(node);
    if (start < span.end) return;
    const raw = text.slice(span.start, span.end);
    const collapsed = raw.endsWith('[]');
    const name = raw.slice(1, collapsed ? -3 : -1);
    const at = collapsed ? span.end - 1 : span.end;
    plain.label(from, { start: at, end: at, text: collapsed ? name : `[${name}]` });
    open.pop();
  }
}

function codeBody(text: string, node: PageNode): Span {
  const { start, end } = spanOf(node);
  const raw = text.slice(start, end);
  const ticks = /^`+|^~+/.exec(raw)?.[0].length ?? 0;
  if (node.type === 'inlineCode') return { start: start + ticks, end: end - ticks };
  if (ticks === 0) return { start, end };
  const open = raw.indexOf('\n');
  const close = raw.lastIndexOf('\n');
  return open === -1 || close <= open ? { start: end, end } : { start: start + open + 1, end: start + close };
}

/** Code asked for is not the addresses in it asked for: a changed one leads nowhere. */
function codeWords(text: string, { start, end }: Span, reach: Reach): PlainText {
  const plain = new PlainText();
  let at = start;
  const addresses = reach.links
    ? []
    : text.slice(start, end).matchAll(/\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'`<>()]{1,2000}/gi);
  for (const match of addresses) {
    const from = start + match.index;
    if (from > at) plain.addRaw(text, { start: at, end: from });
    at = from + match[0].length;
    plain.addLocked(text, { start: from, end: at }, 'addresses inside code');
  }
  if (end > at) plain.addRaw(text, { start: at, end });
  return plain;
}

/** What stands after the language of a fence, often the name of the file that is shown. */
function codeTitle(text: string, node: PageNode): Span | undefined {
  const { start, end } = spanOf(node);
  const fence = /^(?:`{3,}|~{3,})[ \t]*[^\s`]*/.exec(text.slice(start, Math.min(end, start + 300)))?.[0];
  if (node.type !== 'code' || fence === undefined) return undefined;
  const line = text.indexOf('\n', start);
  const last = line === -1 || line > end ? end : text[line - 1] === '\r' ? line - 1 : line;
  return last > start + fence.length ? { start: start + fence.length, end: last } : undefined;
}
