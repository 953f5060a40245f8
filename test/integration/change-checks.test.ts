import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { checkDocsChange } from '../../src/docset/change-checks.ts';
import { worseLines } from '../support/docs-changes.ts';
import { writeTree } from '../support/docs-trees.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const never = new AbortController().signal;
const vitepress = { '.vitepress/config.ts': 'export default { themeConfig: { sidebar: [] } };\n' };

describe('what a change made worse', () => {
  it('counts troubles of a page, wherever they have moved and whatever it is called now', async () => {
    const before = { 'a.md': '[x](no.md)\n[y](gone.md)', 'b.md': '[z](no.md)' };
    assert.deepEqual(await worseLines(before, { 'a.md': 'More.\n\n[x](no.md)\n[x](no.md)\n[y](gone.md)' }), [
      'a.md:4 link The link leads nowhere: no.md',
    ]);
    assert.deepEqual(
      await worseLines(before, { 'c.md': '[z](no.md)\n' }, { renamed: { 'c.md': 'b.md' } }),
      [],
    );
    assert.deepEqual(await worseLines(before, { 'd.md': '[n](no.md)' }), [
      'd.md:1 link The link leads nowhere: no.md',
    ]);
  });

  it('is MDX that cannot be parsed and front matter that is none', async () => {
    const before = { 'a.mdx': '# A\n', 'b.md': '# B\n' };
    assert.deepEqual(
      await worseLines(before, { 'a.mdx': '# A\n\n<Card>\n', 'b.md': '---\na: [\n---\n# B\n' }),
      [
        'a.mdx:3 syntax The page cannot be parsed: Expected a closing tag for `<Card>` (3:1-3:7)',
        'b.md:3 front_matter The front matter is invalid: Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 1:',
      ],
    );
  });

  describe('on pages that it did not touch', () => {
    const before = {
      'a.md': '# A\n\nSee [b](guide/b.md), [again](./guide/b#two) and [c](c.md#c-one).\n',
      'guide/b.md': '# B\n\n## Two\n',
      'c.md': '# C\n\n## C one\n\n## C two\n',
      'd.md': 'The word b, c and b.md in prose, and [c](c.md#c-two).\n',
      'img/x.png': 'png',
      'e.md': '![x](img/x.png)\n',
    };

    it('is a page that is gone and still linked, told once', async () => {
      assert.deepEqual(await worseLines(before, { 'guide/b.md': undefined }), [
        'guide/b.md:1 lost The page is gone, but is still linked from a.md (line 3), a.md (line 3).',
      ]);
    });

    it('is a page that was renamed without its links', async () => {
      assert.deepEqual(await worseLines(before, {}, { renamed: { 'guide/z.md': 'guide/b.md' } }), [
        'guide/b.md:1 lost The page is gone, it is guide/z.md now, but is still linked from a.md (line 3), a.md (line 3).',
      ]);
      const links = { 'a.md': '# A\n\nSee [b](guide/z.md), [again](./guide/z#two) and [c](c.md#c-one).\n' };
      assert.deepEqual(await worseLines(before, links, { renamed: { 'guide/z.md': 'guide/b.md' } }), []);
    });

    it('is an anchor that is gone, where a link leads to it', async () => {
      assert.deepEqual(await worseLines(before, { 'c.md': '# C\n\n## C 1\n\n## C two\n' }), [
        'a.md:3 anchor c.md has no anchor #c-one',
      ]);
      assert.deepEqual(await worseLines(before, { 'c.md': '# C\n\n## C two\n\n## C one\n\nMore.\n' }), []);
      assert.deepEqual(await worseLines(before, { 'c.md': '# C\n\nC one\n---\n\n## C two\n' }), []);
    });

    it('is an anchor that is gone, by whatever name its page goes', async () => {
      const tree = {
        'docusaurus.config.js': 'module.exports = {};',
        'docs/01-intro/index.md': '---\nslug: /begin\n---\n# I\n\n## Über uns\n',
        'docs/01-intro/a.md': '[up](./#über-uns)\n[file](index.md#%C3%BCber-uns)\n',
        'docs/b.md':
          '[slug](/docs/begin/#über-uns)\n[other](#über-uns)\n[x](https://x.example/begin#über-uns)\n',
      };
      const found = await worseLines(tree, { 'docs/01-intro/index.md': '---\nslug: /begin\n---\n# I\n' });
      assert.deepEqual(
        found.map((line) => line.split(' ')[0]),
        ['docs/01-intro/a.md:1', 'docs/01-intro/a.md:2', 'docs/b.md:1'],
      );
    });

    it('is a picture that is gone', async () => {
      assert.deepEqual(await worseLines(before, { 'img/x.png': undefined }), [
        'img/x.png:1 lost The file is gone, but is still linked from e.md (line 1).',
      ]);
    });

    it('is nothing where a page was changed, moved with its links, or deleted with them', async () => {
      assert.deepEqual(await worseLines(before, { 'guide/b.md': '# B\n\n## Two\n\nNew.\n' }), []);
      const without = { 'guide/b.md': undefined, 'a.md': '# A\n\nSee [c](c.md#c-one).\n' };
      assert.deepEqual(await worseLines(before, without), []);
      // What was broken before has lost nothing.
      const old = { 'a.md': '[b](./b.md#no)', 'b.md': '# B\n', 'c.md': '[x](x.md)' };
      assert.deepEqual(await worseLines(old, { 'b.md': '# C\n' }), []);
    });

    it('is the start page of a folder, linked by the folder', async () => {
      const tree = {
        ...vitepress,
        'guide/index.md': '# G',
        'guide/x.md': '[up](./)',
        'a.md': '[g](/guide/)',
      };
      assert.deepEqual(await worseLines(tree, { 'guide/index.md': undefined }), [
        'guide/index.md:1 lost The page is gone, but is still linked from a.md (line 1), guide/x.md (line 1).',
      ]);
    });

    it('is a snippet that pages import', async () => {
      const tree = {
        'docs.json': '{"theme": "mint", "navigation": {"pages": ["a"]}}',
        'snippets/s.mdx': 'Hi',
        'a.mdx': "import S from '/snippets/s.mdx'\nimport { x } from 'snippets'\n\n<S />\n",
      };
      assert.deepEqual(await worseLines(tree, { 'snippets/s.mdx': undefined }), [
        'snippets/s.mdx:1 lost The file is gone, but is still linked from a.mdx (line 1).'.replace(
          'file',
          'page',
        ),
      ]);
    });

    it('is a page whose front matter gives it another address', async () => {
      const tree = {
        'docusaurus.config.js': 'module.exports = {};',
        'docs/a.md': '---\nslug: /start\n---\n# A\n',
        'docs/b.md': '[a](/docs/start)\n',
      };
      assert.deepEqual(await worseLines(tree, { 'docs/a.md': '---\nslug: /begin\n---\n# A\n' }), [
        'docs/a.md:1 lost The page has another address now, but is still linked from docs/b.md (line 1).',
      ]);
    });

    it('is nothing where a redirect catches the old address', async () => {
      const config = (redirects: string) =>
        `{"theme": "mint", "navigation": {"pages": ["a"]}, "redirects": [${redirects}]}`;
      const tree = { 'docs.json': config(''), 'a.mdx': '[b](/b)', 'b.mdx': '# B' };
      const redirect = '{"source": "/b", "destination": "/c"}';
      const renamed = { renamed: { 'c.mdx': 'b.mdx' } };
      assert.deepEqual(await worseLines(tree, { 'docs.json': config(redirect) }, renamed), []);
      assert.equal((await worseLines(tree, {}, renamed)).length, 1);
    });

    it('names no more places than somebody reads', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`p${index}.md`, '[b](b.md)']),
      );
      const [line] = await worseLines({ ...many, 'b.md': '# B' }, { 'b.md': undefined });
      assert.match(line ?? '', /p0\.md \(line 1\), .* and 40 more\.$/);
    });

    it('is found when a hundred pages go at once', async () => {
      const pages = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`d/p ${index}.md`, '# P']));
      const gone = Object.fromEntries(Object.keys(pages).map((name) => [name, undefined]));
      const found = await worseLines(
        { ...pages, 'a.md': '[p](<d/p 7.md>) [q](d/p%2042.md)', 'b.md': 'nothing' },
        gone,
      );
      assert.deepEqual(found, [
        'd/p 42.md:1 lost The page is gone, but is still linked from a.md (line 1).',
        'd/p 7.md:1 lost The page is gone, but is still linked from a.md (line 1).',
      ]);
    });
  });

  describe('in the navigation', () => {
    const gone = async (tree: Record<string, string>, page: string) =>
      (await worseLines(tree, { [page]: undefined })).filter((line) => line.includes(' navigation '));

    it('of Mintlify: pages and roots, in groups of groups; no operations, addresses and words', async () => {
      const config = `{
  "theme": "mint",
  "navigation": { "tabs": [{ "tab": "Home", "groups": [
    { "group": "pages", "root": "b", "tag": "no/page", "pages": ["a", { "group": "In", "pages": ["g/b", "GET /users", "https://x.example"] }] }
  ] }] }
}`;
      const tree = { 'docs.json': config, 'a.mdx': '', 'b.mdx': '', 'g/b.mdx': '' };
      assert.deepEqual(await gone(tree, 'g/b.mdx'), [
        'docs.json:4 navigation The navigation lists a page that is not there: g/b',
      ]);
      assert.deepEqual(await gone(tree, 'b.mdx'), [
        'docs.json:4 navigation The navigation lists a page that is not there: b',
      ]);
      assert.deepEqual(
        await worseLines(tree, { 'docs.json': config.replace('"g/b"', '"g/b", "new/page"') }),
        ['docs.json:4 navigation The navigation lists a page that is not there: new/page'],
      );
      assert.deepEqual(await worseLines(tree, { 'docs.json': config.replace('"a",', '') }), []);
    });

    it('of MkDocs: pages below nav, and what was missing before is not told', async () => {
      const tree = {
        'mkdocs.yml':
          'site_name: x.md\nnav:\n  - Home: index.md\n  - In:\n      - g/a.md\n      - old.md\n      - https://x.example/b.md\nextra:\n  file: other.md\n',
        'docs/index.md': '# I',
        'docs/g/a.md': '# A',
      };
      assert.deepEqual(await gone(tree, 'docs/g/a.md'), [
        'mkdocs.yml:5 navigation The navigation lists a page that is not there: g/a.md',
      ]);
      assert.deepEqual(await worseLines(tree, { 'docs/index.md': '# New' }), []);
      const more = tree['mkdocs.yml']
        .replace('g/a.md', 'g/b.md')
        .replace('- old.md', '- old.md\n      - old.md');
      assert.deepEqual(await worseLines(tree, { 'mkdocs.yml': more }), [
        'mkdocs.yml:5 navigation The navigation lists a page that is not there: g/b.md',
        'mkdocs.yml:7 navigation The navigation lists a page that is not there: old.md',
      ]);
    });

    it('of Docusaurus, VitePress and Nextra', async () => {
      const docusaurus = {
        'docusaurus.config.js': 'module.exports = {};',
        'sidebars.js':
          "module.exports = { docs: ['intro', { type: 'category', label: 'no/page', items: ['g/a'] }] };\n",
        'docs/intro.md': '# I',
        'docs/g/a.md': '# A',
      };
      assert.equal((await gone(docusaurus, 'docs/intro.md')).length, 1);
      assert.equal((await gone(docusaurus, 'docs/g/a.md')).length, 1);
      const site = {
        '.vitepress/config.ts':
          "export default { themeConfig: { sidebar: [{ text: 'x', link: '/guide/a' }, { base: '/guide/', items: [{ link: 'b' }] }, { link: 'https://x.example' }] } };\n",
        'guide/a.md': '# A',
        'guide/b.md': '# B',
      };
      assert.equal((await gone(site, 'guide/a.md')).length, 1);
      assert.equal((await gone(site, 'guide/b.md')).length, 1);
      const nextra = {
        'pages/_meta.json':
          '{"index": "Home", "a": "A", "---": {"type": "separator"}, "menu": {"type": "menu"}}',
        'pages/index.mdx': '# I',
        'pages/a.mdx': '# A',
      };
      assert.equal((await gone(nextra, 'pages/a.mdx')).length, 1);
      const menu = nextra['pages/_meta.json'].replace('"menu"', '"more": {"type": "menu"}, "menu"');
      assert.deepEqual(await worseLines(nextra, { 'pages/_meta.json': menu }), []);
    });
  });

  it('is a page that is empty now', async () => {
    const before = { 'a.md': '---\ntitle: A\n---\n\n# A\n', 'b.md': '---\ntitle: B\n---\n', 'c.md': 'C' };
    assert.deepEqual(
      await worseLines(before, { 'a.md': '---\ntitle: A\n---\n \n', 'b.md': '', 'c.md': 'D' }),
      ['a.md:1 lost The page is empty now.'],
    );
  });

  it('is found in docs whose folder the change has made, or taken away', async () => {
    const before = { 'README.md': '[d](docs/a.md)', 'x.md': 'x' };
    const made = await worseLines(before, { 'docs/a.md': '[b](b.md)' }, { docsRoot: 'docs' });
    assert.deepEqual(made, ['docs/a.md:1 link The link leads nowhere: b.md']);
    const gone = await worseLines(
      { 'docs/a.md': '# A', 'x.md': 'x' },
      { 'docs/a.md': undefined },
      { docsRoot: 'docs' },
    );
    assert.deepEqual(gone, ['docs:1 lost The folder of the docs is gone.']);
  });

  it('is nothing that lies behind a symbolic link', async () => {
    if (process.platform === 'win32') return;
    await using outside = await temporaryFolder();
    await using before = await temporaryFolder();
    await using after = await temporaryFolder();
    await writeTree(outside.path, {
      'config.ts': "export default { link: '/secret-of-the-machine' };",
      'p.md': '[s](/secret-page)',
    });
    const tree = { 'package.json': '{}', 'a.md': '# A' };
    await writeTree(before.path, tree);
    await writeTree(after.path, { ...tree, 'b.md': '# B' });
    await symlink(outside.path, path.join(after.path, '.vitepress'));
    await symlink(path.join(outside.path, 'p.md'), path.join(after.path, 'p.md'));
    const files = ['b.md', 'p.md', '.vitepress'].map((name) => ({ path: name, change: 'added' }) as const);
    const found = await checkDocsChange(
      { directory: after.path, parentDirectory: before.path, docsRoot: '', files },
      never,
    );
    assert.deepEqual(found, []);
  });

  // What was made to take long has so much of it that quadratic time ends the test.
  it('is found in a navigation of sixty thousand pages, deeply nested and cut off', async () => {
    const names = Array.from({ length: 60_000 }, (_, index) => `"x${index}"`).join(',');
    const config = `{"theme": "mint", "navigation": {"pages": [${'{"pages": ['.repeat(2000)}${names}`;
    const found = await worseLines(
      { 'docs.json': '{"theme": "mint", "navigation": {}}', 'a.mdx': '#' },
      { 'docs.json': config },
    );
    assert.equal(found.length, 60_000);
  });

  it('is found in four hundred links at once', async () => {
    const headings = Array.from({ length: 400 }, (_, index) => `## H ${index}\n`).join('');
    const links = Array.from({ length: 400 }, (_, index) => `[l](a.md#h-${index})\n`).join('');
    const found = await worseLines({ 'a.md': headings, 'b.md': links }, { 'a.md': '# None' });
    assert.equal(found.length, 400);
  });

  it('is nothing in long rows of spaces and brackets', async () => {
    const before = { 'a.md': '# A', 'b.md': `${' '.repeat(800_000)}(`, 'c.md': '['.repeat(400_000) };
    assert.deepEqual(await worseLines(before, { 'a.md': undefined }), []);
  });

  it('is broken off when the job is', async () => {
    await using folder = await temporaryFolder();
    const stop = AbortSignal.abort(new Error('cancelled'));
    const change = { directory: folder.path, parentDirectory: folder.path, docsRoot: '', files: [] };
    await assert.rejects(checkDocsChange(change, stop), /^Error: cancelled$/);
  });
});
