/** A place in a page's text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface JsxAttribute {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly position?: Position;
}

interface Position {
  readonly start: { readonly offset?: number; readonly line: number };
  readonly end: { readonly offset?: number };
}

/**
 * What this room reads of a syntax tree's node (mdast with GFM, front matter and MDX). Every field that only
 * some node types have is optional, so one walk serves all of them.
 */
export interface PageNode {
  readonly type: string;
  readonly children?: readonly PageNode[];
  readonly value?: string;
  readonly url?: string;
  readonly title?: string | null;
  readonly alt?: string | null;
  readonly depth?: number;
  readonly lang?: string | null;
  readonly name?: string | null;
  readonly label?: string | null;
  readonly identifier?: string;
  readonly referenceType?: string;
  readonly attributes?: readonly JsxAttribute[];
  readonly data?: { readonly estree?: unknown };
  readonly position?: Position;
}

/** Where a node stands; an empty place at 0 for a node that the parser made up. */
export function spanOf(node: { readonly position?: Position }): Span {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/**
 * Visits a tree in document order without recursion, so that a page nested ten thousand deep cannot
 * exhaust the stack. A visitor that answers `false` keeps the walk out of that node's children.
 */
export function walkTree(
  root: PageNode,
  visit: (node: PageNode, parent: PageNode | undefined) => boolean | undefined | void,
): void {
  const stack: { node: PageNode; parent: PageNode | undefined }[] = [{ node: root, parent: undefined }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, parent } = next;
    if (visit(node, parent) === false || !node.children) continue;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child) stack.push({ node: child, parent: node });
    }
  }
}

/** The 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
