import { posix } from 'node:path';
import { isInside, isPage, isProtected } from '../../../docset/docset.ts';
import type { Docset } from '../../../docset/docset.ts';
import { findPage } from '../../../docset/find-page.ts';
import { parentOf } from '../../../docset/layout.ts';
import type { Layout } from '../../../docset/layout.ts';
import { moveWithLinks } from '../../../docset/move-with-links.ts';
import type { Renaming } from '../../../docset/navigation.ts';
import { foldedName, whyNotPortable } from '../../../docset/portable-name.ts';
import { openSite } from '../../../docset/site.ts';
import type { Site } from '../../../docset/site.ts';
import type { Instruction } from './instruction.ts';
import { notPossible } from './not-understood.ts';
import { bulletList, quoted } from './report.ts';
import { count, counter } from './work.ts';
import type { Outcome, Work } from './work.ts';

/** Renames or moves a page with its links in both directions, its places in the navigation, and a redirect. */
export async function renamePage(
  work: Work,
  instruction: Extract<Instruction, { kind: 'rename' }>,
): Promise<Outcome> {
  const { docset, signal } = work;
  const site = await openSite(docset, signal);
  const renaming = await planRenaming(site, instruction, signal);
  const { from, to } = renaming;
  const tick = counter(work, docset.pages.length, 'Looking for links on');
  const moved = await moveWithLinks(site, renaming, signal, { onPage: tick, quoted });
  if (moved.kind === 'refused') throw notPossible(`I could not rename ${from} to ${to}. ${moved.reason}`);
  const { links, entries, redirect } = moved;
  const done = [
    ...links.map((page) => `${quoted(page.path)}: ${count(page.count, 'link')}`),
    ...entries.map((file) => `${quoted(file.path)}: ${count(file.count, 'entry', 'entries')}`),
    ...(redirect === undefined
      ? []
      : [`${quoted(redirect.path)}: redirect from ${quoted(redirect.from)} to ${quoted(redirect.to)}`]),
  ];
  const notes = [...moved.notes, ...translationsOf(site, from)];
  const parts = [
    `Renamed ${quoted(from)} to ${quoted(to)}.`,
    done.length === 0 ? 'No other page links to it.' : bulletList(done),
    navigationSentence(docset.layout, moved.isListed),
    notes.length === 0 ? '' : `Please look at:\n\n${bulletList([...new Set(notes)])}`,
  ];
  const summary = parts.filter((part) => part !== '').join('\n\n');
  return { title: titleOf(renaming), changed: true, summary };
}

/** Most of the time there is nothing to do; a writer who looks for the entry learns that there is none. */
function navigationSentence({ configPath }: Layout, isListed: boolean): string {
  return configPath === undefined || isListed ? '' : `No entry of ${quoted(configPath)} names the page.`;
}

function titleOf({ from, to }: Renaming): string {
  const name = posix.basename(from);
  if (parentOf(from) === parentOf(to)) return `Rename ${name} to ${posix.basename(to)}`;
  return posix.basename(to) === name
    ? `Move ${name} to ${parentOf(to) || 'the top folder'}`
    : `Rename ${name} to ${to}`;
}

async function planRenaming(
  site: Site,
  instruction: Extract<Instruction, { kind: 'rename' }>,
  signal: AbortSignal,
): Promise<Renaming> {
  const { docset } = site;
  const found = await findPage(site, instruction.from, signal);
  if (found.kind === 'none') throw notPossible(`I found no page "${instruction.from}".`);
  if (found.kind === 'several') {
    throw notPossible(
      `Several pages could be "${instruction.from}": ${found.paths.join(', ')}. Give the whole path.`,
    );
  }
  const from = found.path;
  const to = newPath(site, from, instruction);
  if (to === undefined) throw notPossible(`"${instruction.to}" is no path inside the docs.`);
  if (to === from) throw notPossible(`${from} has that name already.`);
  if (isProtected(to) || !isPage(to)) throw notPossible(`A page cannot be called "${instruction.to}".`);
  for (const name of to.split('/')) {
    const why = whyNotPortable(name);
    if (why !== undefined)
      throw notPossible(`A page cannot be called "${instruction.to}": "${name}" ${why}.`);
  }
  const twin = twinOf(docset, from, to);
  if (twin === to) throw notPossible(`There is a page ${to} already.`);
  if (twin !== undefined)
    throw notPossible(`There is ${twin} already, which Windows and macOS take for the same name.`);
  return { from, to };
}

