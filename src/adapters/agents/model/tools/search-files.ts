import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { isPage } from '../../../../docset/docset.ts';
import { parentOf } from '../../../../docset/layout.ts';
import { readPlainText } from '../../../../docset/read-plain.ts';
import type { LineMatcher } from './line-matcher.ts';

/** Larger files are data. */
const maximumBytes = 2_000_000;

/** Milliseconds. A search over 10,000 pages takes a tenth of it; only a pattern that was made for it comes here. */
const longestSearch = 8_000;

/** Matches that are kept of one file; the others are counted. */
const keptMatches = 50;

export interface FileMatches {
  readonly path: string;
  /** Line numbers from 1, and where in the line the match is. */
  readonly lines: readonly { readonly line: number; readonly at: number }[];
  readonly total: number;
  readonly score: number;
}

export interface SearchResult {
  readonly matches: readonly FileMatches[];
  readonly files: number;
  /** False when the time was up. */
  readonly complete: boolean;
}

/**
 * Looks through files, folder by folder. Reads without pausing inside a folder, because starting 10,000 reads
 * costs more than the reads.
 *
 * @param root real path of the workspace
 * @param paths files that a walk found, relative to it, with `/`
 * @throws the signal's reason when aborted
 */
export async function searchFiles(
  root: string,
  paths: readonly string[],
  matcher: LineMatcher,
  signal: AbortSignal,
): Promise<SearchResult> {
  const end = Date.now() + longestSearch;
  const matches: FileMatches[] = [];
  const byFolder = Map.groupBy(paths, parentOf);
  let files = 0;
  for (const [folder, names] of byFolder) {
    await breath();
    signal.throwIfAborted();
    const found: FileMatches[] = [];
    for (const path of names) {
      if (Date.now() > end) return { matches: ranked([...matches, ...found]), files, complete: false };
      files += 1;
      const text = readPlainText(join(root, path), maximumBytes);
      const match = text === undefined ? undefined : matchesOf(path, text, matcher, end);
      if (match) found.push(match);
    }
    // A folder that was exchanged for a link meanwhile led elsewhere: what was read there is not told.
    if (found.length > 0 && (await realpath(join(root, folder)).catch(() => '')) !== join(root, folder))
      continue;
    matches.push(...found);
  }
  return { matches: ranked(matches), files, complete: true };
}

function ranked(matches: readonly FileMatches[]): FileMatches[] {
  return matches.toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

function matchesOf(path: string, text: string, matcher: LineMatcher, end: number): FileMatches | undefined {
  const places = matcher.find(text, end);
  if (places.length === 0) return undefined;
  const lines: { line: number; at: number }[] = [];
  let line = 1;
  let counted = 0;
  let headings = 0;
  let last = 0;
  for (const { start, at } of places) {
    if (lines.length === keptMatches) break;
    for (
      let next = text.indexOf('\n', counted);
      next !== -1 && next < start;
      next = text.indexOf('\n', counted)
    ) {
      counted = next + 1;
      line += 1;
    }
    if (line === last) continue;
    last = line;
    if (
      /^(?:#{1,6} |(?:title|sidebarTitle|sidebar_label|description)\s*:)/.test(text.slice(start, start + 20))
    )
      headings += 1;
    lines.push({ line, at: at - start });
  }
  // Titles and headings say what a page is about; ten mentions say it better than one, a hundred not much more.
  const inName = matcher.fits(path.slice(path.lastIndexOf('/') + 1)) ? 20 : 0;
  const score =
    (isPage(path) ? 10 : 0) + inName + Math.min(headings, 3) * 8 + Math.log2(places.length + 1) * 3;
  return { path, lines, total: places.length, score };
}
