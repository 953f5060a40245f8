/** One step of a program: takes a character, holds at a place, or goes on at several others. */
export type Node =
  | { readonly kind: 'take'; readonly fits: (code: number) => boolean }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'match' };

/** As a tree, before the places of the program are known. */
type Piece =
  | { readonly kind: 'take'; readonly fits: (code: number) => boolean }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly kind: 'row'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'either'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'repeat'; readonly piece: Piece; readonly least: number; readonly most: number };

const longestPattern = 1_000;
const deepestNesting = 50;
const longestProgram = 3_000;
const mostRepeats = 500;

class NotUsable extends Error {}

/** Reads the regular expressions of `LinePattern`. */
export class LinePatternReader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;
  #depth = 0;

  constructor(source: string, matchCase: boolean) {
    const ignore = source.startsWith('(?i)');
    this.#source = ignore ? source.slice(4) : source;
    this.#flags = matchCase && !ignore ? 'u' : 'iu';
  }

  /** @returns a sentence when the pattern cannot be used */
  program(wholeWord: boolean): readonly Node[] | string {
    try {
      if (this.#source.length > longestPattern) throw new NotUsable('it is too long');
      const read = this.#alternatives();
      if (this.#at < this.#source.length) throw new NotUsable('a ")" has no "("');
      const edge: Piece = { kind: 'assert', what: 'boundary' };
      const nodes: Node[] = [];
      write(wholeWord ? { kind: 'row', pieces: [edge, read, edge] } : read, nodes);
      nodes.push({ kind: 'match' });
      return nodes;
    } catch (error) {
      if (!(error instanceof NotUsable)) throw error;
      return `The regular expression cannot be used: ${error.message}. Use a simpler one, or plain text with regex false.`;
    }
  }

  #alternatives(): Piece {
    this.#depth += 1;
    if (this.#depth > deepestNesting) throw new NotUsable('it is nested too deeply');
    const pieces = [this.#row()];
    while (this.#take('|')) pieces.push(this.#row());
    this.#depth -= 1;
    return pieces.length === 1 && pieces[0] ? pieces[0] : { kind: 'either', pieces };
  }

  #row(): Piece {
    const pieces: Piece[] = [];
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      pieces.push(this.#repeated(this.#single()));
    }
    return { kind: 'row', pieces };
  }

  #repeated(piece: Piece): Piece {
    let result = piece;
    for (;;) {
      const bounds = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})\??/.exec(
        this.#source.slice(this.#at, this.#at + 14),
      );
      if (!bounds) return result;
      this.#at += bounds[0].length;
      const sign = bounds[0][0];
      const least = sign === '{' ? Number(bounds[1]) : sign === '+' ? 1 : 0;
      const open = sign === '*' || sign === '+' || (bounds[2] !== undefined && bounds[3] === '');
      const most = open ? Infinity : sign === '?' ? 1 : Number(bounds[3] ?? bounds[1]);
      if (most < least) throw new NotUsable('a repetition has its numbers in the wrong order');
      if (least > mostRepeats || (most !== Infinity && most > mostRepeats)) {
        throw new NotUsable(`a repetition has more than ${mostRepeats} times`);
      }
      result = { kind: 'repeat', piece: result, least, most };
    }
  }

  #single(): Piece {
    const character = this.#next();
    switch (character) {
      case '^':
        return { kind: 'assert', what: 'start' };
      case '$':
        return { kind: 'assert', what: 'end' };
      case '.':
        return { kind: 'take', fits: () => true };
      case '(': {
        if (/^\?(?:[=!]|<[=!])/.test(this.#source.slice(this.#at, this.#at + 3))) {
          throw new NotUsable('it looks ahead or back');
        }
        const opening = /^\?(?::|<\w{1,40}>|P<\w{1,40}>)/.exec(this.#source.slice(this.#at, this.#at + 50));
        if (opening) this.#at += opening[0].length;
        else if (this.#peek() === '?') throw new NotUsable('it has a group of a kind that is not known');
        const inner = this.#alternatives();
        if (!this.#take(')')) throw new NotUsable('a "(" has no ")"');
        return inner;
      }
      case '[':
        return this.#set();
      case '\\':
        return this.#escaped();
      case '*':
      case '+':
      case '?':
        throw new NotUsable(`there is nothing before "${character}" to repeat`);
      default:
        return this.#letter(character.replace(/[{}\]/-]/, String.raw`\$&`));
    }
  }

  #set(): Piece {
    const start = this.#at - 1;
    this.#take('^');
    // Right at the beginning, `]` is no end in other dialects; here it is an empty set, which nobody means.
    if (this.#peek() === ']') throw new NotUsable('a set in [ ] is empty; write \\] for the bracket');
    while (this.#at < this.#source.length && this.#peek() !== ']') {
      if (this.#next() === '\\') this.#next();
    }
    if (!this.#take(']')) throw new NotUsable('a "[" has no "]"');
    return this.#letter(this.#source.slice(start, this.#at));
  }

  #escaped(): Piece {
    const letter = this.#next();
    if (letter === 'b') return { kind: 'assert', what: 'boundary' };
    if (letter === 'B') return { kind: 'assert', what: 'inside' };
    if (letter === '' || /[1-9k]/.test(letter))
      throw new NotUsable('it refers back to a group, or ends in "\\"');
    if (letter === 'p' || letter === 'P') {
      const name = /^\{[\w=]{1,40}\}/.exec(this.#source.slice(this.#at, this.#at + 44))?.[0];
      if (name === undefined) throw new NotUsable('\\p has no name in { }');
      this.#at += name.length;
      return this.#letter(`\\${letter}${name}`);
    }
    if (/[dDwWsStvf]/.test(letter)) return this.#letter(`\\${letter}`);
    if (/[A-Za-z0-9]/.test(letter)) throw new NotUsable(`"\\${letter}" is not known`);
    return this.#letter(/[$()*+./?[\\\]^{|}-]/.test(letter) ? `\\${letter}` : letter);
  }

  /** One character that the engine's own rules for sets and classes decide on, remembered for each. */
  #letter(source: string): Piece {
    let pattern: RegExp;
    try {
      pattern = new RegExp(`^(?:${source === '\\-' ? '-' : source})$`, this.#flags);
    } catch {
      throw new NotUsable(`${source} cannot be read`);
    }
    return { kind: 'take', fits: (code) => pattern.test(String.fromCharCode(code)) };
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #next(): string {
    const character = this.#peek();
    this.#at += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }
}

function write(piece: Piece, nodes: Node[]): void {
  if (nodes.length > longestProgram) throw new NotUsable('it has too many repetitions');
  switch (piece.kind) {
    case 'take':
    case 'assert':
      nodes.push(piece);
      return;
    case 'row':
      for (const each of piece.pieces) write(each, nodes);
      return;
    case 'either': {
      const fork = nodes.length;
      nodes.push({ kind: 'fork', to: [] });
      const starts: number[] = [];
      const ends: number[] = [];
      for (const each of piece.pieces) {
        starts.push(nodes.length);
        write(each, nodes);
        ends.push(nodes.length);
        nodes.push({ kind: 'fork', to: [] });
      }
      nodes[fork] = { kind: 'fork', to: starts };
      for (const end of ends) nodes[end] = { kind: 'fork', to: [nodes.length] };
      return;
    }
    case 'repeat':
      writeRepeat(piece, nodes);
  }
}

function writeRepeat({ piece, least, most }: Extract<Piece, { kind: 'repeat' }>, nodes: Node[]): void {
  for (let times = 0; times < least; times += 1) write(piece, nodes);
  if (most === Infinity) {
    const fork = nodes.length;
    nodes.push({ kind: 'fork', to: [] });
    write(piece, nodes);
    nodes.push({ kind: 'fork', to: [fork] });
    nodes[fork] = { kind: 'fork', to: [fork + 1, nodes.length] };
    return;
  }
  const forks: number[] = [];
  for (let times = least; times < most; times += 1) {
    forks.push(nodes.length);
    nodes.push({ kind: 'fork', to: [] });
    write(piece, nodes);
  }
  for (const fork of forks) nodes[fork] = { kind: 'fork', to: [fork + 1, nodes.length] };
}
