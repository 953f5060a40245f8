import { applyFixes } from 'markdownlint';
import { lint } from 'markdownlint/sync';
import { isTooDense } from './density.ts';
import { guardMeaning } from './guard.ts';
import type { Generator } from './layout.ts';
import { parsePage } from './parse.ts';
import { lineAt, spanOf, walkTree } from './tree.ts';
import type { Span } from './tree.ts';

/**
 * The rules of markdownlint whose fixes broke none of 1,106 real pages: blank space at the ends of lines,
 * several empty lines, the space after a heading's marks, spaces inside a link's text, the file's last line.
 */
const safeRules = ['MD009', 'MD012', 'MD018', 'MD019', 'MD039', 'MD047'] as const;

/** The name of a rule of markdownlint. */
export type TidyRule = (typeof safeRules)[number];

const configuration = {
  default: false,
  ...Object.fromEntries(safeRules.map((rule) => [rule, true])),
};

export type Tidied =
  | { readonly kind: 'tidy' }
  | { readonly kind: 'tidied'; readonly text: string; readonly fixes: readonly TidyRule[] }
  /** Fixes were found, but `problem` would happen. */
  | { readonly kind: 'kept'; readonly problem: string };

/** Tidies the Markdown of one page without changing what it means. `#Title` stays: it may be no heading. */
export function tidyPage(text: string, path: string, generator: Generator): Tidied {
  if (isTooDense(text)) return { kind: 'kept', problem: 'it holds more markup than can be read safely' };
  const findings = lint({ strings: { page: text }, config: configuration }).page ?? [];
  if (!findings.some(({ fixInfo }) => fixInfo !== null && fixInfo !== undefined)) return { kind: 'tidy' };
  const verbatim = verbatimLines(text, path, generator);
  const fixable = findings.filter(
    ({ fixInfo, lineNumber }) => fixInfo !== null && fixInfo !== undefined && !verbatim.has(lineNumber),
  );
  if (fixable.length === 0) return { kind: 'tidy' };
  const after = applyFixes(text, fixable);
  if (after === text) return { kind: 'tidy' };
  const problem = guardMeaning(text, after, path, generator);
  if (problem === undefined) return { kind: 'tidied', text: after, fixes: rulesOf(fixable) };
  // One rule may be what goes too far (MD018 makes headings of lines that were none): the others still help.
  for (const rule of ['MD018', 'MD009', 'MD012', 'MD039', 'MD019']) {
    const others = fixable.filter(({ ruleNames }) => ruleNames[0] !== rule);
    if (others.length === fixable.length || others.length === 0) continue;
    const careful = applyFixes(text, others);
    if (careful !== text && guardMeaning(text, careful, path, generator) === undefined) {
      return { kind: 'tidied', text: careful, fixes: rulesOf(others) };
    }
  }
  return { kind: 'kept', problem };
}

function rulesOf(findings: readonly { readonly ruleNames: readonly string[] }[]): TidyRule[] {
  return findings.flatMap(({ ruleNames }) => safeRules.filter((rule) => rule === ruleNames[0]));
}

const verbatimTypes = new Set(['code', 'html', 'mdxjsEsm', 'mdxFlowExpression', 'mdxTextExpression']);

/** Lines, 1-based, whose blank space counts: code, expressions, values of attributes that go over several lines. */
function verbatimLines(text: string, path: string, generator: Generator): Set<number> {
  const parsed = parsePage(text, path, generator);
  const lines = new Set<number>();
  if (parsed.kind === 'failed') return lines;
  const note = (span: Span): void => {
    const first = lineAt(text, span.start);
    // The last line may go on with prose after its end, and is only as verbatim as the guard says.
    const last = lineAt(text, Math.max(span.start, span.end - 1));
    for (let line = first; line < last; line += 1) lines.add(line);
  };
  walkTree(parsed.tree, (node) => {
    if (verbatimTypes.has(node.type)) note(spanOf(node));
    for (const attribute of node.attributes ?? []) {
      if (attribute.value !== null && attribute.value !== undefined) note(spanOf(attribute));
    }
  });
  return lines;
}
