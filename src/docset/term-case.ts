/** The capitals of a term as it was found, put on its replacement: Log in → Sign in, LOG IN → SIGN IN. */
export function keepCase(found: string, term: string, replacement: string): string {
  if (found === term) return replacement;
  if (isAllCapitals(found) && !isAllCapitals(term)) return replacement.toLocaleUpperCase('en');
  const words = wordsOf(found);
  if (words.length > 1 && words.every(startsUpper) && !wordsOf(term).every(startsUpper)) {
    return replacement.replaceAll(/(?<![\p{L}\p{N}'’])\p{Ll}/gu, (letter) => letter.toLocaleUpperCase('en'));
  }
  if (startsUpper(found) && !startsUpper(term)) return upperFirst(replacement);
  if (isTitle(term) && isTitle(replacement) && onlyFirstUpper(found)) return sentenceCase(replacement);
  if (!startsUpper(found) && onlyFirstUpper(term) && onlyFirstUpper(replacement))
    return lowerFirst(replacement);
  return replacement;
}

/** A name that stood first in a sentence leaves its capital to what comes in its place: API → Interface. */
export function startOfSentence(replacement: string, found: string, before: string): string {
  const isFirst = before === '' || /[.!?…]["'”’)]{0,2}[ \u00A0]{1,4}$/.test(before.slice(-10));
  const isLower = /^\p{Ll}+(?!\p{Lu})/u.test(replacement);
  return isFirst && isLower && startsUpper(found) ? upperFirst(replacement) : replacement;
}

/**
 * In a title, one capitalised word becomes several: "Frontmatter Config" → "Front Matter Config". A capital
 * next to another capitalised word makes it a title or a name.
 */
export function titleWords(replacement: string, found: string, before: string, after: string): string {
  if (!onlyFirstUpper(found) || wordsOf(found).length > 1 || wordsOf(replacement).length < 2)
    return replacement;
  const isTitled =
    /^[ \u00A0]\p{Lu}\p{Ll}{2,}(?![\p{L}\p{N}])/u.test(after) ||
    /[\p{L}\p{N},][ \u00A0]\p{Lu}\p{Ll}{2,}[ \u00A0]$/u.test(before);
  if (!isTitled) return replacement;
  return replacement.replaceAll(
    /(?<![\p{L}\p{N}'’-])(?!(?:an?|and|as|at|by|for|from|in|of|on|or|the|to|with)(?![\p{L}\p{N}]))\p{Ll}/gu,
    (letter) => letter.toLocaleUpperCase('en'),
  );
}

/** True when the English article in front of an occurrence no longer fits: "a plugin" → "a add-on". */
export function articleIsWrong(before: string, found: string, fresh: string): boolean {
  const article = /(?:^|[\s("“'‘[])(an?)[ \u00A0]$/i.exec(before)?.[1];
  if (article === undefined) return false;
  // How an H, a U or an abbreviation sounds cannot be told from its letters.
  const sound = (word: string): boolean | undefined =>
    /^(?:[hu]|eu|one\b|once\b)/i.test(word) || /^\p{Lu}{2}/u.test(word) ? undefined : /^[aeio]/i.test(word);
  const old = sound(found);
  const now = sound(fresh);
  return old !== undefined && now !== undefined && old !== now && (article.length === 2) !== now;
}

/**
 * False for an occurrence that is more likely something else than the term: with all its words capitalised
 * the term is a name, such as *Slack* or *Docs Agent*, and *slack* is not. The writer can ask for both by
 * writing it in lower case.
 */
export function isSameTerm(found: string, term: string): boolean {
  const isName = wordsOf(term).every(startsUpper) && !isAllCapitals(term);
  return !isName || wordsOf(term).length === 0 || startsUpper(found);
}

/** Terms that differ in capitals only correct the capitals, so other capitals are not meant. */
export function differsInCaseOnly(term: string, replacement: string): boolean {
  return term.toLocaleLowerCase('en') === replacement.toLocaleLowerCase('en');
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isAllCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.length > 1 && text === text.toLocaleUpperCase('en') && text !== text.toLocaleLowerCase('en');
}

function startsUpper(text: string): boolean {
  return /^[^\p{L}\p{N}]*\p{Lu}/u.test(text);
}

function onlyFirstUpper(text: string): boolean {
  return startsUpper(text) && !/\p{Lu}/u.test(text.slice(1));
}

function upperFirst(text: string): string {
  return text.replace(/\p{L}/u, (letter) => letter.toLocaleUpperCase('en'));
}

function lowerFirst(text: string): string {
  return text.replace(/\p{L}/u, (letter) => letter.toLocaleLowerCase('en'));
}

function isTitle(text: string): boolean {
  const words = wordsOf(text);
  return words.length > 1 && words.every(onlyFirstUpper);
}

function sentenceCase(text: string): string {
  return upperFirst(text.toLocaleLowerCase('en'));
}
