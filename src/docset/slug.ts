import { slug as githubSlug } from 'github-slugger';
import type { Generator } from './layout.ts';

/** The anchor that a generator makes of a heading's text, before duplicates are told apart. */
export function slugOf(text: string, generator: Generator): string {
  switch (generator) {
    case 'mkdocs':
      return pythonMarkdownSlug(text);
    case 'vitepress':
      return vitepressSlug(text);
    default:
      return githubSlug(text);
  }
}

/** What the second, third … heading of the same text gets: `install-1`, with Python-Markdown `install_1`. */
export function numberedSlug(slug: string, count: number, generator: Generator): string {
  return generator === 'mkdocs' ? `${slug}_${count}` : `${slug}-${count}`;
}

/** Anchors of a page's headings in order. */
export class Slugger {
  private readonly taken = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly generator: Generator;

  constructor(generator: Generator) {
    this.generator = generator;
  }

  next(text: string): string {
    const base = slugOf(text, this.generator);
    let slug = base;
    let count = this.counts.get(base) ?? 0;
    while (this.taken.has(slug)) {
      count += 1;
      slug = numberedSlug(base, count, this.generator);
    }
    this.counts.set(base, count);
    this.taken.add(slug);
    return slug;
  }

  /** An explicit id counts as taken for those that follow. */
  take(id: string): string {
    this.taken.add(id);
    return id;
  }
}

/** Python-Markdown's default `slugify` of the `toc` extension: ASCII only. */
export function pythonMarkdownSlug(text: string): string {
  const ascii = [...text.normalize('NFKD')].filter((letter) => letter < '\u0080').join('');
  return unicodeSlug(ascii);
}

/** Its `slugify_unicode`, which many projects configure. */
export function unicodeSlug(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s]+/g, '-');
}

/** VitePress takes the slugs of mdit-vue. */
export function vitepressSlug(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[\u0000-\u001F]/g, '')
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase();
}

/** For a tolerant comparison: two anchors that differ in this are different in any generator. */
export function bareSlug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
