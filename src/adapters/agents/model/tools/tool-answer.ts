import type { ToolAnswer } from '../../../../service/ports/page-tools.ts';

/** Characters of one answer: about 8,000 tokens. A model that needs more asks for the next part. */
export const longestAnswer = 30_000;

export function done(text: string): ToolAnswer {
  return { text: cut(text), failed: false };
}

/** Nothing was done; `text` says why and what to do instead. */
export function failed(text: string): ToolAnswer {
  return { text: cut(text), failed: true };
}

function cut(text: string): string {
  if (text.length <= longestAnswer) return text.toWellFormed();
  return `${text.slice(0, longestAnswer).toWellFormed()}\n… (cut here: ask for less at a time)`;
}

/** Takes lines for an answer as long as there is room. */
export class Room {
  readonly #lines: string[] = [];
  readonly #most: number;
  #used = 0;

  /** @param most characters */
  constructor(most: number) {
    this.#most = most;
  }

  /** False, and nothing is taken, when these lines do not fit any more. */
  add(...lines: readonly string[]): boolean {
    const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (this.#used + size > this.#most && this.#lines.length > 0) return false;
    this.#used += size;
    this.#lines.push(...lines);
    return true;
  }

  get text(): string {
    return this.#lines.join('\n');
  }
}

/** `1 page`, `2,000 pages`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount.toLocaleString('en')} ${amount === 1 ? noun : plural}`;
}

const shownPlaces = 40;

/** Pages with lines, one a line. */
export function placesOf(
  places: readonly { readonly path: string; readonly lines: readonly number[] }[],
): string {
  const shown = places
    .slice(0, shownPlaces)
    .map(
      ({ path, lines }) =>
        `${path}, ${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, 10).join(', ')}${lines.length > 10 ? ' …' : ''}`,
    );
  if (places.length > shown.length) shown.push(`… and ${places.length - shown.length} more pages`);
  return shown.join('\n');
}

/** A line of a file in an answer, around the place that matters when it is long. */
export function shortLine(line: string, most: number, at = 0): string {
  if (line.length <= most) return line;
  const start = Math.max(0, Math.min(at - Math.floor(most / 3), line.length - most));
  const end = start + most;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}
