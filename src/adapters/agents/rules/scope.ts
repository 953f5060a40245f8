import { matchesGlob } from 'node:path/posix';
import type { Docset } from '../../../docset/docset.ts';
import { isInside } from '../../../docset/docset.ts';
import type { ScopeWords } from './instruction.ts';

export type Scope =
  | { readonly kind: 'pages'; readonly pages: readonly string[] }
  /** `words` names no page and no folder of the docs. */
  | { readonly kind: 'unknown'; readonly words: string };

/** The pages that the writer's words mean. Words that mean nothing are told, never passed over. */
export function pagesInScope(docset: Docset, { only, except }: ScopeWords): Scope {
  const chosen = only.length === 0 ? new Set(docset.pages) : new Set<string>();
  for (const words of only) {
    const pages = pagesOf(docset, words);
    if (pages.length === 0) return { kind: 'unknown', words };
    for (const page of pages) chosen.add(page);
  }
  for (const words of except) {
    const pages = pagesOf(docset, words);
    if (pages.length === 0) return { kind: 'unknown', words };
    for (const page of pages) chosen.delete(page);
  }
  return { kind: 'pages', pages: docset.pages.filter((page) => chosen.has(page)) };
}

function pagesOf(docset: Docset, words: string): string[] {
  const name = words
    .replace(/^(?:pages?|files?|folders?|director(?:y|ies)|sections?) +/i, '')
    .replace(/ +(?:pages?|files?|folders?|director(?:y|ies)|sections?|guides?)$/i, '')
    .replaceAll('\\', '/')
    .replace(/^\.?\/+/, '')
    .replace(/\/+$/, '');
  if (/^(?:all|every|the|docs|documentation)?$/i.test(name) && !docset.folders.has(name))
    return [...docset.pages];
  const roots = [...new Set(['', docset.docsRoot, docset.layout.contentRoot])];
  const paths = roots.map((root) => (root === '' ? name : `${root}/${name}`));
  if (/[*?[{]/.test(name)) {
    const patterns = [...paths, ...(name.includes('/') ? [] : [`**/${name}`])].slice(0, 4);
    return docset.pages.filter((page) => patterns.some((pattern) => safeGlob(page, pattern)));
  }
  const inFolder = docset.pages.filter((page) => paths.some((path) => isInside(page, path)));
  const exact = docset.pages.filter((page) =>
    paths.some((path) => withoutExtension(page) === withoutExtension(path)),
  );
  if (inFolder.length + exact.length > 0) return [...new Set([...exact, ...inFolder])];
  const key = keyOf(name);
  const byFolder = docset.pages.filter((page) =>
    page
      .split('/')
      .slice(0, -1)
      .some((part) => keyOf(part) === key),
  );
  if (byFolder.length > 0) return byFolder;
  const byName = docset.pages.filter((page) => keyOf(withoutExtension(page.split('/').at(-1) ?? '')) === key);
  if (byName.length > 0) return byName;
  // "The API pages" may live in `api-reference`, when there is just one such folder name.
  const alike = new Set(
    docset.pages
      .flatMap((page) => page.split('/').slice(0, -1))
      .filter((part) => keyOf(part).startsWith(`${key} `)),
  );
  return alike.size === 1 ? docset.pages.filter((page) => page.split('/').includes([...alike][0] ?? '')) : [];
}

/** Glob patterns are the writer's own, but a long row of stars takes a matcher exponential time. */
function safeGlob(path: string, pattern: string): boolean {
  const stars = pattern.match(/\*+/g)?.length ?? 0;
  return stars <= 6 && pattern.length <= 300 && matchesGlob(path, pattern);
}

function withoutExtension(path: string): string {
  return path.replace(/\.(?:md|mdx|markdown)$/i, '').toLowerCase();
}

function keyOf(name: string): string {
  return withoutExtension(name).replaceAll(/[-_\s]+/g, ' ');
}
