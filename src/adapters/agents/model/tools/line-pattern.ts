import { LinePatternReader } from './line-pattern-reader.ts';
import type { Node } from './line-pattern-reader.ts';

/** More states of the search than a pattern of people needs; then the cache begins anew. */
const mostCached = 2_000;

const endOfLine = -1;

interface State {
  /** Positions in the program, sorted, before anything that takes no character was followed. */
  readonly positions: readonly number[];
  readonly previous: number;
  readonly next: Map<number, State | 'match'>;
}

/**
 * A regular expression for single lines whose time grows with the text alone, whatever the pattern: a lazily
 * built automaton, so no pattern of a model can hang the service. Knows what people use: alternatives, groups,
 * sets, repetitions, `^ $ \b \B`. Tells whether a line matches and where the first match ends.
 */
export class LinePattern {
  readonly #program: readonly Node[];
  #cache = new Map<string, State>();

  private constructor(program: readonly Node[]) {
    this.#program = program;
  }

  /** @returns a sentence when the pattern cannot be used */
  static from(source: string, matchCase: boolean, wholeWord: boolean): LinePattern | string {
    const program = new LinePatternReader(source, matchCase).program(wholeWord);
    return typeof program === 'string' ? program : new LinePattern(program);
  }

  /** The offset after the first match in `text` between `start` and `end`; -1 without one. */
  endOfMatch(text: string, start: number, end: number): number {
    let state = this.#state([0], endOfLine);
    for (let at = start; at <= end; at += 1) {
      const code = at < end ? text.charCodeAt(at) : endOfLine;
      let next = state.next.get(code);
      if (next === undefined) {
        next = this.#step(state, code);
        state.next.set(code, next);
      }
      if (next === 'match') return at;
      state = next;
    }
    return -1;
  }

  /** Follows what takes no character, knowing both neighbours, then takes the character. */
  #step(state: State, code: number): State | 'match' {
    const seen = new Set<number>();
    const waiting = [...state.positions];
    const taken = new Set<number>([0]);
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const node = this.#program[at];
      if (node === undefined || seen.has(at)) continue;
      seen.add(at);
      switch (node.kind) {
        case 'match':
          return 'match';
        case 'fork':
          waiting.push(...node.to);
          break;
        case 'assert':
          if (holds(node.what, state.previous, code)) waiting.push(at + 1);
          break;
        case 'take':
          if (code !== endOfLine && node.fits(code)) taken.add(at + 1);
      }
    }
    return this.#state(
      [...taken].toSorted((a, b) => a - b),
      isWord(code) ? 95 : 32,
    );
  }

  #state(positions: readonly number[], previous: number): State {
    const key = `${previous} ${positions.join(' ')}`;
    let state = this.#cache.get(key);
    if (state === undefined) {
      if (this.#cache.size >= mostCached) this.#cache = new Map();
      state = { positions, previous, next: new Map() };
      this.#cache.set(key, state);
    }
    return state;
  }
}

function holds(what: 'start' | 'end' | 'boundary' | 'inside', previous: number, next: number): boolean {
  if (what === 'start') return previous === endOfLine;
  if (what === 'end') return next === endOfLine;
  return (isWord(previous) !== isWord(next)) === (what === 'boundary');
}

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;

/** Letters of all languages count, and halves of characters above the basic plane. */
export function isWord(code: number): boolean {
  if (code < 128) {
    return (
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
    );
  }
  return wordCharacter.test(String.fromCharCode(code));
}