/** A name alone stays in the page's folder; a path counts from the docs; one that ends in `/` is a folder. */
function newPath(
  site: Site,
  from: string,
  words: Pick<Extract<Instruction, { kind: 'rename' }>, 'from' | 'to'>,
): string | undefined {
  const { docset } = site;
  const name = words.to.replaceAll('\\', '/').trim();
  if (name === '' || name.split('/').includes('..')) return undefined;
  const extension = posix.extname(from);
  const file = /\.(?:md|mdx|markdown)$/i.test(name) || name.endsWith('/') ? name : `${name}${extension}`;
  const relative = file.replace(/^\.?\/+/, '');
  let path: string;
  if (!name.includes('/')) path = posix.join(parentOf(from), fileName(relative));
  else {
    path = posix.join(folderFor(site, from, words.from, relative), relative);
    if (name.endsWith('/')) path = posix.join(path, posix.basename(from));
  }
  const clean = posix.normalize(path);
  return isInside(clean, docset.docsRoot) && !clean.startsWith('..') ? clean : undefined;
}

/** A file or folder that is called so but for what Windows and macOS see no difference in, such as capitals. */
function twinOf({ files, folders }: Docset, from: string, to: string): string | undefined {
  const folded = (path: string): string => path.split('/').map(foldedName).join('/');
  const parts = to.split('/');
  for (let end = 1; end <= parts.length; end += 1) {
    const path = parts.slice(0, end).join('/');
    if (folders.has(path) || path === from) continue;
    const name = folded(path);
    for (const each of [...folders, ...files]) if (each !== from && folded(each) === name) return each;
  }
  return undefined;
}

/** The folder that a new path counts from: the one that the writer's words for the old page count from. */
function folderFor({ docset }: Site, from: string, oldWords: string, relative: string): string {
  const { layout, docsRoot } = docset;
  const root = layout.contentRoot === '' ? docsRoot : layout.contentRoot;
  // "docs/a.md" and "a.md" may both be written for a page of the folder "docs".
  if (!isInside(from, root) || (root !== '' && isInside(relative, root))) return '';
  const base = baseOf(from, oldWords) ?? posix.join(root, rewrittenPrefix(from, root, layout.rewrites));
  const [first = ''] = relative.split('/');
  const isElsewhere =
    docset.folders.has(posix.join(root, first)) && !docset.folders.has(posix.join(base, first));
  return isElsewhere || !isInside(base, root) ? root : base;
}

/** What stands before the writer's words in the page's path; undefined when these are no end of it. */
function baseOf(from: string, words: string): string | undefined {
  const bare = (path: string): string => path.replace(/\.(?:md|mdx|markdown)$/i, '').toLowerCase();
  const end = `/${bare(words.replaceAll('\\', '/').replace(/^\.?\/+|\/+$/g, ''))}`;
  if (!end.slice(1).includes('/')) return undefined;
  const path = `/${bare(from)}`;
  return path.endsWith(end) ? from.slice(0, Math.max(0, path.length - end.length - 1)) : undefined;
}

/** Addresses may lack a folder: with VitePress, `guide/a` may be the page `en/guide/a.md`. */
function rewrittenPrefix(from: string, root: string, rewrites: Layout['rewrites']): string {
  const path = posix.relative(root || '.', from);
  return rewrites.find((rewrite) => path.startsWith(rewrite.from))?.from ?? '';
}

/** A title becomes a file's name; a file's name stays as it is. */
function fileName(name: string): string {
  return /\s/.test(name) ? name.trim().toLowerCase().replaceAll(/\s+/g, '-') : name;
}

/** Pages in folders of other languages keep their names: whether they follow is for people to say. */
function translationsOf(site: Site, from: string): string[] {
  const { docset } = site;
  const language = /(?:^|\/)([a-z]{2}(?:-[A-Za-z]{2,4})?)\//;
  const bare = (path: string): string =>
    path.replace(language, (whole) => (whole.startsWith('/') ? '/' : ''));
  const own = bare(from);
  const others = docset.pages.filter((page) => page !== from && bare(page) === own);
  if (others.length === 0) return [];
  return [`Translations keep their names: ${others.slice(0, 10).map(quoted).join(', ')}.`];
}
