import type { Instruction } from './instruction.ts';
import { unquote } from './quotes.ts';

/** How a page is renamed, for a prompt that says it otherwise. */
export const renameHint =
  'Only pages are renamed, one at a time: give the page and its new path, such as: rename page guides/old to guides/new. Put a path with spaces in quotes.';

/** Words of an end such as "and update all links to it": links, navigation and redirects follow a page anyway. */
const followers = new Set(
  'also all the its any every of to in from it that update updating adjust adapt add keep a link links anchor anchors navigation nav sidebar menu redirect redirects reference references entry entries and with including too as well accordingly'.split(
    ' ',
  ),
);
const place = String.raw`(⟦\d+⟧|\S+)`;
const pattern = new RegExp(
  `^(?:rename|move)(?: the)?(?: (?:page|file|document|article))? ${place}(?: (?:page|file))? (?:(?:in)?to|as|->|→|=>)(?: the)?(?: (page|file|folder|directory))? ${place}(?: (folder|directory|section))?$`,
  'i',
);

/** The wish to rename or move a page; `ambiguous` when it is one, and its paths cannot be told. */
export function renameOf(words: string, quoted: readonly string[]): Instruction[] | 'ambiguous' | undefined {
  if (!/^(?:rename|move)\b/i.test(words)) return undefined;
  const wish = withoutFollowers(words);
  const match = pattern.exec(wish);
  if (!match || !isOfPage(wish, unquote(match[1] ?? '', quoted)))
    return isOfPage(words, /^(?:rename|move)(?: the)? (\S+)/i.exec(words)?.[1] ?? '')
      ? 'ambiguous'
      : undefined;
  const [, , before = '', target = '', after] = match;
  const to = unquote(target, quoted);
  const intoFolder = (after !== undefined || /^(?:folder|directory)$/i.test(before)) && !to.endsWith('/');
  return [{ kind: 'rename', from: unquote(match[1] ?? '', quoted), to: intoFolder ? `${to}/` : to }];
}

/** "Rename" is said of pages and of terms ("section to chapter"): a path, a page word or a file name makes it a page. */
function isOfPage(words: string, from: string): boolean {
  return (
    /^move\b/i.test(words) ||
    /^rename(?: the)? (?:page|file|document|article)\b/i.test(words) ||
    /^rename(?: the)? (?:folder|directory|section)\b(?! (?:to|into|as|->|→|=>) )/i.test(words) ||
    /[/]|\.(?:mdx?|markdown)$/i.test(from)
  );
}

function withoutFollowers(words: string): string {
  const parts = words.split(' ');
  const bare = (part: string): string => part.toLowerCase().replace(/,$/, '');
  let first = parts.length;
  while (first > 0 && followers.has(bare(parts[first - 1] ?? ''))) first -= 1;
  const lead = parts.findIndex((part, index) => index >= first && /^(?:and|with|including|in)$/i.test(part));
  return lead === -1 ? words : parts.slice(0, lead).join(' ').replace(/,$/, '');
}
