import assert from 'node:assert/strict';
import type { Generator } from '../../src/docset/layout.ts';
import { replaceOnPage } from '../../src/docset/replace.ts';
import type { Reach } from '../../src/docset/segments.ts';
import { searcherFor } from '../../src/docset/terms.ts';
import type { TermRule } from '../../src/docset/terms.ts';

const proseOnly: Reach = { code: false, frontMatter: false, links: false };

interface Options {
  readonly path?: string;
  readonly generator?: Generator;
  readonly reach?: Partial<Reach>;
  readonly rule?: Partial<TermRule>;
}

function replace(page: string, term: string, replacement: string, options: Options = {}) {
  const rule: TermRule = { term, replacement, insideWords: false, matchCase: false, ...options.rule };
  return replaceOnPage(page, options.path ?? 'page.md', options.generator ?? 'plain', [searcherFor(rule)], {
    ...proseOnly,
    ...options.reach,
  });
}

/** The page after the replacement. */
function after(page: string, term = 'log in', replacement = 'sign in', options: Options = {}): string {
  const result = replace(page, term, replacement, options);
  return result.kind === 'absent' ? page : result.text;
}

/** Why occurrences were left alone, with how many. */
function left(
  page: string,
  term = 'log in',
  replacement = 'sign in',
  options: Options = {},
): Record<string, number> {
  const result = replace(page, term, replacement, options);
  return result.kind === 'absent'
    ? {}
    : Object.fromEntries(result.leftAlone.map(({ reason, count }) => [reason, count]));
}

const mdx: Options = { path: 'page.mdx', generator: 'mintlify' };

