import type { Docset } from '../../../docset/docset.ts';
import { findTermLists, findValeStyles, readNamedTermList } from '../../../docset/find-term-lists.ts';
import type { TermListFile } from '../../../docset/find-term-lists.ts';
import { translatedPages } from '../../../docset/languages.ts';
import { readTermList } from '../../../docset/term-list.ts';
import type { TermEntry, TermList } from '../../../docset/term-list.ts';
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
  const lists = await listsOf(instruction, docset, signal);
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

interface FoundList extends TermList {
  readonly path: string;
}

async function listsOf(
  { list: name, vale }: Extract<Instruction, { kind: 'terms' }>,
  docset: Docset,
  signal: AbortSignal,
): Promise<readonly FoundList[]> {
  const known = 'a list has two columns such as "avoid, use"';
  if (name !== undefined) {
    const file = await readNamedTermList(docset, name);
    if (!file) throw notPossible(`I found no term list "${name}".`);
    const lists = readable([file]);
    if (lists.length === 0) throw notPossible(`I cannot read "${name}" as a term list: ${known}.`);
    return lists;
  }
  const files = vale ? [] : await findTermLists(docset);
  const lists = readable(files);
  // A page about the terms of a contract has the name of a list, too.
  const found = lists.length > 0 ? lists : readable(await findValeStyles(docset, signal));
  if (found.length > 0) return found;
  if (vale) throw notPossible('I found no substitution rules of Vale.');
  throw notPossible(
    files.length === 0
      ? 'I found no term list: no `terms.csv`, `terms.yml` or `terms.md`, and no Vale substitution rules.'
      : `I found no term list: I cannot read ${files.map(({ path }) => quoted(path)).join(' or ')} as one (${known}), and there are no Vale substitution rules.`,
  );
}

function readable(files: readonly TermListFile[]): FoundList[] {
  return files.flatMap(({ path, text }) => {
    const list = readTermList(text, path);
    return list && list.entries.length + list.skipped.length > 0 ? [{ path, ...list }] : [];
  });
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
