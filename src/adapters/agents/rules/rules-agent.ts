import { openDocset } from '../../../docset/docset.ts';
import type { Agent, AgentResult, AgentTask } from '../../../service/ports/agent.ts';
import { whyProtected } from '../../../service/protected-paths.ts';
import { applyTerms } from './apply-terms.ts';
import { fixLinks } from './fix-links.ts';
import type { Instruction } from './instruction.ts';
import { notUnderstood } from './not-understood.ts';
import { unreadMarkup } from './other-markup.ts';
import { parsePrompt } from './prompt.ts';
import { renamePage } from './rename-page.ts';
import { replaceTerm } from './replace-terms.ts';
import { tidyPages } from './tidy-pages.ts';
import type { Outcome, Work } from './work.ts';

/** The agent that needs no model, no network and no key: does what can be said in a few fixed phrases. */
export function createRulesAgent(): Agent {
  return { name: 'rules', repairs: false, run: runRules };
}

async function runRules(task: AgentTask): Promise<AgentResult> {
  const parsed = parsePrompt(
    task.prompt,
    task.earlier.map(({ prompt }) => prompt),
  );
  if (parsed.kind === 'unclear') throw notUnderstood(parsed.clause, parsed.hint);
  const outcomes: Outcome[] = [];
  let unread = '';
  for (const [index, instruction] of parsed.instructions.entries()) {
    task.signal.throwIfAborted();
    // Each instruction sees what the one before it left on disk, new page names too.
    const docset = await openDocset(
      task.directory,
      task.docsRoot,
      task.signal,
      (path) => whyProtected(path, task) === undefined,
    );
    if (index === 0) unread = unreadMarkup(docset);
    const later = parsed.instructions.slice(index + 1);
    const { signal, onProgress } = task;
    outcomes.push(await carryOut(instruction, { docset, signal, onProgress, later }));
  }
  const told = [...outcomes.map(({ summary }) => summary), unread].filter((text) => text !== '');
  return { title: titleOf(outcomes), summary: told.join('\n\n') };
}

function carryOut(instruction: Instruction, work: Work): Promise<Outcome> {
  switch (instruction.kind) {
    case 'replace':
      return replaceTerm(work, instruction);
    case 'links':
      return fixLinks(work, instruction);
    case 'rename':
      return renamePage(work, instruction);
    case 'tidy':
      return tidyPages(work, instruction);
    case 'terms':
      return applyTerms(work, instruction);
  }
}

/** Hosts cut longer titles. */
const longestTitle = 100;

function titleOf(outcomes: readonly Outcome[]): string {
  const changed = outcomes.filter((outcome) => outcome.changed);
  const [first, ...rest] = changed.length > 0 ? changed : outcomes;
  const title = [first?.title ?? '', ...rest.map((outcome) => lowerFirst(outcome.title))].join(', ');
  if (title.length <= longestTitle) return title;
  const many = `${first?.title ?? ''} and ${rest.length} more ${rest.length === 1 ? 'change' : 'changes'}`;
  return many.length <= longestTitle ? many : `${many.slice(0, longestTitle - 1)}…`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
