import type { Docset } from './docset.ts';
import { readDocsetPage } from './docset.ts';
import { applyEdits } from './edits.ts';
import { readFrontMatter } from './front-matter.ts';
import type { Renaming } from './navigation.ts';
import { urlOfPage } from './page-urls.ts';
import { parsePage } from './parse.ts';
import type { RedirectResult } from './redirect-edit.ts';
import { spanOf } from './tree.ts';

/** Hugo sends old addresses on by the page's own `aliases`. Adds one to the renamed page, which lies at `to`. */
export async function addHugoAlias(docset: Docset, { from, to }: Renaming): Promise<RedirectResult> {
  const url = `${urlOfPage(from, docset.layout).replace(/\/$/, '')}/`;
  const byHand: RedirectResult = {
    kind: 'none',
    note: `Add \`${url.replaceAll('`', '')}\` to the \`aliases\` of the page by hand.`,
  };
  const page = await readDocsetPage(docset, to);
  const parsed = page.kind === 'text' ? parsePage(page.text, to, 'hugo') : undefined;
  if (page.kind !== 'text' || parsed?.kind !== 'parsed') return byHand;
  const node = parsed.tree.children?.[0];
  const matter = readFrontMatter(page.text, parsed.tree);
  if (matter.kind === 'invalid' || 'aliases' in matter.data) return byHand;
  const isToml = node?.type === 'toml';
  if (!isToml && node?.type !== 'yaml') return byHand;
  const newline = page.text.includes('\r\n') ? '\r\n' : '\n';
  const line = isToml
    ? `aliases = [${JSON.stringify(url)}]${newline}`
    : `aliases:${newline}  - ${JSON.stringify(url)}${newline}`;
  // A table of TOML takes all lines after its head, so the new one goes to the top.
  const start = isToml ? page.text.indexOf('\n') + 1 : page.text.lastIndexOf('\n', spanOf(node).end - 1) + 1;
  const text = applyEdits(page.text, [{ start, end: start, text: line }]);
  const check = parsePage(text, to, 'hugo');
  const after = check.kind === 'parsed' ? readFrontMatter(text, check.tree) : undefined;
  const added = after?.kind === 'valid' ? after.data.aliases : undefined;
  if (!Array.isArray(added) || added[0] !== url) return byHand;
  return { kind: 'added', path: to, text: (page.byteOrderMark ? '\uFEFF' : '') + text };
}
