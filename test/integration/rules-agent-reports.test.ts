import assert from 'node:assert/strict';
import { changesOf, refusal } from '../support/rules-agent.ts';

async function summaryOf(tree: Record<string, string>, prompt: string): Promise<string> {
  return (await changesOf(tree, prompt)).summary;
}

describe('What the rules agent reports', () => {
  it('proposes the plural, and asks for a look at articles', async () => {
    const summary = await summaryOf({ 'a.md': 'A plugin. Two plugins!\n' }, 'replace "plugin" with "entry"');
    assert.match(summary, /- 1 time in the plural, such as `plugins` \(`a\.md`\)/);
    assert.match(summary, /`replace "plugins" with "entries"`/);
    assert.match(summary, /1 time \*a\* or \*an\* no longer fits:\n\n- `a\.md`: 1 time/);
    const scoped = await changesOf(
      { 'a/x.md': 'plugin plugins\n', 'a/y.md': '', 'b.md': 'plugins\n' },
      'replace "plugin" with "part" in a/ except a/y.md',
    );
    const hint = /`(replace [^`]*)`/.exec(scoped.summary)?.[1] ?? '';
    assert.equal(hint, 'replace "plugins" with "parts" in "a/" except in "a/y.md"');
    const followed = await changesOf(scoped.after, hint);
    assert.equal(followed.after['a/x.md'], 'part parts\n');
    assert.equal(followed.after['b.md'], 'plugins\n');
    const both = await summaryOf(
      { 'a.md': 'Plugin, plugins.\n' },
      'replace "plugin" with "part" and "plugins" with "parts"',
    );
    assert.doesNotMatch(both, /follow-up/);
    const plain = await summaryOf({ 'a.md': 'A plugin.\n' }, 'replace "plugin" with "part"');
    assert.doesNotMatch(plain, /plural|\*a\*/);
  });

  it('finds labels of the navigation, not names of pages in it', async () => {
    const pages = { 'docs/setup.md': '# Setup\n', 'docs/index.md': 'See setup.\n' };
    const summary = await summaryOf(
      {
        ...pages,
        'mkdocs.yml':
          'site_name: Setup of Acme\nnav:\n  - Home: index.md\n  - Setup: setup.md\n  - "More setup":\n      - setup.md\nplugins:\n  - setup: {}\n',
      },
      'replace "setup" with "installation"',
    );
    assert.match(summary, /3 times in the navigation or configuration \(`mkdocs\.yml`\)/);
    const json = await summaryOf(
      {
        'docs.json':
          '{"theme":"mint","navigation":[{"group":"The setup","root":"setup","pages":["setup","api/setup"]}]}',
        'setup.mdx': 'A setup.\n',
        'api/setup.mdx': 'x\n',
      },
      'replace "setup" with "installation"',
    );
    assert.match(json, /1 time in the navigation or configuration/);
  });

  it('says nothing about places that were not asked for, and counts what it says', async () => {
    const tree = {
      'AGENTS.md': 'plugin plugin\n',
      'a/x.md': 'plugin\n',
      'a/CLAUDE.md': 'plugin plugin plugin\n',
      'mkdocs.yml': 'site_name: plugin\ndocs_dir: .\n',
    };
    const whole = await summaryOf(tree, 'replace "plugin" with "part"');
    assert.match(whole, /5 times in files that nobody but you should edit/);
    assert.match(whole, /1 time in the navigation/);
    const scoped = await summaryOf(tree, 'replace "plugin" with "part" in a/');
    assert.match(scoped, /3 times in files that nobody but you should edit \(`a\/CLAUDE\.md`\)/);
    assert.doesNotMatch(scoped, /navigation|AGENTS/);
  });

  it('says how often each term of a list was applied', async () => {
    const summary = await summaryOf(
      {
        'terms.csv': 'avoid,use\nweb site,website\ne-mail,email\nfoo,bar\n',
        'a.md': 'E-mail e-mail web site\n',
      },
      'apply terms',
    );
    assert.match(
      summary,
      /- `e-mail` → `email`: 2 times\n- `web site` → `website`: 1 time\n\nBy page:\n\n- `a\.md`/,
    );
    assert.doesNotMatch(summary, /foo/);
  });

  it('says what was tidied, and only that', async () => {
    const summary = await summaryOf({ 'a.md': 'x \n\n\n\ny\n', 'b.md': 'y ' }, 'tidy Markdown');
    assert.match(
      summary,
      /Markdown of 2 pages: blank space at the end of 2 lines, 2 repeated empty lines, the line end at the end of 1 page\./,
    );
  });

  it('names pages with longer names for a link to nothing', async () => {
    const summary = await summaryOf(
      { 'a.md': '[x](back.md)\n', 'back-a.md': '# A\n', 'back-b.md': '# B\n' },
      'fix broken links',
    );
    assert.match(summary, /`back\.md`: no page is there; it may mean back-a\.md or back-b\.md/);
  });

  it('names pages of a name that says too little to choose one', async () => {
    const summary = await summaryOf(
      { 'a.md': '[x](guide/setup.md)\n', 'b/setup.md': '# A\n', 'c/setup.md': '# B\n' },
      'fix broken links',
    );
    assert.match(summary, /`guide\/setup\.md`: no page is there; it may mean b\/setup\.md or c\/setup\.md/);
  });

  it('says that it does not read other markup than Markdown, instead of finding nothing there', async () => {
    const antora = { 'antora.yml': 'name: x\n', 'modules/ROOT/pages/index.adoc': '= Log in\n' };
    for (const prompt of ['replace "log in" with "sign in"', 'fix broken links', 'tidy Markdown']) {
      const { message } = await refusal(antora, prompt);
      assert.match(
        message,
        /^The pages of these docs are AsciiDoc, [^\n]*Choose Agent…"\. Nothing was changed\.$/,
      );
      assert.match((await refusal({ 'a.txt': 'log in\n' }, prompt)).message, /^There is no page in Markdown/);
    }
    const summary = await summaryOf(
      { 'conf.py': '', 'index.rst': 'log in\n', 'b.rst': 'log in\n', 'a.md': 'log in\n', 'key.asc': 'x\n' },
      'replace "log in" with "sign in", then fix broken links',
    );
    assert.match(summary, /\n\nNot read: 2 pages in reStructuredText\. The rules read Markdown only\.$/);
  });

  it('names a broken link once for each page', async () => {
    const summary = await summaryOf(
      { 'a.md': '[x](gone.md)\n\n[y](gone.md) [z](gone.md)\n\n[b](b.md#no)\n', 'b.md': '# B\n' },
      'fix broken links',
    );
    assert.match(summary, /Left alone, 4 broken links:\n\n- `a\.md:1, 3`: `gone\.md`: [^\n]*\n- `a\.md:5`/);
  });
});
