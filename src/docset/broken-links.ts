import { anchorsOf, hasAnchor } from './anchors.ts';
import type { PageAnchors } from './anchors.ts';
import { linksOf } from './links.ts';
import type { PageLink } from './links.ts';
import { isIncluded, readAnchors, resolveLink } from './site.ts';
import type { Site, Target } from './site.ts';
import { lineAt } from './tree.ts';
import type { PageNode } from './tree.ts';

export type BrokenLink = PageLink & { readonly line: number } & (
    | { readonly problem: 'missing'; readonly target: Extract<Target, { kind: 'missing' }> }
    | {
        readonly problem: 'anchor';
        readonly target: Extract<Target, { kind: 'page' }>;
        readonly anchors: PageAnchors;
      }
  );

/** Remembers the anchors of pages, so that a page that many link to is parsed once. */
export class AnchorIndex {
  private readonly known = new Map<string, Promise<PageAnchors | undefined>>();
  private readonly site: Site;

  constructor(site: Site) {
    this.site = site;
  }

  of(path: string): Promise<PageAnchors | undefined> {
    let anchors = this.known.get(path);
    if (!anchors) {
      anchors = readAnchors(this.site, path);
      this.known.set(path, anchors);
    }
    return anchors;
  }

  /** Saves parsing a page again whose tree is at hand. */
  note(path: string, text: string, tree: PageNode): void {
    if (!this.known.has(path)) {
      this.known.set(path, Promise.resolve(anchorsOf(text, tree, this.site.docset.layout.generator)));
    }
  }
}

/** The links of a parsed page that lead nowhere, as far as that can be told for sure. */
export async function brokenLinksOf(
  site: Site,
  index: AnchorIndex,
  path: string,
  text: string,
  tree: PageNode,
): Promise<BrokenLink[]> {
  index.note(path, text, tree);
  const broken: BrokenLink[] = [];
  for (const link of linksOf(text, tree, site.docset.layout.generator)) {
    if (link.kind === 'import') continue;
    const target = resolveLink(site, path, link.url);
    if (target.kind === 'missing') {
      broken.push({ ...link, line: lineAt(text, link.span.start), problem: 'missing', target });
    } else if (target.kind === 'page' && target.hash !== '' && link.kind === 'link') {
      // A fragment shows up inside other pages: its own anchors are not all that its links can mean.
      if (target.path === path && isIncluded(path)) continue;
      const anchors = await index.of(target.path);
      if (anchors && !hasAnchor(anchors, target.hash)) {
        broken.push({ ...link, line: lineAt(text, link.span.start), problem: 'anchor', target, anchors });
      }
    }
  }
  return broken;
}
