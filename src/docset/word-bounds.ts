/** Scripts that put no space between words: what a word is there says a dictionary, which ICU has. */
const spaceless =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const partOfWord = /^[\p{L}\p{N}\p{M}_]$/u;

/** The dictionary is the same for Chinese and Japanese, and each of the other scripts has its own. */
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** Characters around a place that decide about a word's end there; no sentence needs more. */
const context = 40;

/** Whether a word goes on over a place of a text: the characters on both sides of it belong together. */
export function isInsideWord(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
  const after = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  if (!partOfWord.test(before) || !partOfWord.test(after)) return false;
  if (!spaceless.test(before + after)) return true;
  const start = Math.max(0, at - context);
  const segment = segmenter.segment(text.slice(start, at + context)).containing(at - start);
  return segment !== undefined && segment.index !== at - start;
}
