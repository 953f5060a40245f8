import { isWord, LinePattern } from './line-pattern.ts';

/** Longer lines are data on one line; what stands beyond is not looked at by a pattern. */
const longestLine = 20_000;

/** A line that matches: where it starts in the text, and where the match is. */
export interface MatchingLine {
  readonly start: number;
  readonly at: number;
}

/** Finds the lines of a text that match. */
export interface LineMatcher {
  /** @param end stops at this time, in milliseconds since the epoch, with what it has */
  find(text: string, end: number): MatchingLine[];
  fits(line: string): boolean;
}

export interface MatcherOptions {
  readonly regex: boolean;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
}

/** @returns a sentence when the query cannot be used */
export function lineMatcher(query: string, options: MatcherOptions): LineMatcher | string {
  if (query.trim() === '') return 'The query is empty. Give the words to look for.';
  if (query.length > 1_000) return 'The query is too long. Look for a short, telling part of it.';
  if (!options.regex && /[\r\n]/.test(query.trim())) {
    return 'A search finds text within one line. Look for one telling line of it.';
  }
  return options.regex ? patternMatcher(query, options) : textMatcher(query.trim(), options);
}

function textMatcher(query: string, { matchCase, wholeWord }: MatcherOptions): LineMatcher {
  const words = matchCase ? query : lower(query);
  const find = (text: string): MatchingLine[] => {
    const haystack = matchCase ? text : lower(text);
    const found: MatchingLine[] = [];
    for (let at = haystack.indexOf(words); at !== -1;) {
      if (wholeWord && !standsAlone(haystack, at, at + words.length)) {
        at = haystack.indexOf(words, at + 1);
        continue;
      }
      const start = haystack.lastIndexOf('\n', at) + 1;
      found.push({ start, at });
      const next = haystack.indexOf('\n', at);
      at = next === -1 ? -1 : haystack.indexOf(words, next);
    }
    return found;
  };
  return { find, fits: (line) => find(line).length > 0 };
}

/** Offsets stay: the few letters that grow in lower case are left as they are. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replaceAll(/[^\u0130]+/g, (part) => part.toLowerCase());
}

function standsAlone(text: string, start: number, end: number): boolean {
  const before = start === 0 || !isWord(text.charCodeAt(start - 1)) || !isWord(text.charCodeAt(start));
  return before && (end >= text.length || !isWord(text.charCodeAt(end)) || !isWord(text.charCodeAt(end - 1)));
}

function patternMatcher(query: string, { matchCase, wholeWord }: MatcherOptions): LineMatcher | string {
  const pattern = LinePattern.from(query, matchCase, wholeWord);
  if (typeof pattern === 'string') return pattern;
  const find = (text: string, until: number): MatchingLine[] => {
    const found: MatchingLine[] = [];
    for (let start = 0; start < text.length && Date.now() < until;) {
      const newline = text.indexOf('\n', start);
      const next = newline === -1 ? text.length : newline;
      const end = text.charCodeAt(next - 1) === 13 ? next - 1 : next;
      const match = pattern.endOfMatch(text, start, Math.min(end, start + longestLine));
      if (match !== -1) found.push({ start, at: match });
      start = next + 1;
    }
    return found;
  };
  return { find, fits: (line) => pattern.endOfMatch(line, 0, line.length) !== -1 };
}
