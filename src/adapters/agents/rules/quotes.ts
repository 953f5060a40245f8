/** A prompt with every quoted piece lifted out, so that no word inside quotes is taken for an instruction. */
export interface QuotedText {
  /** The prompt with `⟦n⟧` for the n-th quoted piece. */
  readonly text: string;
  readonly quoted: readonly string[];
}

/**
 * Quotes that people type, longest mark first. A closing mark must be followed by something that is no
 * letter, an opening one must not stand inside a word, so that apostrophes stay apostrophes.
 */
const marks: readonly (readonly [open: string, close: string])[] = [
  ['```', '```'],
  ['``', '``'],
  ['**', '**'],
  ['__', '__'],
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['„', '”'],
  ['”', '”'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['‘', '’'],
  ['‚', '‘'],
  ['`', '`'],
  ["'", "'"],
  ['*', '*'],
  ['_', '_'],
];

/** Lifts the quoted pieces out of a prompt. Brackets that look like ours are dropped first. */
export function liftQuotes(prompt: string): QuotedText {
  const source = prompt.replaceAll(/[⟦⟧]/g, '');
  const quoted: string[] = [];
  let text = '';
  let at = 0;
  while (at < source.length) {
    const piece = quoteAt(source, at);
    if (piece) {
      text += `⟦${quoted.length}⟧`;
      quoted.push(piece.value);
      at = piece.end;
    } else {
      text += source[at];
      at += 1;
    }
  }
  return { text, quoted };
}

/** The longest quoted piece that people would put in a prompt, in characters. */
const maximumQuote = 400;

function quoteAt(source: string, at: number): { value: string; end: number } | undefined {
  if (/[\p{L}\p{N}]/u.test(source[at - 1] ?? '')) return undefined;
  for (const [open, close] of marks) {
    if (!source.startsWith(open, at)) continue;
    const start = at + open.length;
    // `* ` begins a bullet, and no quoted piece begins or ends with a space.
    if (/\s/.test(source[start] ?? ' ')) continue;
    // Only as far as a quote may reach: marks that nothing closes would take quadratic time.
    const reach = source.slice(start, start + maximumQuote + close.length);
    for (let length = reach.indexOf(close, 1); length !== -1; length = reach.indexOf(close, length + 1)) {
      const value = reach.slice(0, length);
      const end = start + length;
      if (value.includes('\n')) break;
      const after = end + close.length;
      const closes = !/\s/.test(value.at(-1) ?? ' ') && !/[\p{L}\p{N}]/u.test(source[after] ?? '');
      // "**/*.md" is a glob, not something in asterisks.
      if (closes && !(open.startsWith('*') && /^[/.]/.test(source.slice(after))))
        return { value, end: after };
    }
  }
  return undefined;
}

/** Puts the quoted pieces back, without their quotes. */
export function unquote(text: string, quoted: readonly string[]): string {
  return text.replaceAll(/⟦(\d+)⟧/g, (_whole, index: string) => quoted[Number(index)] ?? '').trim();
}
