import assert from 'node:assert/strict';
import { anchorsOf, hasAnchor } from '../../src/docset/anchors.ts';
import { nearest } from '../../src/docset/closest.ts';
import type { Docset } from '../../src/docset/docset.ts';
import type { Generator, Layout } from '../../src/docset/layout.ts';
import { linksOf } from '../../src/docset/links.ts';
import { urlOfPage } from '../../src/docset/page-urls.ts';
import { parsePage } from '../../src/docset/parse.ts';
import { relink } from '../../src/docset/relink.ts';
import { closestPage } from '../../src/docset/repair.ts';
import { resolveLink } from '../../src/docset/site.ts';
import type { Site } from '../../src/docset/site.ts';
import { Slugger } from '../../src/docset/slug.ts';

function siteOf(generator: Generator, files: readonly string[], layout: Partial<Layout> = {}): Site {
  const whole: Layout = {
    generator,
    configPath: undefined,
    config: '',
    contentRoot: '',
    staticRoots: ['public'],
    rewrites: [],
    ...layout,
  };
  const pages = files.filter((file) => /\.mdx?$/.test(file));
  const folders = files.flatMap((file) =>
    file
      .split('/')
      .slice(0, -1)
      .map((_, index, parts) => parts.slice(0, index + 1).join('/')),
  );
  const docset: Docset = {
    root: '/nowhere',
    docsRoot: '',
    layout: whole,
    files: new Set(files),
    folders: new Set(folders),
    pages,
    protectedPages: [],
    mayWrite: () => true,
  };
  const byUrl = new Map(pages.map((page) => [urlOfPage(page, whole), page]));
  return { docset, byUrl, redirects: [], generatesPages: false };
}

function target(site: Site, from: string, url: string): string {
  const found = resolveLink(site, from, url);
  if (found.kind === 'page') return found.path + (found.hash === '' ? '' : `#${found.hash}`);
  return found.kind === 'file' ? found.path : found.kind;
}

function parse(text: string, path = 'a.md', generator: Generator = 'plain') {
  const parsed = parsePage(text, path, generator);
  assert.equal(parsed.kind, 'parsed');
  return parsed.kind === 'parsed' ? parsed.tree : assert.fail();
}

describe('Slugs', () => {
  const cases: readonly (readonly [Generator, string, string])[] = [
    ['plain', 'Hello, World! Über `code`', 'hello-world-über-code'],
    ['docusaurus', 'A & B', 'a--b'],
    ['mkdocs', 'Über uns: A & B', 'uber-uns-a-b'],
    ['vitepress', '2. Über `code`.js', '_2-uber-code-js'],
    ['vitepress', '日本語 の', '日本語-の'],
  ];
  for (const [generator, text, slug] of cases) {
    it(`of ${generator}: ${text}`, () => assert.equal(new Slugger(generator).next(text), slug));
  }

  it('tell equal headings apart', () => {
    const number = (generator: Generator): string[] => {
      const slugger = new Slugger(generator);
      return ['A', 'A', 'A-1', 'A'].map((text) => slugger.next(text));
    };
    assert.deepEqual(number('plain'), ['a', 'a-1', 'a-1-1', 'a-2']);
    assert.deepEqual(number('mkdocs'), ['a', 'a_1', 'a-1', 'a_2']);
  });
});

