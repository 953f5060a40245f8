import assert from 'node:assert/strict';
import { docusaurusTree, mintlifyTree, mkdocsTree } from '../support/docs-trees.ts';
import { changesOf, refusal } from '../support/rules-agent.ts';

describe('The rules agent', () => {
  describe('fixing links', () => {
    it('looks at the page of a folder in Hugo, and not at pages inside others', async () => {
      const { changes } = await changesOf(
        {
          'hugo.toml': "baseURL = 'https://example.org/'\n",
          'content/_index.md': '[a](docs/strat) [b]({{< ref "docs/strat.md" >}}) [c](#top-of-it)\n',
          'content/_part.md': '[a](docs/strat) [c](#top-of-it)\n',
          'content/docs/start.md': '# A\n',
        },
        'fix broken links',
      );
      assert.deepEqual(changes, {
        'content/_index.md': {
          gone: ['[a](docs/strat) [b]({{< ref "docs/strat.md" >}}) [c](#top-of-it)'],
          come: ['[a](docs/start) [b]({{< ref "docs/start.md" >}}) [c](#top-of-it)'],
        },
      });
    });

    it('repairs pages and anchors that are surely meant, and lists the rest', async () => {
      const { changes, summary } = await changesOf(mintlifyTree(), 'fix broken links');
      assert.deepEqual(changes, {
        'reference/tokens.mdx': {
          gone: [
            'See [log in](/guides/log-in#log-in-with-a-token), [missing](/guides/log_in) and [typo](/reference/token#rotate-a-tokn).',
          ],
          come: [
            'See [log in](/guides/log-in#log-in-with-a-token), [missing](/guides/log-in) and [typo](/reference/tokens#rotate-a-token).',
          ],
        },
      });
      assert.match(summary, /Fixed 2 broken links on 1 page/);
      assert.match(summary, /`\/images\/shot\.png`: there is no such file/);
    });

    it('guesses at nothing between two headings and finds no link in code', async () => {
      const { changes, summary } = await changesOf(mkdocsTree(), 'fix broken links', { docsRoot: 'docs' });
      assert.deepEqual(changes, {
        'docs/guide/install.md': {
          gone: [
            'Next: [usage](usage.md), [gone](../guide/instal.md), [typo](#requirement), ![shot](../img/shot.png)',
          ],
          come: [
            'Next: [usage](usage.md), [gone](install.md), [typo](#requirements), ![shot](../img/shot.png)',
          ],
        },
      });
      assert.match(summary, /`#first-run_7`: the page has no heading like that/);
      assert.doesNotMatch(summary, /nowhere\.md/);
    });

    it('says so when all is well', async () => {
      const { changes, summary } = await changesOf(
        { 'a.md': '[b](b.md)\n', 'b.md': '# B\n\n[b](#b)\n' },
        'fix broken links',
      );
      assert.deepEqual(changes, {});
      assert.match(summary, /the links of 2 pages lead somewhere/);
    });
  });

  describe('renaming a page', () => {
    it('takes links, navigation and a redirect along in Mintlify', async () => {
      const { changes, after, title } = await changesOf(
        mintlifyTree(),
        'rename page guides/log-in to access/sign-in',
      );
      assert.equal(title, 'Rename log-in.mdx to access/sign-in.mdx');
      assert.equal(changes['guides/log-in.mdx'], 'deleted');
      assert.equal(after['access/sign-in.mdx'], mintlifyTree()['guides/log-in.mdx']);
      assert.match(
        after['index.mdx'] ?? '',
        /href="\/access\/sign-in#log-in-with-a-token"[\s\S]*\[how to log in\]\(\/access\/sign-in\)/,
      );
      assert.match(
        after['guides/café.mdx'] ?? '',
        /\[Log in\]\(\.\.\/access\/sign-in\) or \[tokens\]\(\.\.\/reference\/tokens\)/,
      );
      const config = JSON.parse(after['docs.json'] ?? '') as { navigation: object; redirects: object[] };
      assert.match(JSON.stringify(config.navigation), /"index","access\/sign-in","guides\/café"/);
      assert.deepEqual(config.redirects, [
        { source: '/old-login', destination: '/access/sign-in' },
        { source: '/guides/log-in', destination: '/access/sign-in' },
      ]);
      assert.match(after['docs.json'] ?? '', /\n {4}\{\n {6}"source": "\/guides\/log-in",\n/);
    });

    it('takes sidebars, imports and the redirects plugin along in Docusaurus', async () => {
      const { after } = await changesOf(docusaurusTree(), 'rename page guide/setup to install/prepare');
      assert.match(
        after['docs/intro.md'] ?? '',
        /\(\.\/install\/prepare\.md#requirements\) and \[usage\]\(guide\/usage\), or \[by address\]\(\/docs\/install\/prepare\/\)/,
      );
      assert.match(
        after['docs/install/prepare.md'] ?? '',
        /\[use it\]\(\.\.\/guide\/usage\.mdx\) and go \[back\]\(\.\.\/intro\.md\)/,
      );
      assert.match(
        after['docs/guide/usage.mdx'] ?? '',
        /import Setup from '\.\.\/install\/prepare\.md';[\s\S]*\[set up\]\(\.\.\/install\/prepare\.md\)/,
      );
      assert.match(
        after['sidebars.js'] ?? '',
        /\/\/ 'guide\/setup' is[\s\S]*label: 'guide\/setup', items: \["install\/prepare", 'guide\/usage'\]/,
      );
      assert.match(
        after['docusaurus.config.js'] ?? '',
        /\{ from: '\/docs\/guide\/setup', to: '\/docs\/install\/prepare' \},\n {10}\{ from: '\/docs\/older'/,
      );
      assert.match(
        after['docusaurus.config.js'] ?? '',
        /\{ label: 'setup', to: '\/docs\/install\/prepare' \}/,
      );
    });

    it('keeps names and addresses that a page of Docusaurus has from its front matter', async () => {
      const tree = docusaurusTree();
      const page = String(tree['docs/guide/setup.md']);
      const withId = { ...tree, 'docs/guide/setup.md': page.replace('---\n', '---\nid: setup\n') };
      const renamed = await changesOf(withId, 'rename page guide/setup to guide/prepare');
      assert.equal(renamed.changes['sidebars.js'], undefined);
      assert.equal(renamed.changes['docusaurus.config.js'], undefined);
      assert.match(
        renamed.after['docs/intro.md'] ?? '',
        /\(\.\/guide\/prepare\.md#requirements\)[^\n]*\(\/docs\/guide\/setup\/\)/,
      );
      assert.match(renamed.summary, /Its address is the same as before/);

      const moved = await changesOf(withId, 'rename page guide/setup to install/prepare');
      assert.match(moved.after['sidebars.js'] ?? '', /items: \["install\/setup", 'guide\/usage'\]/);
      assert.match(
        moved.after['docusaurus.config.js'] ?? '',
        /\{ from: '\/docs\/guide\/setup', to: '\/docs\/install\/setup' \}/,
      );
      assert.match(
        moved.after['docs/intro.md'] ?? '',
        /\(\.\/install\/prepare\.md#requirements\)[^\n]*\(\/docs\/install\/setup\/\)/,
      );
      assert.match(moved.summary, /redirect from `\/docs\/guide\/setup` to `\/docs\/install\/setup`/);

      const withSlug = { ...tree, 'docs/guide/setup.md': page.replace('---\n', '---\nslug: /begin\n') };
      const kept = await changesOf(withSlug, 'rename page guide/setup to guide/prepare');
      assert.match(kept.summary, /Its address is the same as before: its front matter sets it/);
      assert.doesNotMatch(kept.after['docusaurus.config.js'] ?? '', /from: '\/docs\/guide\/setup'/);
    });

    it('counts a slug of Docusaurus that begins with no slash from the folder of its page', async () => {
      const tree = docusaurusTree();
      const page = String(tree['docs/guide/setup.md']);
      const withSlug = {
        ...tree,
        'docs/guide/setup.md': page.replace('---\n', '---\nid: first\nslug: begin\n'),
        'sidebars.js': "module.exports = { docs: ['guide/first'] };\n",
        'docs/intro.md': '# Intro\n\n[a](./guide/setup.md) [b](/docs/guide/begin)\n',
      };
      const renamed = await changesOf(withSlug, 'rename page guide/setup to guide/prepare');
      assert.equal(renamed.changes['sidebars.js'], undefined);
      assert.doesNotMatch(renamed.after['docusaurus.config.js'] ?? '', /from: '\/docs\/guide/);
      assert.match(
        renamed.after['docs/intro.md'] ?? '',
        /\(\.\/guide\/prepare\.md\) \[b\]\(\/docs\/guide\/begin\)/,
      );
      assert.match(renamed.summary, /Its address is the same as before\./);

      const moved = await changesOf(withSlug, 'rename page guide/setup to install/prepare');
      assert.match(moved.after['sidebars.js'] ?? '', /'install\/first'/);
      assert.match(
        moved.after['docusaurus.config.js'] ?? '',
        /\{ from: '\/docs\/guide\/begin', to: '\/docs\/install\/begin' \}/,
      );
      assert.match(
        moved.after['docs/intro.md'] ?? '',
        /\(\.\/install\/prepare\.md\) \[b\]\(\/docs\/install\/begin\)/,
      );
    });

    it('gives the page of a folder in Docusaurus the address of its id once it is no such page any more', async () => {
      const tree = {
        ...docusaurusTree(),
        'docs/guide/index.md': '---\nid: overview\n---\n\n# Guide\n',
        'sidebars.js': "module.exports = { docs: ['guide/overview'] };\n",
      };
      const { after, changes } = await changesOf(tree, 'rename page guide/index.md to guide/start.md');
      assert.equal(changes['sidebars.js'], undefined);
      assert.match(
        after['docusaurus.config.js'] ?? '',
        /\{ from: '\/docs\/guide', to: '\/docs\/guide\/overview' \}/,
      );
    });

    it('takes nav, reference links and redirect_maps along in MkDocs', async () => {
      const { changes, after } = await changesOf(
        mkdocsTree(),
        'move page guide/install.md to setup/install.md',
        { docsRoot: 'docs' },
      );
      assert.deepEqual(changes['mkdocs.yml'], {
        gone: ['      - Install: guide/install.md   # the first step', '        setup.md: guide/install.md'],
        come: [
          '      - Install: setup/install.md   # the first step',
          '        setup.md: setup/install.md',
          '        guide/install.md: setup/install.md',
        ],
      });
      assert.match(after['docs/index.md'] ?? '', /\[install\]: setup\/install\.md#requirements/);
      assert.match(
        after['docs/setup/install.md'] ?? '',
        /\[usage\]\(\.\.\/guide\/usage\.md\), \[gone\]\(\.\.\/guide\/instal\.md\), \[typo\]\(#requirement\), !\[shot\]\(\.\.\/img\/shot\.png\)/,
      );
    });

    it('knows which configuration of VitePress is about which language', async () => {
      const sidebar = (base: string): string =>
        `export default { sidebar: { '${base}': { base: '${base}', items: [{ text: 'a', link: 'a' }] } } }\n`;
      const tree = {
        'docs/.vitepress/config.ts': `export default { rewrites: { 'en/:rest*': ':rest*' } }\n`,
        'docs/config.ts': sidebar('/guide/'),
        'docs/fr/config.ts': sidebar('/fr/guide/'),
        'docs/en/guide/a.md': '# A\n\n[b](../reference/b)\n',
        'docs/fr/guide/a.md': '# A\n',
        'docs/en/reference/b.md': '# B\n\n[a](../guide/a#a) [root](/guide/a)\n',
      };
      const { changes, after, summary } = await changesOf(tree, 'rename page en/guide/a to en/guide/z', {
        docsRoot: 'docs',
      });
      assert.deepEqual(changes['docs/config.ts'], {
        gone: [sidebar('/guide/').trim()],
        come: [sidebar('/guide/').trim().replace("link: 'a'", "link: 'z'")],
      });
      assert.equal(changes['docs/fr/config.ts'], undefined);
      assert.equal(after['docs/en/reference/b.md'], '# B\n\n[a](../guide/z#a) [root](/guide/z)\n');
      assert.match(summary, /Translations keep their names: `docs\/fr\/guide\/a\.md`/);
      const moved = await changesOf(tree, 'move page en/guide/a to en/reference/', { docsRoot: 'docs' });
      assert.equal(moved.title, 'Move a.md to docs/en/reference');
      assert.equal(moved.after['docs/en/reference/a.md'], '# A\n\n[b](./b)\n');
      assert.match(moved.summary, /`docs\/config\.ts` has a link `a` that may mean this page/);
    });

    it('takes shortcodes along in Hugo and gives the page an alias', async () => {
      const tree = {
        'hugo.toml': "baseURL = 'https://example.org/'\n",
        'content/docs/old.md': '---\ntitle: Old\n---\n# A\n',
        'content/docs/b.md': '[a]({{< ref "old.md#a" >}}) [b](/docs/old/)\n',
      };
      const { after } = await changesOf(tree, 'rename page docs/old to docs/new');
      assert.equal(after['content/docs/new.md'], '---\ntitle: Old\naliases:\n  - "/docs/old/"\n---\n# A\n');
      assert.equal(after['content/docs/b.md'], '[a]({{< ref "new.md#a" >}}) [b](/docs/new/)\n');
    });

    it('takes tables of contents along in Sphinx and names in Nextra', async () => {
      const sphinx = {
        'conf.py': '',
        'index.md': '```{toctree}\n:maxdepth: 2\n\nguide/old\nB <guide/b>\n```\n',
        'guide/old.md': '# A\n',
        'guide/b.md': '# B\n',
      };
      const toc = await changesOf(sphinx, 'rename page guide/old to guide/new');
      assert.equal(toc.after['index.md'], '```{toctree}\n:maxdepth: 2\n\nguide/new\nB <guide/b>\n```\n');
      const nextra = {
        'pages/_meta.json': '{ "index": "Start", "old": "Old page" }\n',
        'pages/index.mdx': '[a](/old)\n',
        'pages/old.mdx': '# A\n',
      };
      const meta = await changesOf(nextra, 'rename page old to new');
      assert.equal(meta.after['pages/_meta.json'], '{ "index": "Start", "new": "Old page" }\n');
      assert.equal(meta.after['pages/index.mdx'], '[a](/new)\n');
    });

    it('finds a page by its title and keeps it in its folder', async () => {
      const { changes } = await changesOf(mintlifyTree(), 'rename the page "Tokens" to "API tokens"');
      assert.equal(changes['reference/api-tokens.mdx'], 'added');
    });

    it('refuses what is not there, not unique, taken, protected or outside', async () => {
      const tree = { ...mintlifyTree(), 'a/same.mdx': 'x\n', 'b/same.mdx': 'x\n' };
      assert.match((await refusal(tree, 'rename page nowhere to x')).message, /no page "nowhere"/);
      assert.match((await refusal(tree, 'rename page same to other')).message, /Several pages/);
      assert.match((await refusal(tree, 'rename page index to guides/log-in')).message, /already/);
      assert.match((await refusal(tree, 'rename page index to ../outside')).message, /inside the docs/);
      assert.match((await refusal(tree, 'rename page index to .github/x')).message, /cannot be called/);
      assert.match((await refusal(tree, 'rename page AGENTS to agents-page')).message, /no page/);
      assert.match(
        (await refusal(tree, 'rename page index to guides/Log-In')).message,
        /There is guides\/log-in\.mdx already, which Windows and macOS take for the same name/,
      );
      assert.match(
        (await refusal(tree, 'rename page index to Guides/start')).message,
        /There is guides already/,
      );
      for (const name of ['guides/CON', 'guides/what?', 'nul.mdx', 'guides. /x', 'n'.repeat(300)]) {
        assert.match((await refusal(tree, `rename page index to "${name}"`)).message, /cannot be called/);
      }
    });

    it('does not move what stands for a symbolic link', async () => {
      const error = await refusal({ 'a.md': 'x\n', 'link.md': 'a.md' }, 'rename page link.md to moved.md');
      assert.match(error.message, /It is a symbolic link/);
    });
  });
});
