import { parse as parseToml } from 'smol-toml';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { spanOf } from './tree.ts';
import type { PageNode, Span } from './tree.ts';

/** One string of a page's front matter. */
export interface FrontMatterString {
  /** The names on the way to it, joined by dots; list items have no name of their own. */
  readonly path: string;
  /** The last name. */
  readonly key: string;
  readonly value: string;
  /** In the page's text, without quotes. */
  readonly span: Span;
}

export type FrontMatter =
  | {
      readonly kind: 'valid';
      readonly strings: readonly FrontMatterString[];
      /** Every value in order with its place, for comparing two versions. */
      readonly shape: readonly PageNode[];
      readonly data: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'invalid'; readonly reason: string; readonly line: number };

const nothing: FrontMatter = { kind: 'valid', strings: [], shape: [], data: {} };

/** The front matter of a parsed page; an empty one when the page has none. */
export function readFrontMatter(text: string, tree: PageNode): FrontMatter {
  const node = tree.children?.[0];
  if (node?.type === 'yaml') return readYaml(text, spanOf(node));
  if (node?.type === 'toml') return readToml(text, spanOf(node));
  return nothing;
}

/** The raw text between the fences, with the offset that it starts at. */
function inner(text: string, span: Span): { raw: string; base: number } {
  const base = text.indexOf('\n', span.start) + 1;
  const end = text.lastIndexOf('\n', span.end);
  return base === 0 || end < base ? { raw: '', base: span.end } : { raw: text.slice(base, end + 1), base };
}

function readYaml(text: string, span: Span): FrontMatter {
  const { raw, base } = inner(text, span);
  return readYamlText(raw, base);
}

/** Undefined: thousands of levels exhaust the parser's stack. */
function parseYaml(raw: string): ReturnType<typeof parseDocument> | undefined {
  try {
    return parseDocument(raw, { logLevel: 'silent', uniqueKeys: true, maxAliasCount: 50 } as object);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads YAML for the places of its values; offsets count from `base`. Tags that nobody knows are no error. */
export function readYamlText(raw: string, base: number): FrontMatter {
  const document = parseYaml(raw);
  if (document === undefined) return { kind: 'invalid', reason: 'it is nested too deeply', line: 1 };
  const error = document.errors[0];
  if (error) {
    const line = raw.slice(0, error.pos[0]).split('\n').length + 1;
    return { kind: 'invalid', reason: error.message.split('\n', 1)[0] ?? 'it is no valid YAML', line };
  }
  const strings: FrontMatterString[] = [];
  const shape: PageNode[] = [];
  const note = (type: string, range: readonly number[] | null | undefined): Span => {
    const place = { start: base + (range?.[0] ?? 0), end: base + (range?.[1] ?? 0) };
    shape.push({ type, position: { start: { offset: place.start, line: 0 }, end: { offset: place.end } } });
    return place;
  };
  const visit = (node: unknown, path: readonly string[], depth: number): void => {
    if (depth > 40) return;
    if (isMap(node)) {
      note('yaml map', node.range);
      for (const pair of node.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : '?';
        if (isScalar(pair.key)) note(`yaml key ${name}`, pair.key.range);
        visit(pair.value, [...path, name], depth + 1);
      }
    } else if (isSeq(node)) {
      note('yaml list', node.range);
      for (const item of node.items) visit(item, path, depth + 1);
    } else if (isScalar(node)) {
      const place = note(`yaml ${node.type ?? ''} ${typeof node.value}`, node.range);
      if (typeof node.value !== 'string') return;
      const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
      strings.push({
        path: path.join('.'),
        key: path.at(-1) ?? '',
        value: node.value,
        span: { start: place.start + quoted, end: place.end - quoted },
      });
    } else if (isAlias(node)) note('yaml alias', node.range);
  };
  visit(document.contents, [], 0);
  const data = isMap(document.contents)
    ? plainData(() => document.toJS({ maxAliasCount: 50 }) as unknown)
    : {};
  return { kind: 'valid', strings, shape, data };
}

function readToml(text: string, span: Span): FrontMatter {
  const { raw, base } = inner(text, span);
  let data: Readonly<Record<string, unknown>>;
  try {
    data = parseToml(raw);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'it is no valid TOML';
    return { kind: 'invalid', reason, line: 2 };
  }
  // smol-toml tells no positions: only strings that stand on one line of their own without escapes are offered.
  const strings: FrontMatterString[] = [];
  for (const line of raw.matchAll(
    /^([ \t]{0,40}([\w-]{1,100})[ \t]{0,20}=[ \t]{0,20}")([^"\\\r\n]*)"[ \t]*\r?$/gm,
  )) {
    const start = base + line.index + (line[1]?.length ?? 0);
    const value = line[3] ?? '';
    strings.push({
      path: line[2] ?? '',
      key: line[2] ?? '',
      value,
      span: { start, end: start + value.length },
    });
  }
  const shape = Object.entries(data).map(([key, value]) => ({ type: `toml ${key} ${typeof value}` }));
  return { kind: 'valid', strings, shape, data };
}

function plainData(read: () => unknown): Readonly<Record<string, unknown>> {
  try {
    const data = read();
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
