import assert from 'node:assert/strict';
import { changesOf, refusal } from '../support/rules-agent.ts';
import type { DocsTree } from '../support/docs-trees.ts';

/** VitePress that serves English without its folder. */
function languages(): DocsTree {
  return {
    'docs/.vitepress/config.ts':
      "export default {\n  rewrites: { 'en/:rest*': ':rest*' },\n  themeConfig: { sidebar: [{ base: '/guide/', items: [{ text: 'Start', link: 'start' }] }] },\n};\n",
    'docs/en/index.md': '[Start](./guide/start)\n',
    'docs/en/guide/start.md': '# Start\n\n[Home](../index)\n',
    'docs/es/guide/start.md': '# Inicio\n',
  };
}

function addresses(): DocsTree {
  return {
    'mkdocs.yml':
      'site_name: A\nnav:\n  - Start: start.md\nplugins:\n  - redirects:\n      redirect_maps:\n        old.md: start.md\n',
    'docs/start.md': '# Start\n',
    'docs/img/shot.png': 'png',
    'docs/guide/look.md': '# Look\n\n<img src="../../img/shot.png">\n\n[Start](../start.md)\n',
  };
}

describe('The rules agent, where things are', () => {
  it('counts a new path from where the old one was counted', async () => {
    const moved = async (prompt: string): Promise<string[]> =>
      Object.keys((await changesOf(languages(), prompt)).after).filter((path) => /quick/.test(path));
    assert.deepEqual(await moved('rename page guide/start to guide/quick'), ['docs/en/guide/quick.md']);
    assert.deepEqual(await moved('rename page guide/start to theming/quick'), ['docs/en/theming/quick.md']);
    assert.deepEqual(await moved('rename page en/guide/start to en/guide/quick'), ['docs/en/guide/quick.md']);
    assert.deepEqual(await moved('rename page docs/en/guide/start.md to docs/guide/quick.md'), [
      'docs/guide/quick.md',
    ]);
    assert.deepEqual(await moved('rename page guide/start to es/guide/quick'), ['docs/es/guide/quick.md']);
  });

  it('names the file of a navigation entry that it cannot write', async () => {
    const { summary } = await changesOf(languages(), 'rename page guide/start to theming/quick');
    assert.match(summary, /`docs\/\.vitepress\/config\.ts` has a link `start`[^\n]*by hand/);
  });

  it('finds an image of an HTML tag by the address of its page', async () => {
    const { summary, changes } = await changesOf(addresses(), 'fix broken links');
    assert.deepEqual(changes, {});
    assert.match(summary, /the links of 2 pages lead somewhere/);
  });

  it('keeps such an image when the page moves', async () => {
    const moved = await changesOf(addresses(), 'move page guide/look to a/b/look.md');
    assert.match(moved.after['docs/a/b/look.md'] ?? '', /src="\.\.\/\.\.\/\.\.\/img\/shot\.png"/);
    assert.match(moved.after['docs/a/b/look.md'] ?? '', /\(\.\.\/\.\.\/start\.md\)/);
  });

  it('adds no redirect between addresses that differ in capitals only', async () => {
    const { after, summary } = await changesOf(addresses(), 'rename page start to Start');
    assert.match(after['mkdocs.yml'] ?? '', /- Start: Start\.md\n[\s\S]*old\.md: Start\.md\n$/);
    assert.match(summary, /`\/start` differs in capitals only/);
  });

  it('takes the words of a heading that has an id of its own', async () => {
    const { changes } = await changesOf(
      { 'a.md': '## Team page {#team}\n\nSee [it](#team-page).\n', 'b.md': '# B\n' },
      'fix broken links',
    );
    assert.deepEqual(changes['a.md'], { gone: ['See [it](#team-page).'], come: ['See [it](#team).'] });
  });

  it('edits no page of a skill for coding agents', async () => {
    const tree = {
      'a.md': 'plugin\n',
      'skills/write/SKILL.md': 'plugin\n',
      'skills/write/reference/more.md': 'plugin\n',
      'skills/about.md': 'plugin\n',
    };
    const { changes, summary } = await changesOf(tree, 'replace "plugin" with "part"');
    assert.deepEqual(Object.keys(changes).toSorted(), ['a.md', 'skills/about.md']);
    assert.match(summary, /2 times in files that nobody but you should edit/);
  });

  it('asks rather than taking a wish for words', async () => {
    const tree = { 'a.md': 'The intro is long.\n' };
    const { message } = await refusal(tree, 'Replace the intro with something friendlier');
    assert.match(message, /in quotes/);
  });
});
