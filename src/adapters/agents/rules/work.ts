import type { Docset } from '../../../docset/docset.ts';
import { pagesInScope } from './scope.ts';
import type { Instruction, ScopeWords } from './instruction.ts';
import { notPossible } from './not-understood.ts';

/** What each instruction works with. */
export interface Work {
  readonly docset: Docset;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
  /** What comes after it in the same prompt. */
  readonly later: readonly Instruction[];
}

/** What one instruction brought about. */
export interface Outcome {
  /** Names the change in a few words, for the pull request's title. */
  readonly title: string;
  /** Markdown: what changed, what was left alone and why. */
  readonly summary: string;
  readonly changed: boolean;
}

/** Pages read at once: enough to keep the disk busy, few enough to hold little text in memory. */
export const pagesAtOnce = 8;

/** @throws ServiceError when a word of the scope names no page */
export function scopedPages(docset: Docset, scope: ScopeWords): readonly string[] {
  const found = pagesInScope(docset, scope);
  if (found.kind === 'unknown') {
    throw notPossible(
      `I found no page and no folder called "${found.words}" in the docs.${partHint(found.words)}`,
    );
  }
  return found.pages;
}

/** A part of pages is no place, but some may be reached in addition to prose. */
function partHint(words: string): string {
  const part = /^(?:code|front ?matter|urls?|links?)\b/i.exec(words)?.[0];
  return part === undefined
    ? ''
    : ` To change prose and ${part.toLowerCase()}, say "also in ${part.toLowerCase()}".`;
}

/** Says how far a walk over many pages is, at most twenty times. */
export function counter(work: Work, total: number, verb: string): () => void {
  const step = Math.max(500, Math.ceil(total / 20));
  let done = 0;
  work.onProgress(`${verb} ${count(total, 'page')}`);
  return () => {
    done += 1;
    if (done % step === 0 && done < total) {
      work.onProgress(`${verb} ${count(total, 'page')}: ${done.toLocaleString('en')} done`);
    }
  };
}

/** `1 page`, `2,000 pages`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount.toLocaleString('en')} ${amount === 1 ? noun : plural}`;
}
