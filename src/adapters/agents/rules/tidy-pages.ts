import { forEachLimited } from '../../../docset/concurrency.ts';
import { readDocsetPage, writeDocsetPage } from '../../../docset/docset.ts';
import { tidyPage } from '../../../docset/tidy.ts';
import type { TidyRule } from '../../../docset/tidy.ts';
import type { Instruction } from './instruction.ts';
import { bulletList, quoted } from './report.ts';
import { count, counter, pagesAtOnce, scopedPages } from './work.ts';
import type { Outcome, Work } from './work.ts';

/** Tidies the Markdown of all pages in scope. */
export async function tidyPages(
  work: Work,
  instruction: Extract<Instruction, { kind: 'tidy' }>,
): Promise<Outcome> {
  const { docset, signal } = work;
  const pages = scopedPages(docset, instruction.scope);
  const tick = counter(work, pages.length, 'Tidying');
  const done = new Map<string, number>();
  const rules = new Map<TidyRule, number>();
  const left: string[] = [];
  await forEachLimited(pages, pagesAtOnce, signal, async (path) => {
    const page = await readDocsetPage(docset, path);
    tick();
    if (page.kind === 'refused') {
      left.push(`${quoted(path)}, because ${page.reason}`);
      return;
    }
    const result = tidyPage(page.text, path, docset.layout.generator);
    if (result.kind === 'kept') left.push(`${quoted(path)}, because ${result.problem}`);
    if (result.kind !== 'tidied') return;
    signal.throwIfAborted();
    await writeDocsetPage(docset, path, result.text, page.byteOrderMark);
    done.set(path, result.fixes.length);
    for (const rule of result.fixes) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  });
  const list = [...done].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const total = list.reduce((sum, [, fixes]) => sum + fixes, 0);
  const lead =
    total === 0
      ? `There is nothing to tidy safely on ${count(pages.length, 'page')}.`
      : `Tidied the Markdown of ${count(list.length, 'page')}: ${whatWasTidied(rules)}.`;
  const parts = [
    lead,
    bulletList(list.map(([path, fixes]) => `${quoted(path)}: ${count(fixes, 'place')}`)),
    left.length === 0 ? '' : `Left alone:\n\n${bulletList(left.toSorted())}`,
  ];
  return {
    title: 'Tidy Markdown',
    changed: total > 0,
    summary: parts.filter((part) => part !== '').join('\n\n'),
  };
}

function whatWasTidied(rules: ReadonlyMap<TidyRule, number>): string {
  const words: readonly (readonly [TidyRule[], (times: number) => string])[] = [
    [['MD009'], (times) => `blank space at the end of ${count(times, 'line')}`],
    [['MD012'], (times) => count(times, 'repeated empty line')],
    [['MD018', 'MD019'], (times) => `the space behind the marks of ${count(times, 'heading')}`],
    [['MD039'], (times) => `spaces inside the text of ${count(times, 'link')}`],
    [['MD047'], (times) => `the line end at the end of ${count(times, 'page')}`],
  ];
  return words
    .flatMap(([names, say]) => {
      const times = names.reduce((sum, name) => sum + (rules.get(name) ?? 0), 0);
      return times === 0 ? [] : [say(times)];
    })
    .join(', ');
}
