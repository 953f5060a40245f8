import assert from 'node:assert/strict';
import { replaceOnPage } from '../../src/docset/replace.ts';
import { searcherFor } from '../../src/docset/terms.ts';

function after(page: string, term: string, replacement: string): string {
  const searcher = searcherFor({ term, replacement, insideWords: false, matchCase: false });
  const reach = { code: false, frontMatter: false, links: false };
  const result = replaceOnPage(page, 'page.md', 'plain', [searcher], reach);
  return result.kind === 'searched' ? result.text : page;
}

describe('Replacing words that name a link', () => {
  const definition = '\n\n[log in]: a.md\n';

  for (const [what, before, expected] of [
    ['a link that is named by its words', 'See [log in].', 'See [sign in][log in].'],
    ['one with empty brackets', 'See [log in][], then.', 'See [sign in][log in], then.'],
    ['other capitals', '[Log in], [log in]', '[Sign in][Log in], [sign in][log in]'],
    ['words around it', 'log in [log in] log in', 'sign in [sign in][log in] sign in'],
    ['a line break', 'See [log\nin] now.', 'See [sign\nin][log\nin] now.'],
    ['a name of its own', 'See [log in][log in].', 'See [sign in][log in].'],
  ] as const) {
    it(`keeps the name of ${what}`, () =>
      assert.equal(after(before + definition, 'log in', 'sign in'), expected + definition));
  }

  it('adds one name to a link with several occurrences or with formatting', () => {
    const page = '[a *b* and a]\n\n[a *b* and a]: x.md\n';
    assert.equal(after(page, 'a', 'c'), '[c *b* and c][a *b* and a]\n\n[a *b* and a]: x.md\n');
  });

  it('leaves brackets alone that name nothing', () => {
    assert.equal(after('See [log in] here.\n', 'log in', 'sign in'), 'See [sign in] here.\n');
    assert.equal(after('- [ ] log in\n', 'log in', 'sign in'), '- [ ] sign in\n');
  });
});

describe('Replacing words beside an empty element of MDX', () => {
  it('takes it for the end of a word', () => {
    const searcher = searcherFor({ term: 'a b', replacement: 'c', insideWords: false, matchCase: false });
    const reach = { code: false, frontMatter: false, links: false };
    const page = 'a b<br/>a b <Icon />a b, <i>a b</i>\n';
    const result = replaceOnPage(page, 'a.mdx', 'mintlify', [searcher], reach);
    assert.equal(result.kind === 'searched' && result.text, 'c<br/>c <Icon />c, <i>c</i>\n');
  });
});

describe('Replacing words of a heading with an id of its own', () => {
  it('leaves the links to it alone, whatever else is called like it', () => {
    const page = '## Log in {#log-in}\n\n<Card title="Log in" />\n';
    const searcher = searcherFor({
      term: 'log in',
      replacement: 'sign in',
      insideWords: false,
      matchCase: false,
    });
    const reach = { code: false, frontMatter: false, links: false };
    const result = replaceOnPage(page, 'a.mdx', 'docusaurus', [searcher], reach);
    assert.ok(result.kind === 'searched' && result.text.startsWith('## Sign in {#log-in}'));
    assert.deepEqual([...result.anchors], []);
  });
});
