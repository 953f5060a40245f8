import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import { maskAdmonitions } from './admonitions.ts';
import { isTooDense } from './density.ts';
import type { Generator } from './layout.ts';
import { lineAt } from './tree.ts';
import type { PageNode } from './tree.ts';

/** How a page was read: as MDX (JSX, expressions, imports) or as Markdown with HTML. */
export type Dialect = 'mdx' | 'markdown';

export type ParsedPage =
  | { readonly kind: 'parsed'; readonly dialect: Dialect; readonly tree: PageNode }
  | {
      readonly kind: 'failed';
      /** `limit`: nothing may be wrong with the page, but reading it would take too much. */
      readonly cause: 'syntax' | 'limit';
      readonly line: number;
      readonly reason: string;
    };

const frontMatterKinds: ('yaml' | 'toml')[] = ['yaml', 'toml'];

/**
 * Parses a page for the positions of its parts. The offsets are those of `text`, which must have no byte
 * order mark. A `.mdx` page that is no valid MDX fails, a `.md` page only at a limit of the parser: a site that reads its
 * `.md` pages as MDX gets that first, and Markdown with HTML where that does not work.
 */
export function parsePage(text: string, path: string, generator: Generator): ParsedPage {
  if (isTooDense(text)) {
    return {
      kind: 'failed',
      cause: 'limit',
      line: 1,
      reason: 'it holds more markup than can be read safely',
    };
  }
  const mustBeMdx = /\.mdx$/i.test(path);
  if (mustBeMdx || readsMarkdownAsMdx(generator)) {
    const parsed = parseMdx(text);
    if (mustBeMdx || parsed.kind === 'parsed') return parsed;
  }
  const masked = generator === 'mkdocs' ? maskAdmonitions(text) : text;
  try {
    const tree = fromMarkdown(masked, {
      extensions: [frontmatter(frontMatterKinds), gfm()],
      mdastExtensions: [frontmatterFromMarkdown(frontMatterKinds), gfmFromMarkdown()],
    });
    return { kind: 'parsed', dialect: 'markdown', tree };
  } catch (error) {
    // Every text is Markdown, but thousands of nested quotes exhaust the parser's stack.
    return {
      kind: 'failed',
      cause: 'limit',
      line: 1,
      reason: error instanceof RangeError ? 'it is nested too deeply' : String(error),
    };
  }
}

/** Docusaurus, Mintlify and Nextra compile `.md` as MDX. */
function readsMarkdownAsMdx(generator: Generator): boolean {
  return generator === 'docusaurus' || generator === 'mintlify' || generator === 'nextra';
}

function parseMdx(text: string): ParsedPage {
  const first = tryMdx(text);
  if (first.kind === 'parsed') return first;
  // Generators rewrite these two before MDX sees them; here each is replaced by something of its own
  // length that is valid, so that all offsets stay.
  const masked = maskComments(text.replaceAll(/\{#([\w:.-]{1,200})\}/g, '(#$1)'));
  return masked === text ? first : tryMdx(masked);
}

/** By `indexOf`, because a lazy regular expression takes quadratic time on a page of unclosed comments. */
function maskComments(text: string): string {
  let masked = '';
  let done = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', done)) {
    const end = text.indexOf('-->', start + 4);
    if (end === -1) break;
    const inner = text.slice(start + 4, end);
    masked += text.slice(done, start) + (inner.includes('*/') ? `<!--${inner}-->` : `{/**${inner}*/}`);
    done = end + 3;
  }
  return masked + text.slice(done);
}

function tryMdx(text: string): ParsedPage {
  try {
    const tree = fromMarkdown(text, {
      extensions: [frontmatter(frontMatterKinds), gfm(), mdxjs()],
      mdastExtensions: [frontmatterFromMarkdown(frontMatterKinds), gfmFromMarkdown(), mdxFromMarkdown()],
    });
    return { kind: 'parsed', dialect: 'mdx', tree };
  } catch (error) {
    return {
      kind: 'failed',
      cause: error instanceof RangeError ? 'limit' : 'syntax',
      ...placeOf(error, text),
    };
  }
}

/** micromark throws a `VFileMessage`, whose `reason` and place are its own words. */
function placeOf(error: unknown, text: string): { line: number; reason: string } {
  const message = error as {
    reason?: unknown;
    line?: unknown;
    message?: unknown;
    place?: { offset?: unknown };
  };
  const offset = message.place?.offset;
  const whole = typeof message.reason === 'string' ? message.reason : String(message.message ?? error);
  const reason = whole.split('\n', 1)[0]?.slice(0, 200) ?? '';
  // A tag that is not closed has its place in the words alone: `(3:1-3:7)`.
  const told = /\((\d+):\d+(?:-\d+:\d+)?\)$/.exec(reason)?.[1];
  if (typeof message.line === 'number') return { line: message.line, reason };
  if (typeof offset === 'number') return { line: lineAt(text, offset), reason };
  return { line: Number(told ?? 1), reason };
}
