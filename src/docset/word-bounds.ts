/** Scripts that put no space between words: what a word is there says a dictionary, which ICU has. */
const spaceless =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const partOfWord = /^[\p{L}\p{N}\p{M}_]$/u;

/** The dictionary is the same for Chinese and Japanese, and each of the other scripts has its own. */
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

export interface WordBounds {
  /** Whether a word goes on over this place of the text: the characters on both sides belong together. */
  readonly isInside: (at: number) => boolean;
}

/** Only a text in such a script is taken apart, once for all its places: for each place alone it is slow. */
export function wordBoundsOf(text: string): WordBounds {
  let segments: Intl.Segments | undefined;
  return {
    isInside(at) {
      const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
      const after = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
      if (!partOfWord.test(before) || !partOfWord.test(after)) return false;
      if (!spaceless.test(before + after)) return true;
      segments ??= segmenter.segment(text);
      const segment = segments.containing(at);
      return segment !== undefined && segment.index !== at;
    },
  };
}
