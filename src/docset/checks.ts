import { AnchorIndex, brokenLinksOf } from './broken-links.ts';
import { openDocset, isPage, readDocsetPage } from './docset.ts';
import { readFrontMatter } from './front-matter.ts';
import { parsePage } from './parse.ts';
import { openSite } from './site.ts';
import type { Site } from './site.ts';

/** Something wrong on a page that a reader or the site's build would stumble over. */
export interface Problem {
  /** Relative to the directory, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly kind: 'syntax' | 'front_matter' | 'link' | 'anchor' | 'asset' | 'navigation' | 'lost';
  /** One sentence for people. Holds text of the page. */
  readonly message: string;
}

/**
 * Checks pages after a change: MDX parses, front matter is valid, links, anchors and images resolve.
 *
 * @param directory the workspace's folder
 * @param docsRoot folder of the docs inside it, with `/`; empty for the whole
 * @param paths the pages to check, relative to `directory`, with `/`; others than pages and missing ones are passed over
 * @throws the signal's reason when aborted
 */
export async function checkPages(
  directory: string,
  docsRoot: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Problem[]> {
  return checkPagesOf(await openView(directory, docsRoot, signal), paths, signal);
}

/** A docs project with what is known of its addresses and anchors. */
export interface DocsView {
  readonly site: Site;
  readonly index: AnchorIndex;
}

export async function openView(directory: string, docsRoot: string, signal: AbortSignal): Promise<DocsView> {
  const site = await openSite(await openDocset(directory, docsRoot, signal), signal);
  return { site, index: new AnchorIndex(site) };
}

/** {@link checkPages} of a project that is open already. */
export async function checkPagesOf(
  { site, index }: DocsView,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    if (isPage(path) && site.docset.files.has(path)) problems.push(...(await checkPage(site, index, path)));
  }
  return problems;
}

async function checkPage(site: Site, index: AnchorIndex, path: string): Promise<Problem[]> {
  const { docset } = site;
  const page = await readDocsetPage(docset, path);
  if (page.kind === 'refused') return [];
  const parsed = parsePage(page.text, path, docset.layout.generator);
  if (parsed.kind === 'failed') {
    if (parsed.cause === 'limit') return [];
    return [
      { path, line: parsed.line, kind: 'syntax', message: `The page cannot be parsed: ${parsed.reason}` },
    ];
  }
  const matter = readFrontMatter(page.text, parsed.tree);
  if (matter.kind === 'invalid') {
    return [
      {
        path,
        line: matter.line,
        kind: 'front_matter',
        message: `The front matter is invalid: ${matter.reason}`,
      },
    ];
  }
  const broken = await brokenLinksOf(site, index, path, page.text, parsed.tree);
  return broken.map((link): Problem => {
    const { line, url } = link;
    if (link.problem === 'anchor') {
      return { path, line, kind: 'anchor', message: noAnchor(link.target.path, link.target.hash) };
    }
    const kind = link.target.wanted === 'asset' ? 'asset' : 'link';
    return { path, line, kind, message: `The ${link.kind} leads nowhere: ${url}` };
  });
}

export function noAnchor(path: string, hash: string): string {
  return `${path} has no anchor #${hash}`;
}
