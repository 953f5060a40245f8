import type { Instruction } from './instruction.ts';
import { unquote } from './quotes.ts';

/** How a page is renamed, for a prompt that says it otherwise. */
export const renameHint =
  'Give the page and its new path, such as: rename page guides/old to guides/new. Put a path with spaces in quotes.';

/** Links, navigation and redirects follow a page anyway. */
const alsoThoseThatNameIt =
  /,?\s{1,5}(?:and|with|including)\s{1,5}(?:(?:also|all|the|its|any|every|of|to|in|from|it|that|update|updating|adjust|adapt|add|keep|a|links?|anchors?|navigation|nav|sidebar|menu|redirects?|references?|entry|entries|and|too|as well|accordingly)\b,?\s{0,5})+$|\s{1,5}in the (?:navigation|sidebar)(?: too| as well)?$/i;
const place = String.raw`(⟦\d+⟧|\S+)`;
const pattern = new RegExp(
  `^(?:rename|move)(?: the)?(?: (?:page|file|document|article))? ${place}(?: (?:page|file))? (?:in)?to(?: the)?(?: (?:page|file|folder|directory))? ${place}(?: (?:folder|directory|section))?$`,
  'i',
);

/** The wish to rename or move a page; `ambiguous` when it is one, and its paths cannot be told. */
export function renameOf(words: string, quoted: readonly string[]): Instruction[] | 'ambiguous' | undefined {
  if (!/^(?:rename|move)\b/i.test(words)) return undefined;
  const wish = words.replace(alsoThoseThatNameIt, '');
  const match = pattern.exec(wish);
  if (!match || !isOfPage(wish, unquote(match[1] ?? '', quoted)))
    return isOfPage(words, /^(?:rename|move)(?: the)? (\S+)/i.exec(words)?.[1] ?? '')
      ? 'ambiguous'
      : undefined;
  const to = unquote(match[2] ?? '', quoted);
  const intoFolder = /\b(?:folder|directory|section)\b/i.test(wish) && !to.endsWith('/');
  return [{ kind: 'rename', from: unquote(match[1] ?? '', quoted), to: intoFolder ? `${to}/` : to }];
}

/** "Rename" is said of pages and of terms: a path, a page word or a file name makes it a page. */
function isOfPage(words: string, from: string): boolean {
  return (
    /^move\b/i.test(words) ||
    /^rename(?: the)? (?:page|file|document|article|folder|directory|section)\b/i.test(words) ||
    /[/]|\.(?:mdx?|markdown)$/i.test(from)
  );
}
