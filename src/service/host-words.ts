import { stripVTControlCharacters } from 'node:util';

/**
 * What a code host says, to stand inside one of our sentences: on one line, not endless, without anything that a
 * terminal would obey or that turns the order of letters around.
 *
 * @param maxLength in characters
 */
export function hostWords(text: string, maxLength: number): string {
  const line = stripVTControlCharacters(text)
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line;
}
