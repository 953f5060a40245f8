import type { Docset } from '../../../docset/docset.ts';
import { isInside } from '../../../docset/docset.ts';
import { notPossible } from './not-understood.ts';
import { count } from './work.ts';

const markups = [
  { name: 'reStructuredText', file: /\.rst$/i },
  // `.asc` is a key or a signature more often.
  { name: 'AsciiDoc', file: /\.(?:adoc|asciidoc)$/i },
] as const;

/**
 * Which pages the rules cannot read, as a sentence; empty when there are none.
 *
 * @throws ServiceError when there is no page that they can read: "nothing was found" would be no answer
 */
export function unreadMarkup({ files, docsRoot, pages, protectedPages }: Docset): string {
  const inDocs = [...files].filter((path) => isInside(path, docsRoot));
  const others = markups.flatMap(({ name, file }) => {
    const found = inDocs.filter((path) => file.test(path)).length;
    return found === 0 ? [] : [{ name, found }];
  });
  const names = others.map(({ name }) => name).join(' and ');
  if (pages.length + protectedPages.length === 0) {
    throw notPossible(
      others.length === 0
        ? 'There is no page in Markdown (.md or .mdx) in the docs.'
        : `The pages of these docs are ${names}, and without a model Docs Agent reads Markdown only. Choose a language model or an agent of your machine with the command "Docs Agent: Choose Agent…".`,
    );
  }
  const total = others.reduce((sum, { found }) => sum + found, 0);
  return total === 0 ? '' : `Not read: ${count(total, 'page')} in ${names}. The rules read Markdown only.`;
}
