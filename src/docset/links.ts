import { readFrontMatter } from './front-matter.ts';
import { scanHtml } from './html.ts';
import { attributeValue } from './jsx.ts';
import type { Generator } from './layout.ts';
import { spanOf, walkTree } from './tree.ts';
import type { PageNode, Span } from './tree.ts';

/** A link or an image of a page. */
export interface PageLink {
  /** As written, entities and escapes decoded. */
  readonly url: string;
  /** The destination in the page's text, without brackets or quotes. */
  readonly span: Span;
  readonly kind: 'link' | 'image' | 'import';
  /** Where it stands in the syntax, because each has its own forbidden characters. */
  readonly syntax: 'markdown' | 'attribute' | 'front matter' | 'shortcode';
}

const linkAttributes = new Set(['href', 'to', 'link', 'url']);
const imageAttributes = new Set(['src', 'img', 'image', 'srcset', 'poster']);
/** Front-matter names whose value is an address, in VitePress, Hugo, MkDocs Material and others. */
const linkKeys = /^(?:link|href|url|to|next|prev|canonical)$/i;

/** Every link of a parsed page whose destination can be pointed at exactly. */
export function linksOf(text: string, tree: PageNode, generator: Generator): PageLink[] {
  const links: PageLink[] = [];
  const add = (
    kind: PageLink['kind'],
    syntax: PageLink['syntax'],
    span: Span,
    url = text.slice(span.start, span.end),
  ): void => {
    if (span.end > span.start) links.push({ url: url.trim() === url ? url : url.trim(), span, kind, syntax });
  };
  walkTree(tree, (node) => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      const span = destinationOf(text, node);
      if (span) add(node.type === 'image' ? 'image' : 'link', 'markdown', span, node.url ?? '');
    } else if (node.type === 'html') {
      for (const part of scanHtml(text.slice(spanOf(node).start, spanOf(node).end), spanOf(node).start)) {
        if (part.kind !== 'tag' || part.closing) continue;
        // `url` and `to` mean an address in components only, and `<link href>` and scripts are the page's machinery.
        for (const { name, value } of part.attributes) {
          if (part.name === 'a' && name === 'href') add('link', 'attribute', value);
          else if (part.name === 'img' && name === 'src') add('image', 'attribute', value);
        }
      }
    } else if (node.type === 'code' && node.lang === '{toctree}') {
      for (const span of toctreeEntries(text, spanOf(node))) add('link', 'shortcode', span);
    } else if (node.type === 'mdxjsEsm') {
      for (const span of importSources(text, node)) add('import', 'attribute', span);
    }
    for (const attribute of node.attributes ?? []) {
      const span = attributeValue(text, attribute);
      const name = (attribute.name ?? '').toLowerCase();
      if (!span) continue;
      if (linkAttributes.has(name)) add('link', 'attribute', span);
      else if (imageAttributes.has(name)) add('image', 'attribute', span);
    }
    return undefined;
  });
  const matter = readFrontMatter(text, tree);
  for (const { key, value, span } of matter.kind === 'valid' ? matter.strings : []) {
    if (linkKeys.test(key) && /^[./]/.test(value)) add('link', 'front matter', span, value);
  }
  if (generator === 'hugo') {
    for (const match of text.matchAll(/\{\{[<%]\s{0,5}(?:rel)?ref\s{1,5}"([^"\n]{1,300})"/g)) {
      const start = match.index + match[0].length - 1 - (match[1]?.length ?? 0);
      add('link', 'shortcode', { start, end: start + (match[1]?.length ?? 0) });
    }
  }
  return links.toSorted((a, b) => a.span.start - b.span.start);
}

/** The destination of `[…](destination "title")`, `![…](…)` or `[…]: destination`. */
function destinationOf(text: string, node: PageNode): Span | undefined {
  const { start, end } = spanOf(node);
  const raw = text.slice(start, end);
  const url = node.url ?? '';
  if (url === '' || (node.type === 'link' && raw[0] !== '[')) return undefined;
  const mark = node.type === 'definition' ? ']:' : '](';
  const lastChild = node.type === 'link' ? node.children?.at(-1) : undefined;
  // Brackets may stand in the text before it, so the first place where the destination really follows counts.
  for (
    let at = raw.indexOf(mark, lastChild ? spanOf(lastChild).end - start : 0);
    at !== -1;
    at = raw.indexOf(mark, at + 1)
  ) {
    const blank = /[ \t]*(?:\r?\n[ \t>]*)?/y;
    blank.lastIndex = at + mark.length;
    blank.test(raw);
    const open = raw[blank.lastIndex] === '<' ? 1 : 0;
    const from = blank.lastIndex + open;
    const tail =
      open === 1
        ? raw.indexOf('>', from)
        : from + (/^[^\s]*/.exec(raw.slice(from, from + url.length * 6 + 10))?.[0].length ?? 0);
    const written = raw.slice(from, Math.max(from, tail));
    if (written.startsWith(url)) return { start: start + from, end: start + from + url.length };
    const decoded = written.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&');
    if (decoded === url && open === 1) return { start: start + from, end: start + tail };
    if (decoded.startsWith(url) && written.length - decoded.length < 100) {
      const length = written.length - (decoded.length - url.length);
      return { start: start + from, end: start + from + length };
    }
  }
  return undefined;
}

/** The pages of a table of contents in MyST: `page`, or `Title <page>`, a line each, after the options. */
function toctreeEntries(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = [];
  let at = text.indexOf('\n', start) + 1;
  for (const line of text.slice(at, end).split('\n').slice(0, -1)) {
    const entry = /^(?:[^<]{0,300}<)?([^\s<>:`~]{1,300})>?\s*$/.exec(line.trim())?.[1];
    if (entry !== undefined && entry !== 'self') {
      const from = at + line.lastIndexOf(entry);
      spans.push({ start: from, end: from + entry.length });
    }
    at += line.length + 1;
  }
  return spans;
}

/** The module names of imports and re-exports, from the program that the MDX parser made. */
function importSources(text: string, node: PageNode): Span[] {
  const program = node.data?.estree as { body?: readonly unknown[] } | undefined;
  return (program?.body ?? []).flatMap((statement) => {
    const { source } = statement as { source?: { value?: unknown; start?: number; end?: number } | null };
    if (!source || typeof source.value !== 'string') return [];
    const span = { start: (source.start ?? 0) + 1, end: (source.end ?? 0) - 1 };
    return text.slice(span.start, span.end) === source.value ? [span] : [];
  });
}
