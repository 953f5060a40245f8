import assert from 'node:assert/strict';
import { findDocsProject, type ListFolder } from '../../src/extension/docs-project-kinds.ts';
import { localProjectId } from '../../src/extension/project-id.ts';

/** A folder as the list of its files. */
function folderOf(...paths: string[]): ListFolder {
  return async (folder) => {
    const prefix = folder === '' ? '' : `${folder}/`;
    const rest = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    return {
      files: rest.filter((path) => !path.includes('/')),
      folders: [
        ...new Set(rest.filter((path) => path.includes('/')).map((path) => path.split('/', 1)[0] ?? '')),
      ],
    };
  };
}

const kindIn = async (...paths: string[]): Promise<string | undefined> => {
  const found = await findDocsProject(folderOf(...paths));
  return found && `${found.kind}:${found.root}`;
};

describe('A docs project', () => {
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ['mintlify:', ['docs.json', 'index.mdx']],
    ['mintlify:', ['mint.json']],
    ['mintlify:docs', ['package.json', 'src/a.ts', 'docs/docs.json', 'docs/index.mdx']],
    ['docusaurus:', ['docusaurus.config.ts', 'docs/a.md']],
    ['mkdocs:', ['mkdocs.yml', 'docs/index.md']],
    ['vitepress:docs', ['README.md', 'docs/.vitepress/config.mts', 'docs/index.md']],
    ['vitepress:', ['.vitepress/config/index.ts', 'index.md']],
    ['sphinx:doc', ['setup.py', 'doc/conf.py', 'doc/index.rst']],
    ['sphinx:docs', ['docs/Makefile', 'docs/source/conf.py', 'docs/source/index.rst']],
    ['sphinx:', ['myst.yml', 'intro.md']],
    ['hugo:', ['hugo.toml', 'content/a.md']],
    ['hugo:site', ['site/config.toml', 'site/content/a.md']],
    ['nextra:', ['next.config.mjs', 'content/_meta.js', 'content/index.mdx']],
    ['nextra:', ['next.config.js', 'theme.config.tsx', 'pages/index.mdx']],
    ['antora:docs', ['docs/antora.yml', 'docs/modules/ROOT/pages/index.adoc']],
    ['markdown:', ['a.md', 'b.md']],
    ['markdown:docs', ['README.md', 'docs/a.md']],
    ['markdown:', ['README.md', 'package.json']],
  ];
  for (const [expected, paths] of kinds) {
    it(`${paths.join(', ')} is ${expected.replace(':', ' in /')}`, async () => {
      assert.equal(await kindIn(...paths), expected);
    });
  }

  it('keeps the pages of a Docusaurus site that lie beside it', async () => {
    assert.equal(await kindIn('website/docusaurus.config.js', 'docs/a.md'), 'docusaurus:');
  });

  it('is not any program with a likely name', async () => {
    assert.equal(await kindIn('conf.py', 'main.py'), undefined);
    assert.equal(await kindIn('next.config.js', 'pages/index.tsx'), undefined);
    assert.equal(await kindIn('config.toml', 'src/main.rs'), undefined);
    assert.equal(await kindIn('.vitepress/cache/x'), undefined);
  });
});

describe('The id of a project at the local service', () => {
  it('is the same for the same folder and another one for another', () => {
    const id = localProjectId('/home/ana/My Docs', true);
    assert.match(id, /^My-Docs-[0-9a-f]{12}$/);
    assert.equal(localProjectId('/home/ana/My Docs/', true), id);
    assert.notEqual(localProjectId('/home/ben/My Docs', true), id);
    assert.notEqual(localProjectId('/home/ana/my docs', true), id);
  });

  it('does not depend on how Windows writes a path', () => {
    assert.equal(localProjectId('C:\\Docs\\Site', false), localProjectId('c:/docs/site', false));
  });

  it('is an id of the contract for every name', () => {
    for (const name of ['/', '/文档', '/--', `/${'x'.repeat(300)}`, '/a/é.docs', '/../..']) {
      assert.match(localProjectId(name, true), /^[A-Za-z0-9][A-Za-z0-9-]{0,60}$/, name);
    }
  });
});
