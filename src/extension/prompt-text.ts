import { maxPromptLength } from '../contract/requests.ts';

/** What was selected or clicked when a job was begun from a page or folder. */
export type PromptContext =
  /** `path` with `/`, below the docs project; ends with `/` for a folder; empty for the whole project. */
  | { readonly kind: 'place'; readonly path: string }
  /** Lines count from 1. */
  | {
      readonly kind: 'selection';
      readonly path: string;
      readonly text: string;
      readonly firstLine: number;
      readonly lastLine: number;
    };

export interface PromptDraft {
  readonly text: string;
  /** Where the writer goes on, as a position in `text`. */
  readonly cursor: number;
  /** One line can take it; otherwise it wants an editor. */
  readonly isShort: boolean;
}

/** Longer selections are what a sentence is about, not a term to be replaced. */
const maxTermLength = 80;

/** Lines of a selection that are quoted; the place of the rest is named. */
const maxQuotedLines = 60;

/** The beginning of a prompt about a place. `replaces` offers the sentence that every agent understands for a term. */
export function draftFor(context: PromptContext, replaces: boolean): PromptDraft {
  if (context.kind === 'place') {
    const text = context.path === '' ? '' : ` in ${quotedPath(context.path)}`;
    return { text, cursor: 0, isShort: true };
  }
  const { path, text, firstLine, lastLine } = context;
  const term = text.trim();
  if (replaces && term.length <= maxTermLength && !/[\r\n"]/.test(term)) {
    const start = `Replace "${term}" with "`;
    return { text: `${start}" in ${quotedPath(path)}`, cursor: start.length, isShort: true };
  }
  const lines = text.replace(/(?:\r?\n)+$/, '').split(/\r?\n/);
  const quoted = lines.slice(0, maxQuotedLines).map((line) => (line === '' ? '>' : `> ${line}`));
  const more = lines.length > maxQuotedLines ? ['> …'] : [];
  const where = firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}–${lastLine}`;
  const body = [`This is about ${quotedPath(path)}, ${where}:`, '', ...quoted, ...more];
  return { text: `\n\n${body.join('\n')}\n`, cursor: 0, isShort: false };
}

/** A path that a sentence could swallow is put between backticks. */
function quotedPath(path: string): string {
  return /^[\w./-]+$/.test(path) && /[./]/.test(path) ? path : `\`${path.replaceAll('`', '')}\``;
}

/**
 * What a link may put into the prompt: text without control characters and without characters that change
 * the direction of reading or are not seen, so that what the writer reads is what would be sent.
 */
export function promptFromLink(text: string | undefined): string {
  return (text ?? '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t]/gu, '')
    .slice(0, maxPromptLength)
    .trim();
}

/** Why a prompt cannot be sent, as a sentence; undefined when it can. */
export function promptTrouble(text: string): 'empty' | 'long' | undefined {
  if (text.trim() === '') return 'empty';
  return text.length > maxPromptLength ? 'long' : undefined;
}

/**
 * An editor's text as a prompt: without the comments at its head, which are for the writer. Others may be
 * what the prompt is about.
 */
export function promptFromDocument(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/^(?:\s*<!--[\s\S]*?-->)+/, '')
    .trim();
}

/** Earlier prompts, newest first, each once. */
export function promptHistory(prompts: readonly string[], most: number): readonly string[] {
  const known = new Set<string>();
  for (const prompt of prompts) {
    const text = prompt.trim();
    if (text !== '') known.add(text);
    if (known.size === most) break;
  }
  return [...known];
}
