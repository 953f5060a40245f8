import type { Generator } from './layout.ts';
import { bareSlug, Slugger, slugOf, unicodeSlug } from './slug.ts';
import { spanOf, walkTree } from './tree.ts';
import type { PageNode } from './tree.ts';

export interface PageAnchors {
  /** Anchors that exist, headings first, in the page's order. */
  readonly headings: readonly HeadingAnchor[];
  /** Anchors that components make of their titles, in the page's order. */
  readonly titles: readonly string[];
  /** Every anchor that exists or may exist: explicit ids, components' titles, other slug rules. */
  readonly possible: ReadonlySet<string>;
  /** Letters and digits of `possible`, for generators whose slug rules are not published. */
  readonly bare: ReadonlySet<string>;
  /** True when something on the page may bring anchors that cannot be seen here, such as an include. */
  readonly open: boolean;
}

export interface HeadingAnchor {
  readonly text: string;
  readonly id: string;
  /** The id stands on the page and does not follow from the heading's words. */
  readonly explicit: boolean;
}

/** Content that is put in from elsewhere when the site is built. */
const includes =
  /--8<--|@include\s*:|@include\(|\{%-?\s*(?:include|capture|render|for|macro)|\{\{[%<]|\{\{\s*\w+[(.]|^:{3,} ?[\w.-]+[.]\w|^\s*::: mkdocs-click|\{(?:include|eval-rst|automodule|autodoc)/m;

/** Finds the anchors of a parsed page. */
export function anchorsOf(text: string, tree: PageNode, generator: Generator): PageAnchors {
  const slugger = new Slugger(generator);
  const headings: HeadingAnchor[] = [];
  const titles: string[] = [];
  const possible = new Set<string>(['', 'top']);
  let open = includes.test(text);
  walkTree(tree, (node) => {
    if (node.type === 'heading') {
      const words = headingText(text, node);
      const { plain, custom } = splitExplicitId(words);
      const id = custom === undefined ? slugger.next(plain) : slugger.take(custom);
      headings.push({ text: plain, id, explicit: custom !== undefined });
      possible.add(id);
      // Projects choose between the two slug functions of Python-Markdown.
      if (generator === 'mkdocs' && custom === undefined) possible.add(unicodeSlug(plain));
    }
    for (const attribute of node.attributes ?? []) {
      if (attribute.name === 'title' && typeof attribute.value === 'string') {
        titles.push(slugOf(attribute.value, generator));
      }
      if (typeof attribute.value === 'string')
        noteAttribute(attribute.name ?? '', attribute.value, generator, possible);
      // `{...props}` and `id={x}` may make any anchor.
      else if (attribute.name === undefined || /^(?:id|name)$/.test(attribute.name)) open = true;
    }
    if (node.type === 'mdxjsEsm' && /\.mdx?['"]/.test(node.value ?? '')) open = true;
    if (node.type === 'mdxFlowExpression' && /\S/.test((node.value ?? '').replace(/^\/\*[\s\S]*\*\/$/, '')))
      open = true;
    return undefined;
  });
  // Anywhere on the page, code too: an anchor that may exist is not a broken one.
  for (const match of text.matchAll(
    /\b(?:id|name)\s{0,3}=\s{0,3}\\?["']([^"'\s]{1,200})["']|\{:?[^{}\n#]{0,100}#([\w:.-]{1,200})|^\(([\w.:-]{1,200})\)=/gm,
  )) {
    possible.add(match[1] ?? match[2] ?? match[3] ?? '');
  }
  const openapi =
    tree.children?.[0]?.type === 'yaml' &&
    /^(?:openapi|asyncapi|layout|template)\s*:/m.test(tree.children[0].value ?? '');
  const bare = hasKnownSlugs(generator) ? [] : [...possible].map(bareSlug).filter((id) => id !== '');
  return { headings, titles, possible, bare: new Set(bare), open: open || openapi };
}

/** Which anchors of an edited page are called otherwise now. Both versions must have the same structure. */
export function anchorChanges(before: PageAnchors, after: PageAnchors): Map<string, string> {
  const changes = new Map<string, string>();
  const stillThere = new Set([...after.headings.map(({ id }) => id), ...after.titles]);
  const note = (old: string | undefined, fresh: string | undefined): void => {
    if (old !== undefined && fresh !== undefined && old !== fresh && !stillThere.has(old))
      changes.set(old, fresh);
  };
  if (before.headings.length !== after.headings.length || before.titles.length !== after.titles.length)
    return changes;
  for (const [index, { id }] of before.headings.entries()) note(id, after.headings[index]?.id);
  for (const [index, id] of before.titles.entries()) note(id, after.titles[index]);
  return changes;
}

/** Mintlify and Antora keep or replace punctuation by rules of their own. */
export function hasKnownSlugs(generator: Generator): boolean {
  return generator !== 'mintlify' && generator !== 'antora';
}

/** True when the anchor exists or may exist. `anchor` is decoded and has no `#`. */
export function hasAnchor(anchors: PageAnchors, anchor: string): boolean {
  if (anchors.open || anchors.possible.has(anchor) || anchors.bare.has(bareSlug(anchor))) return true;
  // Text fragments, line numbers and routes of single-page applications are no anchors of the page.
  return /^(?::~:|L\d|\/|!|__|fn(?:ref)?[:-]|user-content-)/.test(anchor);
}

/** Mintlify and others make anchors of the titles of tabs, steps, accordions, updates and parameters. */
function noteAttribute(name: string, value: string, generator: Generator, possible: Set<string>): void {
  if (/^(?:id|name|anchor|title|label|path|query|body|header|group|tag|value)$/.test(name)) {
    const slug = slugOf(value, generator);
    for (const each of [value, slug, `param-${slug}`, `response-${slug}`, `body-${slug}`]) possible.add(each);
    possible.add(`param-${bareSlug(value)}`);
  }
}

/** The words of a heading as generators take them: code counts, tags and images do not. */
function headingText(text: string, heading: PageNode): string {
  let words = '';
  walkTree(heading, (node) => {
    if (node.type === 'text')
      words += withIds(node.value ?? '', text.slice(spanOf(node).start, spanOf(node).end));
    else if (node.type === 'inlineCode') words += node.value ?? '';
    else if (node.type === 'break') words += ' ';
    else if (node.type === 'mdxTextExpression') words += text.slice(spanOf(node).start, spanOf(node).end);
    return undefined;
  });
  return words.trim();
}

/** Where MDX cannot read `{#id}`, the parser was shown `(#id)`. */
function withIds(value: string, written: string): string {
  return value.replaceAll(/\(#([\w:.-]{1,200})\)/g, (shown, id: string) =>
    written.includes(`{#${id}}`) ? `{#${id}}` : shown,
  );
}

/** VitePress, Docusaurus, MkDocs, Hugo and Pandoc let a heading end with its own id: `{#id}`, `{: #id .class }`. */
function splitExplicitId(words: string): { plain: string; custom: string | undefined } {
  const open = words.endsWith('}') ? words.lastIndexOf('{') : -1;
  const custom =
    open === -1 ? undefined : /^\{:?[^#]{0,200}#([^\s#{}"'<>]{1,200})/.exec(words.slice(open))?.[1];
  return custom === undefined ? { plain: words, custom } : { plain: words.slice(0, open).trimEnd(), custom };
}
