import { differsInCaseOnly, isSameTerm } from './term-case.ts';
import { wordBoundsOf } from './word-bounds.ts';
import type { WordBounds } from './word-bounds.ts';

/** One term and what stands for it from now on. */
export interface TermRule {
  readonly term: string;
  readonly replacement: string;
  /** Also where it is a part of a longer word. */
  readonly insideWords: boolean;
  /** Only in exactly these capitals. */
  readonly matchCase: boolean;
}

export interface TermMatch {
  readonly rule: TermRule;
  /** Offsets in the searched text. */
  readonly from: number;
  readonly to: number;
  /** Why it is left alone; undefined: it is meant. */
  readonly leftAlone?: string;
}

/** A rule made ready for searching many texts. */
export interface Searcher {
  readonly rule: TermRule;
  readonly pattern: RegExp;
  /** The term's longest word: between two words there may be a line break or markup. */
  readonly quick: RegExp;
}

/** Terms are literal text: the pattern has no alternatives to go back to, so its time is linear. */
export function searcherFor(rule: TermRule): Searcher {
  const words = rule.term.trim().split(/[\s\u00A0]+/);
  const source = words.map(escapePattern).join('[ \\u00A0]{1,4}');
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const exact = rule.matchCase || differsInCaseOnly(rule.term, rule.replacement);
  const flags = exact ? 'u' : 'iu';
  return {
    rule,
    pattern: new RegExp(anyApostrophe(source), `g${flags}`),
    quick: new RegExp(anyApostrophe(escapePattern(longest)), flags),
  };
}

function anyApostrophe(source: string): string {
  return source.replaceAll(/['’]/g, "['’]");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** A quick look whether a term can occur in a page, before it is parsed. */
export function mayContain(text: string, { quick }: Searcher): boolean {
  return quick.test(text);
}

/**
 * Every occurrence of the terms; where two overlap, the earlier, then the longer one counts.
 *
 * @param isCode the text is code or an address, where words stand close together
 */
export function findTerms(text: string, searchers: readonly Searcher[], isCode = false): TermMatch[] {
  const found: TermMatch[] = [];
  const bounds = wordBoundsOf(text);
  for (const { rule, pattern } of searchers) {
    for (const match of text.matchAll(pattern)) {
      const from = match.index;
      const to = from + match[0].length;
      const leftAlone = reasonToLeave(text, bounds, from, to, rule, match[0], isCode);
      found.push(leftAlone === undefined ? { rule, from, to } : { rule, from, to, leftAlone });
    }
  }
  const meant = found.filter((match) => match.leftAlone === undefined);
  const chosen: TermMatch[] = [];
  let end = -1;
  for (const match of meant.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (match.from < end) continue;
    chosen.push(match);
    end = match.to;
  }
  const isTaken = (match: TermMatch): boolean =>
    chosen.some((other) => other.from < match.to && match.from < other.to);
  const others = found.filter((match) => match.leftAlone !== undefined && !isTaken(match));
  return [...chosen, ...others].toSorted((a, b) => a.from - b.from);
}

/** Left alone, because a replacement has a plural of its own. */
export const inThePlural = 'in the plural';
const insideLongerWords = 'inside longer words';
const inNames = 'in addresses, file names or code-like words';

function reasonToLeave(
  text: string,
  bounds: WordBounds,
  from: number,
  to: number,
  rule: TermRule,
  found: string,
  isCode: boolean,
): string | undefined {
  if (!rule.insideWords) {
    const before = text.slice(Math.max(0, from - 2), from);
    const after = text.slice(to, to + 3);
    if (/^[\p{L}\p{N}_]/u.test(found) && bounds.isInside(from)) return insideLongerWords;
    if (/\p{L}$/u.test(found) && /^(?:es|s)(?![\p{L}\p{N}\p{M}_-])/iu.test(text.slice(to, to + 4)))
      return inThePlural;
    if (/[\p{L}\p{N}_]$/u.test(found) && bounds.isInside(to)) return insideLongerWords;
    // "C++" is no part of "C+++".
    if (/[^\p{L}\p{N}]$/u.test(found) && after[0] === found.at(-1)) return insideLongerWords;
    if (isCode) return undefined;
    if (/[\p{L}\p{N}]-$/u.test(before) || /^-[\p{L}\p{N}]/u.test(after)) return insideLongerWords;
    // Don't, can't, they're: one word; the possessive is not.
    if (/^['’](?!s(?![\p{L}]))\p{L}/u.test(after) || /\p{L}['’]$/u.test(before)) return insideLongerWords;
    if (isCodeLike(text, from, to)) return inNames;
  }
  return isSameTerm(found, rule.term) ? undefined : 'in lower case, where it may be another word';
}

/** Looks at what surrounds an occurrence without a space: `docs.json`, `/api/docs`, `--docs`, `docs()`. */
function isCodeLike(text: string, from: number, to: number): boolean {
  const before = /[^\s\uFFFC]*$/u.exec(text.slice(Math.max(0, from - 100), from))?.[0] ?? '';
  const after = /^[^\s\uFFFC]*/u.exec(text.slice(to, to + 100))?.[0] ?? '';
  if (
    /[@#$\\=]$|[\p{L}\p{N}]::?$|->$|(?:^|[\s("'“‘[])-{1,2}$|[\p{L}\p{N}]\.$|^\.$|(?:^|[("'])[.~]?\/(?:.*\/)?$|:\/\//u.test(
      before,
    )
  )
    return true;
  if (/^(?:\.[\p{L}\p{N}]|\(\)|=\S|::|:[\p{L}\p{N}]|->|\\|:\/\/|@\w)/u.test(after)) return true;
  // One slash joins two words; more of them, or a dot further on, make a path.
  return (
    /\/.*\/|\/.*\.\w/u.test(`${before}\u0001${after}`) &&
    /^\/|\/$/u.test(after.slice(0, 1) + before.slice(-1))
  );
}