describe('Anchors of a page', () => {
  const has = (page: string, anchor: string, generator: Generator = 'plain', path = 'a.md'): boolean =>
    hasAnchor(anchorsOf(page, parse(page, path, generator), generator), anchor);

  it('are headings, explicit ids, HTML ids and components’ titles', () => {
    assert.ok(has('# A *b* `c`\n', 'a-b-c'));
    assert.ok(has('# A {#x}\n', 'x'));
    assert.ok(!has('# A {#x}\n', 'a'));
    for (const page of ['# A {#x}\n', '# A {/* #x */}\n']) {
      const { headings } = anchorsOf(page, parse(page, 'a.mdx', 'docusaurus'), 'docusaurus');
      assert.deepEqual(headings, [{ text: 'A', id: 'x', explicit: true }]);
    }
    assert.ok(has('# A (#x)\n', 'a-x', 'docusaurus', 'a.mdx'));
    assert.ok(has('# A {: #x .y }\n', 'x', 'mkdocs'));
    assert.ok(has('<a id="x"></a> <div name=\'y\'>\n', 'x'));
    assert.ok(has('(x)=\n', 'x', 'sphinx'));
    assert.ok(has('<Accordion title="How it works" />\n', 'how-it-works', 'mintlify', 'a.mdx'));
    assert.ok(has('<ParamField path="userId" />\n', 'param-user-id', 'mintlify', 'a.mdx'));
  });

  it('are missing only when that is sure', () => {
    assert.ok(!has('# A\n\n```\n# b\n```\n', 'b'));
    assert.ok(has('# A\n\n<!--@include: ./b.md-->\n', 'b', 'vitepress'));
    assert.ok(has("import B from './b.mdx'\n\n<B />\n", 'b', 'docusaurus', 'a.mdx'));
    assert.ok(has('# a.b: c\n', 'a-b-c', 'mintlify', 'a.mdx'));
    assert.ok(has('# A\n', ':~:text=x'));
    assert.ok(has('---\nopenapi: GET /x\n---\n', 'anything', 'mintlify', 'a.mdx'));
  });
});

describe('Links of a page', () => {
  const urls = (page: string, generator: Generator = 'plain', path = 'a.md'): string[] =>
    linksOf(page, parse(page, path, generator), generator).map(
      ({ span, kind }) => `${kind} ${page.slice(span.start, span.end)}`,
    );

  it('are found at the exact place of their destination', () => {
    assert.deepEqual(urls('[a](b.md "c") ![d [e]](f.png) [g](<h i.md>) [j](k\\_l.md) [](m.md)\n'), [
      'link b.md',
      'image f.png',
      'link h i.md',
      'link k\\_l.md',
      'link m.md',
    ]);
    assert.deepEqual(urls('[a][b] [c]\n\n[b]: d.md\n[c]:\n  <e.md> "f"\n'), ['link d.md', 'link e.md']);
    assert.deepEqual(urls('[![a](b.png)](c.md)\n'), ['image b.png', 'link c.md']);
    assert.deepEqual(urls('<a href="b.md">x</a> <img src=c.png>\n'), ['link b.md', 'image c.png']);
    assert.deepEqual(urls('---\nhero:\n  link: /b\n---\n'), ['link /b']);
    assert.deepEqual(urls('{{< ref "b.md" >}}\n', 'hugo'), ['link b.md']);
    assert.deepEqual(urls('import A from "./b.mdx"\n\n<Card href="/c" to={d} />\n', 'mintlify', 'a.mdx'), [
      'import ./b.mdx',
      'link /c',
    ]);
  });

  it('are none in code, comments and bare addresses', () => {
    assert.deepEqual(urls('`[a](b.md)` <!-- [a](b.md) --> https://x.y/z.md\n\n```\n[a](b.md)\n```\n'), []);
  });
});

