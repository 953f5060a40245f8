import { applyFixes } from 'markdownlint';
import { lint } from 'markdownlint/sync';
import { guardMeaning } from './guard.ts';
import type { Generator } from './layout.ts';

/**
 * The rules of markdownlint whose fixes broke none of 1,106 real pages: blank space at the ends of lines,
 * several empty lines, the space after a heading's marks, spaces inside a link's text, the file's last line.
 */
const safeRules = ['MD009', 'MD012', 'MD018', 'MD019', 'MD039', 'MD047'] as const;

const configuration = {
  default: false,
  ...Object.fromEntries(safeRules.map((rule) => [rule, true])),
};

export type Tidied =
  | { readonly kind: 'tidy' }
  | { readonly kind: 'tidied'; readonly text: string; readonly fixes: number }
  /** Fixes were found, but `problem` would happen. */
  | { readonly kind: 'kept'; readonly problem: string };

/** Tidies the Markdown of one page without changing what it means. `#Title` stays: it may be no heading. */
export function tidyPage(text: string, path: string, generator: Generator): Tidied {
  const findings = lint({ strings: { page: text }, config: configuration }).page ?? [];
  const fixable = findings.filter(({ fixInfo }) => fixInfo !== null && fixInfo !== undefined);
  if (fixable.length === 0) return { kind: 'tidy' };
  const after = applyFixes(text, fixable);
  if (after === text) return { kind: 'tidy' };
  const problem = guardMeaning(text, after, path, generator);
  if (problem === undefined) return { kind: 'tidied', text: after, fixes: fixable.length };
  // One rule may be what goes too far (MD018 makes headings of lines that were none): the others still help.
  for (const rule of ['MD018', 'MD009', 'MD012', 'MD039', 'MD019']) {
    const others = fixable.filter(({ ruleNames }) => ruleNames[0] !== rule);
    if (others.length === fixable.length || others.length === 0) continue;
    const careful = applyFixes(text, others);
    if (careful !== text && guardMeaning(text, careful, path, generator) === undefined) {
      return { kind: 'tidied', text: careful, fixes: others.length };
    }
  }
  return { kind: 'kept', problem };
}
