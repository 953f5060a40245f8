import { offsetMap } from './edits.ts';
import type { Edit } from './edits.ts';
import { readFrontMatter } from './front-matter.ts';
import type { Generator } from './layout.ts';
import { parsePage } from './parse.ts';
import { spanOf, walkTree } from './tree.ts';
import type { PageNode } from './tree.ts';

export type Guarded =
  | { readonly kind: 'kept'; readonly tree: PageNode }
  | { readonly kind: 'broken'; readonly problem: string };

/**
 * Makes sure that an edited page changed only where it was meant to: every part of the old page (paragraph,
 * link, code block, attribute, front-matter value …) must be in the new one, of the same kind, in the same
 * order, at exactly the place that the edits move it to.
 *
 * @returns `kept` with the new page's tree, or what happened instead, as part of a sentence
 */
export function guardShape(
  before: string,
  after: string,
  edits: readonly Edit[],
  path: string,
  generator: Generator,
  parsedBefore?: PageNode,
): Guarded {
  const broken = (problem: string): Guarded => ({ kind: 'broken', problem });
  const old = parsedBefore ?? treeOf(before, path, generator);
  const fresh = treeOf(after, path, generator);
  if (!old) return broken('the page cannot be parsed');
  if (!fresh) return broken('the page could not be parsed any more');
  const oldParts = partsOf(before, old);
  const newParts = partsOf(after, fresh);
  if (old.name !== fresh.name) return broken('the page would no longer be valid MDX');
  if (!oldParts || !newParts) return broken('its front matter would become invalid');
  if (oldParts.length !== newParts.length) return broken('the structure of the page would change');
  const map = offsetMap(edits);
  for (const [index, part] of oldParts.entries()) {
    const twin = newParts[index];
    if (!twin || twin.label !== part.label) return broken('the structure of the page would change');
    const start = map(part.start);
    const end = map(part.end);
    if (twin.start < start.from || twin.start > start.to || twin.end < end.from || twin.end > end.to) {
      return broken('the structure of the page would change');
    }
  }
  return { kind: 'kept', tree: fresh };
}

/**
 * Makes sure that two versions of a page mean the same: the same parts with the same content; only blank
 * space around them and at the ends of lines may differ.
 */
export function guardMeaning(
  before: string,
  after: string,
  path: string,
  generator: Generator,
): string | undefined {
  const old = treeOf(before, path, generator);
  const fresh = treeOf(after, path, generator);
  if (!old || !fresh) return 'the page cannot be parsed';
  const oldContent = contentOf(old);
  const newContent = contentOf(fresh);
  const same =
    oldContent.length === newContent.length && oldContent.every((part, index) => part === newContent[index]);
  return same ? undefined : 'its meaning would change';
}

function treeOf(text: string, path: string, generator: Generator): PageNode | undefined {
  const parsed = parsePage(text, path, generator);
  // The dialect counts as part of the shape: a `.md` page must not fall from MDX to plain Markdown.
  return parsed.kind === 'parsed' ? { ...parsed.tree, name: parsed.dialect } : undefined;
}

interface Part {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

function partsOf(text: string, tree: PageNode): Part[] | undefined {
  const parts: Part[] = [];
  walkTree(tree, (node) => {
    if (node.type === 'root') return;
    const span = spanOf(node);
    const names = (node.attributes ?? []).map((attribute) => attribute.name ?? attribute.type).join(' ');
    const label = `${node.type} ${node.depth ?? ''} ${node.name ?? ''} ${names} ${node.children?.length ?? ''}`;
    parts.push({ label, ...span });
    for (const attribute of node.attributes ?? []) {
      if (attribute.position) parts.push({ label: attribute.name ?? attribute.type, ...spanOf(attribute) });
    }
  });
  const matter = readFrontMatter(text, tree);
  // Front matter that was invalid before holds no edit; it just has to stay the same text.
  if (matter.kind === 'invalid') return parts;
  for (const part of matter.shape) parts.push({ label: part.type, ...spanOf(part) });
  return parts;
}

function contentOf(tree: PageNode): string[] {
  const content: string[] = [];
  walkTree(tree, (node) => {
    const attributes = node.attributes?.map((each) => [each.type, each.name, attributeText(each.value)]);
    content.push(
      JSON.stringify([
        node.type,
        node.depth,
        node.name,
        node.type === 'text' ? spaceless(node.value ?? '') : node.value,
        node.url,
        node.title,
        node.alt,
        node.lang,
        node.identifier,
        attributes,
        node.children?.length,
      ]),
    );
  });
  return content;
}

function spaceless(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** A string as it is, an expression as its source text. */
function attributeText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'value' in value) return JSON.stringify([value.value]);
  return JSON.stringify(value ?? null);
}
