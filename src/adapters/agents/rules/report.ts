import type { LeftAlone } from '../../../docset/replace.ts';
import { count } from './work.ts';

/** Entries of one list in a summary; a pull request's text has an upper limit, and so has a reader. */
const longestList = 40;

/** A list for a pull request's text, cut with a count. */
export function bulletList(entries: readonly string[]): string {
  const shown = entries.slice(0, longestList).map((entry) => `- ${entry}`);
  const rest = entries.length - shown.length;
  return [...shown, ...(rest > 0 ? [`- … and ${rest.toLocaleString('en')} more`] : [])].join('\n');
}

/** Words of a page or a path as code, whatever they contain: what pages hold must not format the summary. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > 120 ? `${line.slice(0, 119)}…` : line;
  const longestRun = Math.max(0, ...(short.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  const space = short.startsWith('`') || short.endsWith('`') ? ' ' : '';
  return `${fence}${space}${short}${space}${fence}`;
}

/** Adds up what was left alone over all pages: why, how often, where first. */
export class LeftAloneReport {
  private readonly reasons = new Map<string, { count: number; pages: Set<string>; examples: Set<string> }>();

  add(path: string, leftAlone: readonly LeftAlone[]): void {
    for (const { reason, count: times, example } of leftAlone) {
      const entry = this.reasons.get(reason) ?? { count: 0, pages: new Set(), examples: new Set() };
      entry.count += times;
      entry.pages.add(path);
      if (example !== undefined && entry.examples.size < 3) entry.examples.add(example);
      this.reasons.set(reason, entry);
    }
  }

  get isEmpty(): boolean {
    return this.reasons.size === 0;
  }

  has(reason: string): boolean {
    return this.reasons.has(reason);
  }

  /** Markdown, empty when nothing was left alone. */
  toMarkdown(): string {
    if (this.isEmpty) return '';
    const entries = [...this.reasons]
      .toSorted(([, a], [, b]) => b.count - a.count)
      .map(([reason, { count: times, pages, examples }]) => {
        const such = examples.size === 0 ? '' : `, such as ${[...examples].map(quoted).join(', ')}`;
        const first = [...pages].slice(0, 3).map(quoted).join(', ');
        const where = pages.size > 3 ? `${first} and ${count(pages.size - 3, 'other page')}` : first;
        return `${count(times, 'time')} ${reason}${such} (${where})`;
      });
    return `Left alone:\n\n${bulletList(entries)}`;
  }
}
