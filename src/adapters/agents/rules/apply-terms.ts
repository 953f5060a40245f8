import { findTermLists, readNamedTermList } from '../../../docset/find-term-lists.ts';
import { translatedPages } from '../../../docset/languages.ts';
import { readTermList } from '../../../docset/term-list.ts';
import type { TermEntry } from '../../../docset/term-list.ts';
import type { TermRule } from '../../../docset/terms.ts';
import type { Instruction } from './instruction.ts';
import { notPossible } from './not-understood.ts';
import { replaceRules } from './replace-terms.ts';
import { bulletList, quoted } from './report.ts';
import { count } from './work.ts';
import type { Outcome, Work } from './work.ts';

/** Replaces the wrong words of a term list with the right ones. */
export async function applyTerms(
  work: Work,
  instruction: Extract<Instruction, { kind: 'terms' }>,
): Promise<Outcome> {
  const { docset, signal } = work;
  const named =
    instruction.list === undefined ? undefined : await readNamedTermList(docset, instruction.list);
  if (instruction.list !== undefined && !named)
    throw notPossible(`I found no term list "${instruction.list}".`);
  const files = named ? [named] : await findTermLists(docset, signal);
  const lists = files.flatMap(({ path, text }) => {
    const list = readTermList(text, path);
    return list && list.entries.length + list.skipped.length > 0 ? [{ path, ...list }] : [];
  });
  if (lists.length === 0) {
    throw notPossible(
      instruction.list === undefined
        ? 'I found no term list: no `terms.csv`, `terms.yml` or `terms.md`, and no Vale substitution rules.'
        : `I cannot read "${instruction.list}" as a term list: two columns such as "avoid, use" are what I know.`,
    );
  }
  const { rules, doubtful } = rulesOf(
    lists.flatMap(({ entries }) => entries),
    instruction.options,
  );
  // The words of a list are of one language; a writer who means the others names them.
  const translated = instruction.scope.only.length > 0 ? new Set<string>() : translatedPages(docset.pages);
  // A list that is a page of the docs holds the wrong words on purpose.
  const listPages = new Set(lists.map(({ path }) => path));
  const usable = {
    ...docset,
    pages: docset.pages.filter((page) => !translated.has(page) && !listPages.has(page)),
  };
  const done = await replaceRules({ ...work, docset: usable }, rules, instruction);
  const from = lists.map(({ path }) => quoted(path)).join(', ');
  const skipped = [...lists.flatMap((list) => list.skipped), ...doubtful].map(quoted);
  const lead =
    done.replaced === 0
      ? `Nothing was replaced: none of the ${count(rules.length, 'term')} of ${from} had to be replaced.`
      : `Applied ${count(rules.length, 'term')} of ${from}: ${count(done.replaced, 'time')} on ${count(done.pages.length, 'page')}.`;
  const byTerm = [...done.terms].map(
    ([{ term, replacement }, times]) => `${quoted(term)} → ${quoted(replacement)}: ${count(times, 'time')}`,
  );
  const parts = [
    lead,
    bulletList(byTerm.toSorted()),
    // Two lists without words between them would be one.
    byTerm.length === 0 ? '' : 'By page:',
    ...done.details,
    translated.size === 0
      ? ''
      : `${count(translated.size, 'page')} in other languages ${translated.size === 1 ? 'was' : 'were'} left alone.`,
    skipped.length === 0 ? '' : `Entries that I did not apply:\n\n${bulletList(skipped)}`,
  ];
  return {
    title: 'Apply the term list',
    changed: done.replaced > 0,
    summary: parts.filter((part) => part !== '').join('\n\n'),
  };
}

/** One rule for each wrong word. Two lists that disagree about a word leave it to people. */
function rulesOf(
  entries: readonly TermEntry[],
  options: Extract<Instruction, { kind: 'terms' }>['options'],
): { rules: TermRule[]; doubtful: string[] } {
  const byWord = new Map<string, TermEntry[]>();
  for (const entry of entries) {
    const key = entry.matchCase ? entry.wrong : entry.wrong.toLowerCase();
    byWord.set(key, [...(byWord.get(key) ?? []), entry]);
  }
  const rules: TermRule[] = [];
  const doubtful: string[] = [];
  for (const same of byWord.values()) {
    const [first] = same;
    if (!first) continue;
    if (same.some(({ right }) => right !== first.right)) {
      doubtful.push(
        `${first.wrong}: the lists say ${[...new Set(same.map(({ right }) => right))].join(' and ')}`,
      );
      continue;
    }
    rules.push({
      term: first.wrong,
      replacement: first.right,
      insideWords: options.insideWords,
      matchCase: options.matchCase || first.matchCase,
    });
  }
  return { rules, doubtful };
}
