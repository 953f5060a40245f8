import { anchorChanges, anchorsOf } from './anchors.ts';
import { applyEdits, orderedEdits } from './edits.ts';
import type { Edit } from './edits.ts';
import { guardShape } from './guard.ts';
import type { Generator } from './layout.ts';
import { leftoversOf } from './leftovers.ts';
import { parsePage } from './parse.ts';
import { segmentsOf } from './segments.ts';
import type { Reach, Segment } from './segments.ts';
import { articleIsWrong, keepCase, startOfSentence, titleWords } from './term-case.ts';
import { findTerms, mayContain } from './terms.ts';
import type { Searcher, TermMatch, TermRule } from './terms.ts';

export interface LeftAlone {
  /** Where or why, as part of a sentence: "in code", "inside longer words". */
  readonly reason: string;
  readonly count: number;
  /** One of the places, as it stands on the page. */
  readonly example?: string;
}

export type PageReplacement =
  /** The page cannot hold any of the terms. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'searched';
      /** The page's new text; equal to the old one when nothing was replaced. */
      readonly text: string;
      /** How many occurrences were replaced. */
      readonly replaced: number;
      /** The same for each term that was replaced. */
      readonly terms: ReadonlyMap<TermRule, number>;
      /** Occurrences behind an English article that does not fit any more: "a add-on". */
      readonly articles: number;
      readonly leftAlone: readonly LeftAlone[];
      /** Anchors that are called otherwise now, old → new. */
      readonly anchors: ReadonlyMap<string, string>;
    };

/** Replaces terms on one page, in its prose only unless `reach` says more. Never throws for a page's content. */
export function replaceOnPage(
  text: string,
  path: string,
  generator: Generator,
  terms: readonly Searcher[],
  reach: Reach,
): PageReplacement {
  const searchers = terms.filter((searcher) => mayContain(text, searcher));
  if (searchers.length === 0) return { kind: 'absent' };
  const parsed = parsePage(text, path, generator);
  if (parsed.kind === 'failed') {
    const count = findTerms(text, searchers).filter((match) => match.leftAlone === undefined).length;
    const reason = `on a page that cannot be parsed (line ${parsed.line}: ${parsed.reason})`;
    return count === 0 ? { kind: 'absent' } : unchanged(text, [{ reason, count }]);
  }
  const tree = { ...parsed.tree, name: parsed.dialect };
  const found = segmentsOf(text, tree, generator, reach).map((segment) => ({
    segment,
    matches: findTerms(
      segment.text.value,
      searchers,
      segment.kind === 'code' || segment.kind === 'link target',
    ),
  }));
  const left = new LeftAloneCount();
  const plan = (escaped: boolean, note: LeftAloneCount | undefined): Plan => {
    const edits: Edit[] = [];
    let replaced = 0;
    let articles = 0;
    const byTerm = new Map<TermRule, number>();
    const labels = new Set<Edit>();
    for (const { segment, matches } of found) {
      for (const match of matches) {
        const change = changeOf(segment, match, escaped);
        if (typeof change === 'string') note?.add(change, around(segment.text.value, match));
        else {
          edits.push(...change.edits);
          for (const label of segment.text.labelsOf(match.from, match.to)) labels.add(label);
          replaced += 1;
          byTerm.set(match.rule, (byTerm.get(match.rule) ?? 0) + 1);
          if (change.articleIsWrong) articles += 1;
        }
      }
    }
    return { edits: orderedEdits([...edits, ...labels]), replaced, terms: byTerm, articles };
  };
  const planned = plan(false, left);
  for (const rest of leftoversOf(
    text,
    tree,
    searchers,
    found.map(({ segment }) => segment),
  )) {
    left.add(rest.reason, rest.example);
  }
  if (planned.replaced === 0) return unchanged(text, left.list());

  let problem: string | undefined;
  for (const escaped of [false, true]) {
    const { edits } = escaped ? plan(true, undefined) : planned;
    const after = applyEdits(text, edits);
    const guarded = guardShape(text, after, edits, path, generator, tree);
    if (guarded.kind === 'broken') problem = guarded.problem;
    else {
      const anchors = anchorChanges(
        anchorsOf(text, tree, generator),
        anchorsOf(after, guarded.tree, generator),
      );
      const { replaced, terms: byTerm, articles } = planned;
      return {
        kind: 'searched',
        text: after,
        replaced,
        terms: byTerm,
        articles,
        leftAlone: left.list(),
        anchors,
      };
    }
  }
  left.add(`because ${problem ?? 'the page would change'}`, undefined, planned.replaced);
  return unchanged(text, left.list());
}