describe('Replacing a term on a page', () => {
  const replaced: readonly (readonly [what: string, before: string, after: string, options?: Options])[] = [
    ['keeps the capitals', 'Log in. LOG IN. Log In. log in.\n', 'Sign in. SIGN IN. Sign In. sign in.\n'],
    [
      'in headings, lists, quotes and tables',
      '# Log in\n\n- log in\n> log in\n\n| log in |\n|---|\n| log in |\n',
      '# Sign in\n\n- sign in\n> sign in\n\n| sign in |\n|---|\n| sign in |\n',
    ],
    [
      'inside emphasis and links',
      '*log in* **log in** [log in](/a)\n',
      '*sign in* **sign in** [sign in](/a)\n',
    ],
    ['where formatting ends between its words', '**Log** in\n', '**Sign** in\n'],
    ['over a line break, which stays', 'Please log\nin now.\n', 'Please sign\nin now.\n'],
    ['over a line break in a quote in a list', '- > to log\n  > in now\n', '- > to sign\n  > in now\n'],
    ['over CRLF', 'Please log\r\nin.\r\n\r\nlog in\r\n', 'Please sign\r\nin.\r\n\r\nsign in\r\n'],
    ['with a no-break space', 'log\u00A0in and log&nbsp;in\n', 'sign in and sign in\n'],
    [
      'beside punctuation and a possessive',
      '(log in), “log in”: log in’s\n',
      '(sign in), “sign in”: sign in’s\n',
    ],
    [
      'in titles in front matter',
      '---\ntitle: Log in\ndescription: "How to log in"\n---\n',
      '---\ntitle: Sign in\ndescription: "How to sign in"\n---\n',
    ],
    ['in alternative texts', '![log in](/log-in.png)\n', '![sign in](/log-in.png)\n'],
    [
      'in HTML',
      '<p title="Log in">\nLog <b>in</b>, log in\n</p>\n',
      '<p title="Sign in">\nLog <b>in</b>, sign in\n</p>\n',
    ],
    [
      'in components and their titles',
      '<Card title="Log in" icon="log in">\n  Log in\n</Card>\n',
      '<Card title="Sign in" icon="log in">\n  Sign in\n</Card>\n',
      mdx,
    ],
    [
      'in containers',
      '::: tip Log in\nLog in\n:::\n',
      '::: tip Sign in\nSign in\n:::\n',
      { generator: 'vitepress' },
    ],
    ['in footnotes', 'A[^1]\n\n[^1]: log in\n', 'A[^1]\n\n[^1]: sign in\n'],
    ['with one slash between two words', 'log in/sign up\n', 'sign in/sign up\n'],
    [
      'in an admonition of MkDocs but not in its code',
      '!!! note "Log in"\n    Log in.\n\n    ```\n    log in\n\n    log in\n    ```\n\n    log in\n',
      '!!! note "Sign in"\n    Sign in.\n\n    ```\n    log in\n\n    log in\n    ```\n\n    sign in\n',
      { generator: 'mkdocs' },
    ],
  ];
  for (const [what, before, expected, options] of replaced) {
    it(what, () => assert.equal(after(before, 'log in', 'sign in', options), expected));
  }

  const untouched: readonly (readonly [what: string, page: string, options?: Options])[] = [
    ['code spans', '`log in` and ``log in ` x``\n'],
    ['fenced and nested code', '````md\n```\nlog in\n```\n````\n\n~~~\nlog in\n~~~\n'],
    ['indented code', 'a\n\n    log in\n'],
    ['link targets and their names', '[a](</log in>) [b][log in]\n\n[log in]: /x\n'],
    ['front-matter keys and other values', '---\nlog in: x\nslug: log in\n---\n'],
    [
      'HTML attributes, comments, code and scripts',
      '<a class="log in" href="log in"><code>log in</code></a> <!-- log in -->\n\n<script>\nlog in\n</script>\n\n<pre>\nlog in\n</pre>\n',
    ],
    ['inline HTML code', 'Run <code>log in</code> or <kbd>log in</kbd>.\n'],
    [
      'imports, expressions and attributes of components',
      'import x from "log in"\n\n<A icon="log in" data={"log in"} />\n\n{"log in"} {/* log in */}\n',
      mdx,
    ],
    ['templates', '{{ log in }} {% log in %} # x {#log in}\n', { generator: 'vitepress' }],
    ['longer words', 'blog in, log inside, log in-app, log in_x, 1log in\n'],
  ];
  for (const [what, page, options] of untouched) {
    it(`leaves ${what} alone`, () => assert.equal(after(page, 'log in', 'sign in', options), page));
  }

  const whole: readonly (readonly [page: string, term: string])[] = [
    ['docs.json, api/docs/x, ./docs, /docs, --docs, @docs/x, $docs, docs(), docs=1, x.docs, og:docs', 'docs'],
    ["can't can’t", 'can'],
    ['open-docs docs-as-code', 'docs'],
    ['https://docs.example.com and www.docs.com', 'docs'],
    ['slack off', 'Slack'],
    ['docs agent', 'Docs Agent'],
  ];
  for (const [page, term] of whole) {
    it(`takes nothing in ${JSON.stringify(page)} for the word ${term}`, () => {
      assert.equal(after(`${page}\n`, term, 'Xyz'), `${page}\n`);
    });
  }

  it('says where it left the term alone', () => {
    const page = '---\nslug: log in\n---\n`log in` blog in [a](</log in>)\n\n    log in\n';
    assert.deepEqual(left(page), {
      'inside longer words': 1,
      'in front matter': 1,
      'in code': 2,
      'in link targets': 1,
    });
  });

  it('goes into code and front matter when asked', () => {
    assert.equal(
      after('`log in`\n\n```\nlog in\n```\n', 'log in', 'sign in', { reach: { code: true } }),
      '`sign in`\n\n```\nsign in\n```\n',
    );
    assert.equal(
      after('---\nslug: log in\n---\n', 'log in', 'sign in', { reach: { frontMatter: true } }),
      '---\nslug: sign in\n---\n',
    );
    assert.equal(
      after('[a](/login/x)\n\n[b]: /login\n', 'login', 'signin', { reach: { links: true } }),
      '[a](/signin/x)\n\n[b]: /signin\n',
    );
  });

  it('takes the title of a fence for code, and an address in code for an address', () => {
    const page = 'Set `x.json`.\n\n```json x.json\n"see": "https://a.example/x.json"\n```\n';
    assert.equal(
      after(page, 'x.json', 'y.json', { reach: { code: true } }),
      'Set `y.json`.\n\n```json y.json\n"see": "https://a.example/x.json"\n```\n',
    );
    assert.deepEqual(left(page, 'x.json', 'y.json', { reach: { code: true } }), {
      'in addresses inside code': 1,
    });
    assert.match(
      after(page, 'x.json', 'y.json', { reach: { code: true, links: true } }),
      /a\.example\/y\.json/,
    );
    const crlf = '```js title="a b.js" {1}\r\nx\r\n```\r\n';
    assert.equal(
      after(crlf, 'a b.js', 'c.js', { reach: { code: true } }),
      '```js title="c.js" {1}\r\nx\r\n```\r\n',
    );
  });

  it('capitalises several words for one in a title only', () => {
    const said = (page: string): string => after(page, 'frontmatter', 'front matter');
    assert.equal(said('## Accessing Frontmatter Data\n'), '## Accessing Front Matter Data\n');
    assert.equal(said('See [Frontmatter Config](x).\n'), 'See [Front Matter Config](x).\n');
    assert.equal(said('# Frontmatter\n'), '# Front matter\n');
    assert.equal(said('# Frontmatter and data\n'), '# Front matter and data\n');
    assert.equal(said('Frontmatter VitePress reads.\n'), 'Front matter VitePress reads.\n');
    assert.equal(after('# Board Config\n', 'board', 'state of play'), '# State of Play Config\n');
  });

  it('counts each term, and English articles that do not fit any more', () => {
    const articles = (page: string, fresh: string): number => {
      const result = replace(page, 'plugin', fresh);
      return result.kind === 'searched' ? result.articles : -1;
    };
    assert.equal(articles('A plugin, a plugin, the plugin, “a plugin”. `a plugin`\n', 'add-on'), 3);
    assert.equal(articles('a plugin, data plugin, an plugin\n', 'add-on'), 1);
    assert.equal(articles('a plugin\n', 'unit'), 0, 'nobody knows how a U sounds');
    const result = replace('plugin plugin\n', 'plugin', 'part');
    assert.deepEqual(result.kind === 'searched' ? [...result.terms.values()] : [], [2]);
  });

  it('tells a plural from a longer word', () => {
    assert.deepEqual(left('log ins, Log Ins; log inside, log ins-and-outs', 'log in'), {
      'in the plural': 2,
      'inside longer words': 2,
    });
  });

  it('goes into words when asked', () => {
    assert.equal(after('blogging\n', 'log', 'lag', { rule: { insideWords: true } }), 'blagging\n');
  });

  it('minds the case when asked', () => {
    assert.equal(
      after('Log in, log in\n', 'log in', 'sign in', { rule: { matchCase: true } }),
      'Log in, sign in\n',
    );
  });

  it('begins a sentence with a capital where one stood', () => {
    assert.equal(
      after('# API use\n\nThe API. API keys, an API\n', 'API', 'interface'),
      '# Interface use\n\nThe interface. Interface keys, an interface\n',
    );
  });

  it('only corrects capitals when the words are the same', () => {
    assert.equal(
      after('Github, GITHUB, GitHub, github.com\n', 'Github', 'GitHub'),
      'GitHub, GITHUB, GitHub, github.com\n',
    );
  });

  it('leaves formatting alone that would have to move', () => {
    assert.deepEqual(left('**Log** in now\n', 'log in', 'authenticate'), {
      'where formatting begins or ends inside it': 1,
    });
  });

  it('joins the line when two words become one', () => {
    assert.equal(after('> log\n> in now\n', 'log in', 'authenticate'), '> authenticate now\n');
  });

  it('escapes what would turn into Markdown or JSX', () => {
    assert.equal(after('a foo b\n', 'foo', '*bar*'), 'a \\*bar\\* b\n');
    assert.equal(after('a foo b\n', 'foo', 'List<T>', mdx), 'a List\\<T\\> b\n');
    assert.equal(after('a foo b\n', 'foo', '{x}', mdx), 'a \\{x\\} b\n');
    assert.equal(after('| foo |\n|---|\n', 'foo', 'a|b'), '| a\\|b |\n|---|\n');
    assert.equal(after('foo b\n', 'foo', '# bar'), '\\# bar b\n');
  });

  it('keeps a page whose structure no escaping saves', () => {
    const page = '---\ntitle: foo\n---\n';
    assert.equal(after(page, 'foo', 'a: b'), page);
    assert.match(
      Object.keys(left(page, 'foo', 'a: b')).join(),
      /front matter would become invalid|structure/,
    );
    assert.match(Object.keys(left('---\ntitle: foo\n---\n', 'foo', 'yes # no')).join(), /structure/);
    const attribute = '<A title="foo" />\n';
    assert.equal(after(attribute, 'foo', 'a "b"', mdx), attribute);
  });

  it('leaves a page alone that is no valid MDX, and says where', () => {
    const page = 'log in\n\n<Card>\n\nlog in\n';
    assert.equal(after(page, 'log in', 'sign in', mdx), page);
    assert.match(Object.keys(left(page, 'log in', 'sign in', mdx)).join(), /cannot be parsed \(line \d+/);
  });

  it('reads the Markdown of MDX sites with comments and ids as these sites do', () => {
    const page = '## Log in {#log-in}\n\n<!-- log in -->\n\n<Tabs>log in</Tabs>\n';
    const expected = '## Sign in {#log-in}\n\n<!-- log in -->\n\n<Tabs>sign in</Tabs>\n';
    assert.equal(after(page, 'log in', 'sign in', { path: 'a.md', generator: 'docusaurus' }), expected);
  });

  it('tells which anchors have new names', () => {
    const result = replace('# Log in\n\n## Log in\n\n## Log in {#x}\n\n## Out\n', 'log in', 'sign in');
    assert.deepEqual(result.kind === 'searched' ? [...result.anchors] : [], [
      ['log-in', 'sign-in'],
      ['log-in-1', 'sign-in-1'],
    ]);
  });

  it('takes the earlier and longer of two terms that overlap', () => {
    const rules = ['log in page', 'log in', 'in page'].map((term, index) =>
      searcherFor({ term, replacement: `<a${index}>`, insideWords: false, matchCase: false }),
    );
    const result = replaceOnPage('`x` log in page, log in\n', 'a.md', 'plain', rules, proseOnly);
    assert.equal(result.kind === 'searched' ? result.text : '', '`x` \\<a0\\>, \\<a1\\>\n');
  });

  it('takes special characters of a term literally', () => {
    assert.equal(after('Use C++ (or C+++). a.c abc\n', 'C++', 'Rust'), 'Use Rust (or C+++). a.c abc\n');
    assert.equal(after('a.c abc\n', 'a.c', 'x'), 'x abc\n');
  });

  it('finds a straight apostrophe in a curly one', () => {
    assert.equal(after('Don’t wait.\n', "don't", 'do not'), 'Do not wait.\n');
  });

  it('leaves a page alone that would keep the parsers busy for minutes', () => {
    for (const piece of ['~a~', '{1+\n', '**a', '[a][', '<a>\n\n', '> ']) {
      const page = `log in\n\n${piece.repeat(400_000 / piece.length)}\n`;
      assert.equal(after(page), page);
      assert.match(Object.keys(left(page)).join(), /more markup than can be read safely/);
    }
  });

  // Each takes less than a second; a pattern that goes back and forth on them does not end.
  const hostile = [
    '<!--',
    '{{',
    '[',
    '*a ',
    '> ',
    '<a ',
    '&amp;',
    '\\',
    '```\n',
    '- ',
    'log ',
    'log in ',
    '{#',
    ':::',
    '|',
    '<b title="',
  ];
  for (const piece of hostile) {
    it(`reads to the end a page that is full of ${JSON.stringify(piece)}`, () => {
      const { length } = after(`log in\n\n${piece.repeat(20_000 / piece.length)}\n`);
      assert.ok(length >= 20_000 - piece.length, `${length} characters are left`);
    }).timeout(20_000);
  }
});