describe('Resolving links', () => {
  it('follows the addresses of Mintlify', () => {
    const site = siteOf('mintlify', [
      'index.mdx',
      'guides/a.mdx',
      'guides/index.mdx',
      'guides/é.mdx',
      'images/x.png',
    ]);
    assert.equal(target(site, 'guides/a.mdx', '/guides/a#b'), 'guides/a.mdx#b');
    assert.equal(target(site, 'guides/a.mdx', '/guides'), 'guides/index.mdx');
    assert.equal(target(site, 'guides/a.mdx', './%C3%A9'), 'guides/é.mdx');
    assert.equal(target(site, 'index.mdx', '/images/x.png'), 'images/x.png');
    assert.equal(target(site, 'index.mdx', '/images/y.png'), 'missing');
    assert.equal(target(site, 'index.mdx', '/guides/b'), 'missing');
    assert.equal(target(site, 'index.mdx', '/'), 'index.mdx');
    for (const url of [
      'https://x.y',
      'mailto:a@b.c',
      '//x.y',
      '/{version}/a',
      '@site/a',
      '../../../etc/passwd',
    ]) {
      assert.equal(target(site, 'index.mdx', url), url.startsWith('..') ? 'missing' : 'elsewhere', url);
    }
  });

  it('follows the rewrites of VitePress', () => {
    const layout = { contentRoot: 'docs', staticRoots: ['docs/public'], rewrites: [{ from: 'en/', to: '' }] };
    const site = siteOf(
      'vitepress',
      ['docs/en/guide/a.md', 'docs/es/guide/a.md', 'docs/public/x.svg'],
      layout,
    );
    assert.equal(target(site, 'docs/en/guide/a.md', '/guide/a'), 'docs/en/guide/a.md');
    assert.equal(target(site, 'docs/en/guide/a.md', '/guide/a.html'), 'docs/en/guide/a.md');
    assert.equal(target(site, 'docs/en/guide/a.md', '/es/guide/a'), 'docs/es/guide/a.md');
    assert.equal(target(site, 'docs/en/guide/a.md', '/x.svg'), 'docs/public/x.svg');
    assert.equal(target(site, 'docs/en/guide/a.md', './b'), 'missing');
  });

  it('judges no address that the generator may make', () => {
    const site = siteOf('docusaurus', ['docs/a.md'], { contentRoot: 'docs' });
    assert.equal(target(site, 'docs/a.md', '/blog/x'), 'elsewhere');
    assert.equal(target(site, 'docs/a.md', '/docs/tags/x'), 'elsewhere');
    assert.equal(target(site, 'docs/a.md', '/docs/x'), 'missing');
  });
});

describe('Finding what a broken link means', () => {
  const site = siteOf('mintlify', [
    'guides/set-up.mdx',
    'guides/v1.mdx',
    'guides/v2.mdx',
    'api/users.mdx',
    'api/overview.mdx',
    'es/guides/start.mdx',
    'a/twin.mdx',
    'b/twin.mdx',
  ]);
  const closest = (url: string): string => {
    const found = closestPage(site, url);
    return found.kind === 'one' ? found.value : found.kind;
  };

  it('takes spelling, a move and a slip for what they are', () => {
    assert.equal(closest('/guides/Set_Up'), 'guides/set-up.mdx');
    assert.equal(closest('/old/users'), 'api/users.mdx');
    assert.equal(closest('/api/usres'), 'api/users.mdx');
    assert.equal(closest('/apis/overview'), 'api/overview.mdx');
  });

  it('does not guess', () => {
    assert.equal(closest('/c/twin'), 'several');
    assert.equal(closest('/guides/v3'), 'none');
    assert.equal(closest('/old/overview'), 'none');
    assert.equal(closest('/guides/start'), 'none');
    assert.equal(nearest('install-2', ['install-1', 'install']).kind, 'none');
    assert.equal(nearest('colour', ['colors', 'color']).kind, 'one');
    assert.equal(nearest('abcde', ['abcdx', 'abcdy']).kind, 'several');
  });
});

describe('Writing a link anew', () => {
  const plain = siteOf('plain', []).docset.layout;
  const mintlify = siteOf('mintlify', []).docset.layout;
  it('keeps its manner', () => {
    assert.equal(relink('./a.md#x', 'b/c.md', 'b/d.md', plain), './d.md#x');
    assert.equal(relink('../a.md?q#x', 'b/c.md', 'e/d.md', plain), '../e/d.md?q#x');
    assert.equal(relink('/a/b', 'c.mdx', 'd/e.mdx', mintlify), '/d/e');
    assert.equal(relink('/a/b/', 'c.mdx', 'd/e.mdx', mintlify), '/d/e/');
    assert.equal(relink('/a/b.html', 'c.mdx', 'd/e.mdx', mintlify), '/d/e.html');
    assert.equal(relink('a', 'x/c.mdx', 'd/index.mdx', mintlify), '../d');
    assert.equal(relink('a.md', 'c.md', 'd e(f).md', plain), 'd%20e%28f%29.md');
  });
});
