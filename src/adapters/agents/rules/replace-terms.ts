import { forEachLimited } from '../../../docset/concurrency.ts';
import { readDocsetPage, writeDocsetPage } from '../../../docset/docset.ts';
import { navigationFiles, navigationLabels } from '../../../docset/navigation.ts';
import { replaceOnPage } from '../../../docset/replace.ts';
import { findTerms, inThePlural, searcherFor } from '../../../docset/terms.ts';
import type { Searcher, TermRule } from '../../../docset/terms.ts';
import { followAnchors } from './follow-anchors.ts';
import type { Instruction, ScopeWords } from './instruction.ts';
import { bulletList, LeftAloneReport, quoted } from './report.ts';
import { pagesInScope } from './scope.ts';
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
      ? `Nothing was replaced: ${nothingSentence(done, term)}`
      : `Replaced ${what}: ${count(done.replaced, 'time')} on ${count(done.pages.length, 'page')}.`;
  return { title, changed: done.replaced > 0, summary: [lead, ...done.details].join('\n\n') };
}

export interface Replaced {
  readonly replaced: number;
  /** How often each term was replaced. */
  readonly terms: ReadonlyMap<TermRule, number>;
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
  const byTerm = new Map<TermRule, number>();
  const articles = new Map<string, number>();
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
    for (const [rule, times] of result.terms) byTerm.set(rule, (byTerm.get(rule) ?? 0) + times);
    if (result.articles > 0) articles.set(path, result.articles);
    if (result.anchors.size > 0) anchors.set(path, result.anchors);
  });
  await noteOthers(work, searchers, scope, left);
  const followed = await followAnchors(work, anchors);
  const list = [...changed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const details = [
    bulletList(list.map(([path, times]) => `${quoted(path)}: ${count(times, 'time')}`)),
    followed,
    articles.size === 0 ? '' : articleNote(articles),
    left.toMarkdown(),
    rules.length === 1 && rules[0] && left.has(inThePlural) ? pluralHint(rules[0], scope, work.later) : '',
    unread.length === 0 ? '' : `Not read:\n\n${bulletList(unread.toSorted())}`,
  ];
  return {
    terms: byTerm,
    replaced: list.reduce((sum, [, times]) => sum + times, 0),
    pages: list.map(([path]) => path),
    details: details.filter((part) => part !== ''),
    searched: pages.length,
    anythingLeft: !left.isEmpty,
  };
}

/** Where the words also stand, and no page of the docs may be changed: told, so that nobody has to search. */
async function noteOthers(
  { docset }: Work,
  searchers: readonly Searcher[],
  { only }: ScopeWords,
  left: LeftAloneReport,
): Promise<void> {
  const inText = (text: string): number =>
    findTerms(text, searchers).filter((match) => match.leftAlone === undefined).length;
  const note = (path: string, reason: string, times: number): void => {
    if (times > 0) left.add(path, [{ reason, count: times }]);
  };
  for (const file of only.length === 0 ? await navigationFiles(docset) : []) {
    const times = navigationLabels(docset, file).reduce((sum, label) => sum + inText(label), 0);
    note(file.path, 'in the navigation or configuration', times);
  }
  const { protectedPages } = docset;
  const scope = pagesInScope({ ...docset, pages: protectedPages }, { only, except: [] });
  for (const path of scope.kind === 'pages' ? scope.pages : []) {
    const page = await readDocsetPage(docset, path);
    if (page.kind === 'text') note(path, 'in files that nobody but you should edit', inText(page.text));
  }
}

/** Articles are left to people: what is wrong in English may be right on a page of another language. */
function articleNote(articles: ReadonlyMap<string, number>): string {
  const pages = [...articles].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const total = pages.reduce((sum, [, times]) => sum + times, 0);
  const list = bulletList(pages.map(([path, times]) => `${quoted(path)}: ${count(times, 'time')}`));
  return `Please look at the article in front of the new words, ${count(total, 'time')} *a* or *an* no longer fits:\n\n${list}`;
}

/** A replacement has a plural of its own, which a rule can only propose. */
function pluralHint({ term, replacement }: TermRule, scope: ScopeWords, later: Work['later']): string {
  const follows = later.some(
    (each) => each.kind === 'replace' && each.term.toLowerCase() === plural(term).toLowerCase(),
  );
  if (follows) return '';
  const places = (lead: string, words: readonly string[]): string =>
    words.length === 0 ? '' : ` ${lead} ${words.map((each) => `"${each}"`).join(' and ')}`;
  const where = places('in', scope.only) + places('except in', scope.except);
  const change = `replace "${plural(term)}" with "${plural(replacement)}"${where}`;
  return `The plural is another word. To change it too, send a follow-up: ${quoted(change)}.`;
}

function plural(words: string): string {
  if (/[^aeiou]y$/i.test(words)) return `${words.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(words) ? `${words}es` : `${words}s`;
}

function nothingSentence(done: Replaced, term: string): string {
  if (done.anythingLeft) return `${quoted(term)} stands only where I leave it alone.`;
  return done.searched === 1
    ? `the one page that I searched does not contain ${quoted(term)}.`
    : `none of the ${count(done.searched, 'page')} contains ${quoted(term)}.`;
}

function shortened(words: string): string {
  return words.length > 40 ? `${words.slice(0, 39)}…` : words;
}
