/** More words than this from one pattern are no list of spellings any more. */
const maximumWords = 200;

/**
 * The words that a regular expression matches, when they are few and can be written down: alternatives,
 * groups, optional parts, character sets. Anything that repeats, looks around or refers back gives undefined.
 * So patterns from a repository are never run, and none of them can take exponential time.
 */
export function wordsOfPattern(pattern: string): string[] | undefined {
  if (pattern.length > 500) return undefined;
  const reader = new PatternReader(pattern);
  try {
    const words = reader.alternatives();
    return reader.isAtEnd() ? [...new Set(words)].filter((word) => word.trim() !== '') : undefined;
  } catch (error) {
    if (error instanceof NotFinite) return undefined;
    throw error;
  }
}

class NotFinite extends Error {}

class PatternReader {
  private at = 0;
  private depth = 0;
  private readonly pattern: string;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  alternatives(): string[] {
    const words = this.sequence();
    while (this.take('|')) words.push(...this.sequence());
    return bounded(words);
  }

  private sequence(): string[] {
    let words = [''];
    while (!this.isAtEnd() && !'|)'.includes(this.peek())) {
      let piece = this.piece();
      if (this.take('?')) piece = [...piece, ''];
      if ('*+{?'.includes(this.peek() || ' ')) throw new NotFinite();
      words = bounded(words.flatMap((start) => piece.map((end) => start + end)));
    }
    return words;
  }

  private piece(): string[] {
    const character = this.next();
    switch (character) {
      case '(': {
        if (this.take('?') && !this.take(':')) throw new NotFinite();
        this.depth += 1;
        if (this.depth > 20) throw new NotFinite();
        const words = this.alternatives();
        if (!this.take(')')) throw new NotFinite();
        this.depth -= 1;
        return words;
      }
      case '[':
        return this.set();
      case '\\':
        return [this.escaped()];
      case '.':
      case '^':
      case '$':
      case '*':
      case '+':
      case '?':
      case '{':
        throw new NotFinite();
      default:
        return [character];
    }
  }

  private set(): string[] {
    const letters: string[] = [];
    if (this.peek() === '^') throw new NotFinite();
    while (!this.isAtEnd() && this.peek() !== ']') {
      const letter = this.next();
      if (this.peek() === '-' && this.pattern[this.at + 1] !== ']') throw new NotFinite();
      letters.push(letter === '\\' ? this.escaped() : letter);
    }
    if (!this.take(']') || letters.length === 0) throw new NotFinite();
    return letters;
  }

  /** A boundary adds nothing: terms are whole words anyway. */
  private escaped(): string {
    const letter = this.next();
    if (letter === 'b') return '';
    if (letter === 's') return ' ';
    if (/[A-Za-z0-9]/.test(letter) || letter === '') throw new NotFinite();
    return letter;
  }

  private peek(): string {
    return this.pattern[this.at] ?? '';
  }

  private next(): string {
    const character = this.peek();
    this.at += 1;
    return character;
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at += 1;
    return true;
  }
}

function bounded(words: string[]): string[] {
  if (words.length > maximumWords) throw new NotFinite();
  return words;
}
