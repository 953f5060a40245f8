import { posix } from 'node:path';
import { isExternal, isTemplated } from './address.ts';
import { isPage } from './docset.ts';
import { readYamlText } from './front-matter.ts';
import { parentOf } from './layout.ts';
import { stringLiterals } from './literals.ts';
import type { NavigationFile } from './navigation.ts';
import { normalisedUrl } from './page-urls.ts';
import type { Site } from './site.ts';

/** An entry of a navigation file that names a page. */
export interface NavigationEntry {
  /** As written. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /**
   * False where the same place may also name something else, such as a menu: then only an entry that once named
   * a page can have lost it.
   */
  readonly certain: boolean;
}

/** The entries of a navigation file that name pages, as far as they can be told without running anything. */
export function navigationEntries(site: Site, file: NavigationFile): NavigationEntry[] {
  const entries: NavigationEntry[] = [];
  let line = 1;
  let at = 0;
  for (const { name, start, certain = true } of namedIn(site, file).toSorted((a, b) => a.start - b.start)) {
    for (
      let end = file.text.indexOf('\n', at);
      end !== -1 && end < start;
      end = file.text.indexOf('\n', at)
    ) {
      line += 1;
      at = end + 1;
    }
    if (name !== '' && !isExternal(name) && !isTemplated(name)) entries.push({ name, line, certain });
  }
  return entries;
}

interface Named {
  readonly name: string;
  /** Offset in the file. */
  readonly start: number;
  readonly certain?: boolean;
}

function namedIn(site: Site, { path, text }: NavigationFile): Named[] {
  switch (site.docset.layout.generator) {
    case 'mintlify':
      return mintlifyPages(text);
    case 'mkdocs':
      return mkdocsPages(text);
    case 'docusaurus':
      if (!/(?:^|\/)sidebars?[\w.-]*$/i.test(path)) return [];
      return stringLiterals(text).flatMap(({ value, key, isKey, span: { start } }) =>
        !isKey && (key === undefined || key === 'id') && /^\w[\w./-]*$/.test(value)
          ? [{ name: value, start, certain: key === 'id' || value.includes('/') }]
          : [],
      );
    case 'vitepress':
      return stringLiterals(text).flatMap(({ value, key, span: { start } }) =>
        key === 'link' && /^[\w./-]+(?:[#?].*)?$/.test(value)
          ? [
              {
                name: value.replace(/[#?].*$/, ''),
                start,
                certain: value.startsWith('/') && !mayBeMade(site),
              },
            ]
          : [],
      );
    case 'nextra':
      return stringLiterals(text).flatMap(({ value, isKey, span: { start } }) =>
        isKey ? [{ name: posix.join(parentOf(path), value), start, certain: false }] : [],
      );
    default:
      return [];
  }
}

/** Tells whether an entry of a site's navigation leads to a page, or to something else that the site has. */
export function navigationTargets(site: Site): (name: string) => boolean {
  const { docset, byUrl } = site;
  const { contentRoot, staticRoots, generator } = docset.layout;
  // Below the `base` of a sidebar, in another docs folder of the site, or of another version or language.
  const ends = new Set<string>();
  for (const url of byUrl.keys()) {
    for (let at = url.lastIndexOf('/'); at >= 0; at = at === 0 ? -1 : url.lastIndexOf('/', at - 1)) {
      ends.add(url.slice(at));
    }
  }
  return (name) => {
    const path = name.replace(/^\/+/, '');
    const bases = [posix.join(contentRoot, path), ...(generator === 'nextra' ? [path] : [])];
    const files = bases.flatMap((each) => {
      const base = each.replace(/\/+$/, '');
      return [base, ...pageEnds.map((end) => base + end)];
    });
    if (files.some((file) => docset.files.has(file) && isPage(file))) return true;
    if (generator === 'mkdocs' || generator === 'mintlify') return false;
    if (files.some((file) => docset.files.has(file) || docset.folders.has(file))) return true;
    if (staticRoots.some((root) => docset.files.has(posix.join(root, path)))) return true;
    const url = normalisedUrl(name);
    return byUrl.has(url) || ends.has(url) || site.redirects.some((redirect) => redirect.matches(url));
  };
}

/** What follows the name of a page in the name of its file. */
const pageEnds = [
  '.md',
  '.mdx',
  '.markdown',
  '/index.md',
  '/index.mdx',
  '/README.md',
  '/page.mdx',
  '/page.md',
];

/** Pages of VitePress that a template makes of data. */
function mayBeMade({ docset }: Site): boolean {
  return docset.pages.some((page) => page.includes('['));
}

/** Strings in lists called `pages`, and the `root` of a group. An operation of an API has a space and is no page. */
function mintlifyPages(text: string): Named[] {
  const found: Named[] = [];
  /** What is open around the place: for each list and object, whether it is a list of pages. */
  const open: boolean[] = [];
  let last: string | undefined;
  let key: string | undefined;
  const scanner = /"((?:[^"\\\n]|\\.)*)"|[[\]{}:,]/g;
  for (let match = scanner.exec(text); match; match = scanner.exec(text)) {
    const [sign, name] = match;
    if (name !== undefined) {
      const isPageName = key === 'root' || (key === undefined && open.at(-1) === true);
      if (isPageName && !/[\s\\]/.test(name)) found.push({ name, start: match.index + 1 });
      last = name;
    } else if (sign === ':') key = last;
    else if (sign === '[' || sign === '{') {
      open.push(sign === '[' && key === 'pages');
      key = undefined;
    } else {
      if (sign !== ',') open.pop();
      key = undefined;
    }
  }
  return found;
}

/** What `nav` lists and what has a page's name; a plugin may fill in folders and patterns. */
function mkdocsPages(text: string): Named[] {
  const yaml = readYamlText(text, 0);
  if (yaml.kind === 'invalid') return [];
  return yaml.strings.flatMap(({ path, value, span }) =>
    (path === 'nav' || path.startsWith('nav.')) && isPage(value) && !/[*!]/.test(value)
      ? [{ name: value, start: span.start }]
      : [],
  );
}
