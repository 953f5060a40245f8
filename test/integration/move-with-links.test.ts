import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { link, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { openDocset } from '../../src/docset/docset.ts';
import { moveWithLinks } from '../../src/docset/move-with-links.ts';
import type { Moved } from '../../src/docset/move-with-links.ts';
import { openSite } from '../../src/docset/site.ts';
import { changesBetween, mintlifyTree, readTree, writeTree } from '../support/docs-trees.ts';
import type { DocsTree } from '../support/docs-trees.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Stand {
  readonly docsRoot?: string;
  readonly signal?: AbortSignal;
  /** Asked before each write, with the workspace's folder. */
  readonly mayWrite?: (file: string, folder: string) => boolean;
}

/** A docs project on disk in which one file is moved. */
async function project(tree: DocsTree) {
  const folder = await temporaryFolder();
  await writeTree(folder.path, tree);
  return {
    path: folder.path,
    files: () => readTree(folder.path),
    move: async (from: string, to: string, stand: Stand = {}): Promise<Moved> => {
      const { docsRoot = '', signal = new AbortController().signal, mayWrite = () => true } = stand;
      const never = new AbortController().signal;
      const docset = await openDocset(folder.path, docsRoot, never, (file) => mayWrite(file, folder.path));
      return moveWithLinks(await openSite(docset, never), { from, to }, signal);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const config = (body: string): string => `{ "theme": "mint", "navigation": { "pages": [${body}] } }\n`;

describe('A file that is moved', () => {
  it('takes along the links to a picture: relative, from the root, encoded, in tags and imports', async () => {
    await using docs = await project({
      'docs.json': `{ "theme": "mint", "logo": "/images/my pic.svg", "navigation": { "pages": ["index"] } }\n`,
      'images/my pic.svg': '<svg/>',
      'images/other.svg': '<svg/>',
      'index.mdx':
        'import Pic from \'./images/my pic.svg\'\n\n![A](/images/my%20pic.svg)\n\n<img src="images/my pic.svg" />\n\n![B](images/other.svg)\n',
      'guides/deep.md': '![A](<../images/my pic.svg> "title")\n\n[Get it](../images/my%20pic.svg?raw#x)\n',
      'guides/prose.md': 'The file images/my pic.svg is not linked here, nor `![](../images/my pic.svg)`.\n',
    });
    const before = await docs.files();
    const moved = await docs.move('images/my pic.svg', 'guides/art/pic (1).svg');
    assert.match(
      moved.kind === 'moved' ? moved.notes.join() : '',
      /pic \(1\)\.svg, which needs quoting there/,
    );
    const changes = changesBetween(before, await docs.files());
    assert.deepEqual(changes['index.mdx'], {
      gone: ['![A](/images/my%20pic.svg)', '<img src="images/my pic.svg" />'],
      come: ['![A](/guides/art/pic%20%281%29.svg)', '<img src="guides/art/pic%20%281%29.svg" />'],
    });
    assert.deepEqual(changes['guides/deep.md'], {
      gone: [before['guides/deep.md']?.split('\n')[0], before['guides/deep.md']?.split('\n')[2]],
      come: ['![A](<art/pic%20%281%29.svg> "title")', '[Get it](art/pic%20%281%29.svg?raw#x)'],
    });
    assert.match((await docs.files())['docs.json'] ?? '', /"logo": "\/guides\/art\/pic \(1\)\.svg"/);
    assert.equal(changes['guides/prose.md'], undefined);
    assert.doesNotMatch((await docs.files())['docs.json'] ?? '', /redirects/);
  });

  it('has its address from a folder of the site, or a note says that it has none', async () => {
    await using docs = await project({
      '.vitepress/config.ts': "export default { themeConfig: { logo: '/logo.png' } };\n",
      'public/logo.png': 'x',
      'index.md': '![Logo](/logo.png)\n',
    });
    assert.equal((await docs.move('public/logo.png', 'public/brand/logo.png')).kind, 'moved');
    const files = await docs.files();
    assert.equal(files['index.md'], '![Logo](/brand/logo.png)\n');
    assert.match(files['.vitepress/config.ts'] ?? '', /'\/brand\/logo\.png'/);

    await using site = await project({
      'mkdocs.yml': 'site_name: A\n',
      'docs/guide/a.md': '<img src="../../img/a.png">\n\n![a](../img/a.png)\n',
      'docs/img/a.png': 'x',
      'README.md': 'Read me.\n',
    });
    await site.move('docs/img/a.png', 'docs/guide/b.png', { docsRoot: 'docs' });
    assert.equal((await site.files())['docs/guide/a.md'], '<img src="../b.png">\n\n![a](b.png)\n');
    const away = await site.move('docs/guide/b.png', 'b.png', { docsRoot: 'docs' });
    assert.match(away.kind === 'moved' ? away.notes.join() : '', /the site has no address for b\.png/);
  });

  it('keeps an import a path when it comes to lie beside the page', async () => {
    await using docs = await project({
      'docs.json': config('"a/page"'),
      'snippets/note.mdx': 'Note.\n',
      'a/page.mdx': "import Note from '../snippets/note.mdx'\nimport React from 'react'\n\n<Note />\n",
    });
    await docs.move('snippets/note.mdx', 'a/note.mdx');
    assert.match((await docs.files())['a/page.mdx'] ?? '', /^import Note from '\.\/note\.mdx'\n/);
    const moved = await docs.move('a/page.mdx', 'b/c/page.mdx');
    assert.match(
      (await docs.files())['b/c/page.mdx'] ?? '',
      /^import Note from '\.\.\/\.\.\/a\/note\.mdx'\n/,
    );
    assert.doesNotMatch(moved.kind === 'moved' ? moved.notes.join() : '', /react/);
  });

  it('is found by each way of writing a link, and by none of prose', async () => {
    const links = {
      'a.md': '[x](guides/my page.md)',
      'b.md': '[x](<guides/my page.md>)',
      'c.md': '[x](guides/my%20page.md#top)',
      'd.md': '[x]: /guides/my%20page\n\n[x]',
      'e.md': '<a href="guides/my page">x</a>',
      'guides/f.md': '[x](./my%20page)',
      'guides/deeper/g.md': '[x](../my%20page.md)',
      'h.md': '[x](guides/my\\ page.md) and [y](guides/my%20page)',
    };
    await using docs = await project({
      'docs.json': config('"index"'),
      'guides/my page.md': '# My page\n',
      'other/my page.md': '# Another\n',
      'prose.md':
        'Open my page. See my page: "my page", (my page) or my page.md of [us](other/my%20page.md).\n',
      ...Object.fromEntries(Object.entries(links).map(([name, text]) => [name, `${text}\n`])),
    });
    const before = await docs.files();
    const moved = await docs.move('guides/my page.md', 'guides/its-page.md');
    assert.deepEqual(moved.kind === 'moved' && moved.links.map((each) => each.path), [
      'b.md',
      'c.md',
      'd.md',
      'e.md',
      'guides/deeper/g.md',
      'guides/f.md',
      'h.md',
    ]);
    const after = await docs.files();
    // A destination with a space is no link in Markdown.
    assert.equal(after['a.md'], before['a.md']);
    assert.equal(after['prose.md'], before['prose.md']);
    assert.equal(after['guides/deeper/g.md'], '[x](../its-page.md)\n');
  });

  it('is told of where pages outside the docs link to it, and changed there when that is allowed', async () => {
    const tree: DocsTree = {
      'mkdocs.yml': 'site_name: A\n',
      'docs/index.md': '[x](guide/a.md)\n',
      'docs/guide/a.md': '# A\n',
      'README.md': 'See [the guide](./docs/guide/a.md#top) and [this](/guide/a) and `docs/guide/a.md`.\n',
      'AGENTS.md': 'Read [the guide](docs/guide/a.md).\n',
      'src/notes.md': '[not it](guide/a.md) nor [this](docs/guide/a.md)\n',
    };
    await using closed = await project(tree);
    const before = await closed.files();
    const stand: Stand = { docsRoot: 'docs', mayWrite: (file) => file.startsWith('docs/') };
    const told = await closed.move('docs/guide/a.md', 'docs/b.md', stand);
    assert.deepEqual(told.kind === 'moved' && told.notes.slice(0, 2), [
      'AGENTS.md: links to the old path, because it may not be changed',
      'README.md: links to the old path, because it may not be changed',
    ]);
    assert.deepEqual(Object.keys(changesBetween(before, await closed.files())).toSorted(), [
      'docs/b.md',
      'docs/guide/a.md',
      'docs/index.md',
    ]);
    await using open = await project(tree);
    await open.move('docs/guide/a.md', 'docs/b.md', { docsRoot: 'docs' });
    const after = await open.files();
    assert.equal(
      after['README.md'],
      'See [the guide](./docs/b.md#top) and [this](/guide/a) and `docs/guide/a.md`.\n',
    );
    assert.equal(after['AGENTS.md'], tree['AGENTS.md']);
    assert.equal(after['src/notes.md'], tree['src/notes.md']);
  });

  it('is found as the page of its folder', async () => {
    await using docs = await project({
      'mkdocs.yml': 'site_name: A\n',
      'docs/guide/index.md': '# Guide\n',
      'docs/guide/a.md': '[up](./) [file](index.md)\n',
      'docs/b.md': '[x](guide/) [y](guide/index.md#a)\n',
      'docs/c.md': '[x](./) and call `f()` (see ..)\n',
    });
    const moved = await docs.move('docs/guide/index.md', 'docs/guide/start.md', { docsRoot: 'docs' });
    assert.deepEqual(moved.kind === 'moved' && moved.links.map((each) => each.path), [
      'docs/b.md',
      'docs/guide/a.md',
    ]);
  });

  const refusals: readonly {
    readonly why: string;
    readonly stand: (controller: AbortController) => Stand;
  }[] = [
    {
      why: 'the navigation cannot be written at the last moment',
      stand: () => {
        let asked = 0;
        return { mayWrite: (file) => file !== 'docs.json' || (asked += 1) < 3 };
      },
    },
    {
      why: 'somebody made a file at its new place meanwhile',
      stand: () => {
        let written = 0;
        return {
          mayWrite: (file, folder) => {
            if (file === 'index.mdx' && (written += 1) === 2)
              writeFileSync(path.join(folder, 'guides', 'sign-in.mdx'), 'theirs\n');
            return true;
          },
        };
      },
    },
    {
      why: 'the job is broken off between two pages',
      stand: (controller) => {
        let written = 0;
        return {
          signal: controller.signal,
          mayWrite: (file) => {
            if (file === 'index.mdx' && (written += 1) === 2) controller.abort();
            return true;
          },
        };
      },
    },
  ];
  for (const { why, stand } of refusals) {
    it(`leaves all as it was when ${why}`, async () => {
      await using docs = await project(mintlifyTree());
      const before = await docs.files();
      const end = await docs
        .move('guides/log-in.mdx', 'guides/sign-in.mdx', stand(new AbortController()))
        .catch((error: unknown) => error);
      assert.ok(end instanceof Error || (end as Moved).kind === 'refused', JSON.stringify(end));
      const { 'guides/sign-in.mdx': theirs, ...after } = await docs.files();
      assert.deepEqual(after, before);
      assert.ok(theirs === undefined || theirs === 'theirs\n');
    });
  }

  it('leaves alone what else is a name of the same file, and keeps modes', async () => {
    await using outside = await temporaryFolder();
    await using docs = await project({
      'docs.json': config('"a"'),
      'a.md': '# A\n',
    });
    const theirs = path.join(outside.path, 'theirs.md');
    await writeTree(outside.path, { 'theirs.md': '[a](a.md)\n' });
    await link(theirs, path.join(docs.path, 'b.md'));
    const mode = (await stat(theirs)).mode;
    await docs.move('a.md', 'c.md');
    assert.equal(await readFile(theirs, 'utf8'), '[a](a.md)\n');
    assert.equal(await readFile(path.join(docs.path, 'b.md'), 'utf8'), '[a](c.md)\n');
    assert.equal((await stat(path.join(docs.path, 'b.md'))).mode, mode);
  });
});
