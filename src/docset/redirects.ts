import { readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Docset } from './docset.ts';
import { parentOf } from './layout.ts';
import { stringLiterals } from './literals.ts';
import { normalisedUrl } from './page-urls.ts';

/** An address that the site sends elsewhere. */
export interface RedirectSource {
  matches(url: string): boolean;
}

/** Files that hold redirects, beside the generator's configuration. */
const redirectFiles = [
  'redirects.json',
  '_redirects',
  'vercel.json',
  'netlify.toml',
  'public/_redirects',
  'static/_redirects',
];

/** Addresses that a redirect is configured for, as far as they can be read without running anything. */
export async function redirectSources(docset: Docset): Promise<RedirectSource[]> {
  const { layout, root } = docset;
  const base = layout.configPath === undefined ? docset.docsRoot : parentOf(layout.configPath);
  const sources = sourcesIn(layout.config, layout.configPath ?? '');
  for (const name of redirectFiles) {
    const path = posix.join(base, name);
    if (!docset.files.has(path)) continue;
    const facts = await stat(join(root, path));
    if (facts.size <= 1_000_000) sources.push(...sourcesIn(await readFile(join(root, path), 'utf8'), path));
  }
  const exact = new Set(sources.filter((source) => !/[:*(]/.test(source)).map(normalisedUrl));
  // A pattern counts by what stands before its first wildcard: rather a redirect too many than a false alarm.
  const prefixes = sources
    .filter((source) => /[:*(]/.test(source))
    .map((source) => source.replace(/[:*(].*$/, ''));
  return [
    { matches: (url) => exact.has(url) },
    ...prefixes
      .filter((prefix) => prefix.length > 1)
      .map((prefix) => ({ matches: (url: string) => `${url}/`.startsWith(prefix) })),
  ];
}

function sourcesIn(text: string, path: string): string[] {
  if (path.endsWith('_redirects')) {
    return text.split(/\r?\n/).flatMap((line) => /^\s*(\/\S*)\s+\S/.exec(line)?.[1] ?? []);
  }
  if (/\.ya?ml$/.test(path)) {
    // MkDocs: `old.md: new.md` below `redirect_maps`.
    const block = /redirect_maps:[ \t]*\r?\n((?:[ \t]+\S[^\n]*\n?|[ \t]*\r?\n)*)/.exec(text)?.[1] ?? '';
    return [...block.matchAll(/^[ \t]+['"]?([^\s'":]+)['"]?[ \t]*:/gm)].map((match) => `/${match[1] ?? ''}`);
  }
  if (path.endsWith('.toml'))
    return [...text.matchAll(/^\s*from\s*=\s*"(\/[^"\n]*)"/gm)].map((match) => match[1] ?? '');
  const literals = stringLiterals(text);
  return literals.filter(({ key }) => key === 'source' || key === 'from').map(({ value }) => value);
}