interface Plan {
  readonly edits: readonly Edit[];
  readonly replaced: number;
  readonly terms: ReadonlyMap<TermRule, number>;
  readonly articles: number;
}

function unchanged(text: string, leftAlone: readonly LeftAlone[]): PageReplacement {
  return {
    kind: 'searched',
    text,
    replaced: 0,
    terms: new Map(),
    articles: 0,
    leftAlone,
    anchors: new Map(),
  };
}

interface Change {
  readonly edits: readonly Edit[];
  readonly articleIsWrong: boolean;
}

/** The edits of one occurrence, or the reason to leave it alone. */
function changeOf(segment: Segment, match: TermMatch, escaped: boolean): Change | string {
  if (match.leftAlone !== undefined) return match.leftAlone;
  const { text } = segment;
  const locked = text.lockOf(match.from, match.to);
  if (locked !== undefined) return `in ${locked}`;
  const found = text.value.slice(match.from, match.to);
  const { term, replacement, matchCase } = match.rule;
  const kept = matchCase ? replacement : keepCase(found, term, replacement);
  const before = text.value.slice(0, match.from);
  const plain = matchCase
    ? kept
    : startOfSentence(titleWords(kept, found, before, text.value.slice(match.to)), found, before);
  if (plain === found) return 'where it is right already';
  if (segment.quote !== '' && plain.includes(segment.quote))
    return 'in values whose quotes the new words hold too';
  const words = escaped && segment.kind === 'prose' ? escapeMarkdown(plain) : plain;
  const edits = editsOf(segment, match, words);
  if (typeof edits === 'string') return edits;
  return { edits, articleIsWrong: segment.kind !== 'code' && articleIsWrong(before, found, plain) };
}

function editsOf(segment: Segment, match: TermMatch, words: string): Edit[] | string {
  const { text } = segment;
  const found = text.value.slice(match.from, match.to);
  const cuts = [...found.matchAll(/[ \u00A0]+/g)].map((space) => ({
    start: match.from + space.index,
    end: match.from + space.index + space[0].length,
  }));
  if (text.isOneUnit(match.from, match.to)) {
    const line = cuts.findIndex((cut) => text.isBreak(cut.start));
    const parts = words.split(' ');
    // A line break between two words stays between two words, so that the paragraph keeps its lines.
    if (line === -1 || parts.length === 1) return [{ ...text.span(match.from, match.to), text: words }];
    const cut = cuts[line];
    if (!cut) return [];
    const first = Math.min(line + 1, parts.length - 1);
    return [
      { ...text.span(match.from, cut.start), text: parts.slice(0, first).join(' ') },
      { ...text.span(cut.end, match.to), text: parts.slice(first).join(' ') },
    ];
  }
  return wordByWord(segment, match, cuts, words.split(' '));
}

/** Formatting begins or ends inside the term: safe when each word keeps its own, as in `**Log** in`. */
function wordByWord(
  { text }: Segment,
  match: TermMatch,
  cuts: readonly { start: number; end: number }[],
  words: readonly string[],
): Edit[] | string {
  const reason = 'where formatting begins or ends inside it';
  if (cuts.length + 1 !== words.length) return reason;
  const edits: Edit[] = [];
  for (const [index, word] of words.entries()) {
    const from = index === 0 ? match.from : (cuts[index - 1]?.end ?? match.from);
    const to = cuts[index]?.start ?? match.to;
    if (!text.isOneUnit(from, to)) return reason;
    edits.push({ ...text.span(from, to), text: word });
  }
  return edits;
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|~#&]/g, String.raw`\$&`);
}

/** The occurrence with the rest of the words that it is in. */
function around(text: string, match: TermMatch): string {
  const before = /[^\s\uFFFC]{0,40}$/u.exec(text.slice(Math.max(0, match.from - 40), match.from))?.[0] ?? '';
  const after = /^[^\s\uFFFC]{0,40}/u.exec(text.slice(match.to, match.to + 40))?.[0] ?? '';
  return (
    before.replace(/^[^\p{L}\p{N}_$@#./-]+/u, '') +
    text.slice(match.from, match.to) +
    after.replace(/[^\p{L}\p{N}_)]+$/u, '')
  );
}

class LeftAloneCount {
  private readonly reasons = new Map<string, LeftAlone>();

  add(reason: string, example: string | undefined, count = 1): void {
    const known = this.reasons.get(reason);
    const shown = known?.example ?? example;
    const total = (known?.count ?? 0) + count;
    this.reasons.set(
      reason,
      shown === undefined ? { reason, count: total } : { reason, count: total, example: shown },
    );
  }

  list(): LeftAlone[] {
    return [...this.reasons.values()].filter(({ reason }) => reason !== 'where it is right already');
  }
}
