import { forEachLimited } from '../../../docset/concurrency.ts';
import { readDocsetPage, writeDocsetPage } from '../../../docset/docset.ts';
import { stringLiterals } from '../../../docset/literals.ts';
import { navigationFiles } from '../../../docset/navigation.ts';
import { replaceOnPage } from '../../../docset/replace.ts';
import { findTerms, mayContain, searcherFor } from '../../../docset/terms.ts';
import type { Searcher, TermRule } from '../../../docset/terms.ts';
import { followAnchors } from './follow-anchors.ts';
import type { Instruction } from './instruction.ts';
import { bulletList, LeftAloneReport, quoted } from './report.ts';
import { count, counter, pagesAtOnce, scopedPages } from './work.ts';
import type { Outcome, Work } from './work.ts';

/** Replaces one term. */
export async function replaceTerm(
  work: Work,
  instruction: Extract<Instruction, { kind: 'replace' }>,
): Promise<Outcome> {
  const { term, replacement, options } = instruction;
  const rule: TermRule = {
    term,
    replacement,
    insideWords: options.insideWords,
    matchCase: options.matchCase,
  };
  const title = `Replace "${shortened(term)}" with "${shortened(replacement)}"`;
  const done = await replaceRules(work, [rule], instruction);
  const what = `${quoted(term)} with ${quoted(replacement)}`;
  const lead =
    done.replaced === 0
      ? `No page was changed: ${nothingSentence(done, term)}`
      : `Replaced ${what}: ${count(done.replaced, 'time')} on ${count(done.pages.length, 'page')}.`;
  return { title, changed: done.replaced > 0, summary: [lead, ...done.details].join('\n\n') };
}

export interface Replaced {
  readonly replaced: number;
  readonly pages: readonly string[];
  /** Markdown paragraphs and lists. */
  readonly details: readonly string[];
  readonly searched: number;
  readonly anythingLeft: boolean;
}

/** Replaces several terms in one go over the pages. */
export async function replaceRules(
  work: Work,
  rules: readonly TermRule[],
  { scope, options }: Pick<Extract<Instruction, { kind: 'replace' | 'terms' }>, 'scope' | 'options'>,
): Promise<Replaced> {
  const { docset, signal } = work;
  const searchers = rules.map(searcherFor);
  const pages = scopedPages(docset, scope);
  const left = new LeftAloneReport();
  const unread: string[] = [];
  const changed = new Map<string, number>();
  const anchors = new Map<string, ReadonlyMap<string, string>>();
  const tick = counter(work, pages.length, 'Reading');
  await forEachLimited(pages, pagesAtOnce, signal, async (path) => {
    const page = await readDocsetPage(docset, path);
    tick();
    if (page.kind === 'refused') {
      unread.push(`${quoted(path)}, because ${page.reason}`);
      return;
    }
    const result = replaceOnPage(page.text, path, docset.layout.generator, searchers, options.reach);
    if (result.kind === 'absent') return;
    left.add(path, result.leftAlone);
    if (result.replaced === 0) return;
    signal.throwIfAborted();
    await writeDocsetPage(docset, path, result.text, page.byteOrderMark);
    changed.set(path, result.replaced);
    if (result.anchors.size > 0) anchors.set(path, result.anchors);
  });
  await noteOthers(work, searchers, left);
  const followed = await followAnchors(work, anchors);
  const list = [...changed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const details = [
    bulletList(list.map(([path, times]) => `${quoted(path)}: ${count(times, 'time')}`)),
    followed,
    left.toMarkdown(),
    unread.length === 0 ? '' : `Not read:\n\n${bulletList(unread.toSorted())}`,
  ];
  return {
    replaced: list.reduce((sum, [, times]) => sum + times, 0),
    pages: list.map(([path]) => path),
    details: details.filter((part) => part !== ''),
    searched: pages.length,
    anythingLeft: !left.isEmpty,
  };
}

/** Where the words also stand, and no page of the docs may be changed: told, so that nobody has to search. */
async function noteOthers(work: Work, searchers: readonly Searcher[], left: LeftAloneReport): Promise<void> {
  for (const { path, text } of await navigationFiles(work.docset)) {
    const matches = stringLiterals(text).flatMap(({ value, isKey }) =>
      isKey ? [] : findTerms(value, searchers),
    );
    const times = matches.filter((match) => match.leftAlone === undefined).length;
    if (times > 0) left.add(path, [{ reason: 'in the navigation or configuration', count: times }]);
  }
  for (const path of work.docset.protectedPages) {
    const page = await readDocsetPage(work.docset, path);
    if (page.kind === 'text' && searchers.some((searcher) => mayContain(page.text, searcher))) {
      left.add(path, [{ reason: 'in files that nobody but you should edit', count: 1 }]);
    }
  }
}

function nothingSentence(done: Replaced, term: string): string {
  return done.anythingLeft
    ? `${quoted(term)} stands only where I leave it alone.`
    : `none of the ${count(done.searched, 'page')} contains ${quoted(term)}.`;
}

function shortened(words: string): string {
  return words.length > 40 ? `${words.slice(0, 39)}…` : words;
}
