import assert from 'node:assert/strict';
import { applyEdits, offsetMap } from '../../src/docset/edits.ts';
import type { Edit } from '../../src/docset/edits.ts';
import { wordsOfPattern } from '../../src/docset/finite-pattern.ts';
import { guardMeaning, guardShape } from '../../src/docset/guard.ts';
import { translatedPages } from '../../src/docset/languages.ts';
import type { Layout } from '../../src/docset/layout.ts';
import { stringLiterals } from '../../src/docset/literals.ts';
import { addRedirect } from '../../src/docset/redirect-edit.ts';
import { readTermList } from '../../src/docset/term-list.ts';

describe('The guard of edits', () => {
  const guarded = (before: string, find: string, text: string, path = 'a.md'): string => {
    const start = before.indexOf(find);
    const edits: Edit[] = [{ start, end: start + find.length, text }];
    return guardShape(before, applyEdits(before, edits), edits, path, 'plain').kind;
  };

  it('lets through what changes words only', () => {
    assert.equal(guarded('# a b\n\nc *d* e\n', 'd', 'longer words'), 'kept');
    assert.equal(guarded('---\ntitle: a\n---\nb\n', 'a\n', 'c\n'), 'kept');
    assert.equal(guarded('<A title="b" />\n', 'b', 'c', 'a.mdx'), 'kept');
  });

  for (const [what, before, find, text, path] of [
    ['a new emphasis', 'a b c\n', 'b', '*b*'],
    ['a lost one', 'a *b* c\n', '*b', 'b'],
    ['a new heading', 'a\n\nb\n', 'b', '# b'],
    ['another depth', '# a\n', '# ', '## '],
    ['a new list', 'a\nb\n', 'b', '- b'],
    ['a new table cell', '| a |\n|---|\n| b |\n', 'b', 'b | c'],
    ['an expression', 'a b\n', 'b', '{b}', 'a.mdx'],
    ['a broken tag', '<A>\n\nb\n\n</A>\n', 'b', '</A>', 'a.mdx'],
    ['a new attribute', '<A b="c" />\n', 'c', 'c" d="e', 'a.mdx'],
    ['another front-matter type', '---\na: b\n---\n', 'b', '1'],
    ['a new front-matter key', '---\na: b\n---\n', 'b', 'b\nc: d'],
    ['a link', 'a b\n', 'b', '[b](c)'],
    ['a bare address', 'a b\n', 'b', 'https://b.c'],
  ] as const) {
    it(`sees ${what}`, () => assert.equal(guarded(before, find, text, path), 'broken'));
  }

  it('compares the meaning of two versions', () => {
    assert.equal(guardMeaning('# a \n\n\n\nb \n', '# a\n\nb\n', 'a.md', 'plain'), undefined);
    assert.ok(guardMeaning('a  \nb\n', 'a\nb\n', 'a.md', 'plain'));
    assert.ok(guardMeaning('```\na \n```\n', '```\na\n```\n', 'a.md', 'plain'));
    assert.ok(guardMeaning('<A b={`c `} />\n', '<A b={`c`} />\n', 'a.mdx', 'plain'));
    assert.ok(guardMeaning('#a\n', '# a\n', 'a.md', 'plain'));
  });

  it('knows where every place went', () => {
    const map = offsetMap([
      { start: 2, end: 4, text: 'xyz' },
      { start: 6, end: 6, text: '!' },
    ]);
    assert.deepEqual([0, 2, 4, 5, 6, 7].map(map), [
      { from: 0, to: 0 },
      { from: 2, to: 2 },
      { from: 5, to: 5 },
      { from: 6, to: 6 },
      { from: 7, to: 8 },
      { from: 9, to: 9 },
    ]);
  });
});

describe('Reading what people wrote for programs', () => {
  it('finds the strings of a configuration, not its comments', () => {
    const text = `// 'no'\n/* "no" */ export default { a: 'x', "b": ["y", \`z\`, \`\${no}\`, 'es\\'c'], link: "/l" } // it's`;
    assert.deepEqual(
      stringLiterals(text).map(({ key, value, isKey }) => `${key ?? ''}:${value}${isKey ? ' (key)' : ''}`),
      ['a:x', ':b (key)', ':y', ':z', 'link:/l'],
    );
  });

  it('lists the words of a small pattern and refuses every other', () => {
    assert.deepEqual(wordsOfPattern('(?:e-mail|E-mail)s?'), ['e-mails', 'e-mail', 'E-mails', 'E-mail']);
    assert.deepEqual(wordsOfPattern('[Ww]hite ?list'), [
      'White list',
      'Whitelist',
      'white list',
      'whitelist',
    ]);
    assert.deepEqual(wordsOfPattern(String.raw`\bvs\.`), ['vs.']);
    for (const pattern of [
      'a+',
      'a*',
      '(a+)+$',
      'a{2}',
      '[a-z]',
      '[^a]',
      '(?<=a)b',
      '(?!a)b',
      String.raw`(a)\1`,
      String.raw`\d`,
      '.',
      '^a',
      '(',
      '[a',
      'a)',
      '(a|b)'.repeat(20),
    ]) {
      assert.equal(wordsOfPattern(pattern), undefined, pattern);
    }
  });

  it('reads term lists of many forms', () => {
    const read = (text: string, path: string): string[] | undefined =>
      readTermList(text, path)?.entries.map(({ wrong, right }) => `${wrong}>${right}`);
    assert.deepEqual(read('Use,Avoid\nemail,"e-mail"\n', 't.csv'), ['e-mail>email']);
    assert.deepEqual(read('\uFEFFa;b\r\nc;d\r\n', 't.csv'), ['a>b', 'c>d']);
    assert.deepEqual(read('x\n\n| Avoid | Use | Why |\n|---|---|---|\n| *a* | `b` | c |\n', 't.md'), ['a>b']);
    assert.deepEqual(read('a: b\nc d: e\n', 't.yml'), ['a>b', 'c d>e']);
    assert.deepEqual(read('terms:\n  - avoid: [a, b]\n    use: c\n', 't.yml'), ['a>c', 'b>c']);
    assert.deepEqual(read('{"a": "b"}', 't.json'), ['a>b']);
    assert.equal(read('a,b,c\n1,2,3\n', 't.csv'), undefined);
    // A glossary explains words: its second column must never stand for the first.
    assert.equal(read('Term,Definition\nAPI,A way in\n', 't.csv'), undefined);
    assert.equal(read('term;Bedeutung\nAPI;A way in\n', 't.csv'), undefined);
    assert.equal(read('| Name | Meaning |\n|---|---|\n| API | A way in |\n', 't.md'), undefined);
    assert.equal(read('| Key | What |\n|---|---|\n| Tab | Goes on |\n', 't.md'), undefined);
    assert.equal(read('- just\n- words\n', 't.yml'), undefined);
    assert.equal(read('a: &a [*a]\n', 't.yml'), undefined);
  });

  it('tells translations from sections with short names', () => {
    assert.deepEqual(
      [...translatedPages(['docs/en/a.md', 'docs/fr/a.md', 'docs/pt-BR/a.md', 'it/a.md', 'guide/a.md'])],
      ['docs/fr/a.md', 'docs/pt-BR/a.md'],
    );
  });
});

describe('Adding a redirect', () => {
  const layout: Layout = {
    generator: 'mintlify',
    configPath: 'docs.json',
    config: '',
    contentRoot: '',
    staticRoots: [],
    rewrites: [],
  };
  const added = (files: Record<string, string>): string => {
    const list = Object.entries(files).map(([path, text]) => ({ path, text }));
    const result = addRedirect(layout, list, { from: 'a.mdx', to: 'b.mdx' });
    return result.kind === 'added' ? result.text : result.note;
  };

  it('fits into the list that is there, or makes one', () => {
    assert.equal(
      added({ 'docs.json': '{\n  "name": "x"\n}\n' }),
      '{\n  "name": "x",\n  "redirects": [\n    {\n      "source": "/a",\n      "destination": "/b"\n    }\n  ]\n}\n',
    );
    assert.deepEqual(JSON.parse(added({ 'docs.json': '{"redirects": [], "x": {"redirects": [1]}}' })), {
      redirects: [{ source: '/a', destination: '/b' }],
      x: { redirects: [1] },
    });
    assert.equal(
      added({
        'docs.json': '{"redirects": {"$ref": "./r.json"}}',
        'r.json': '[\r\n\t{\r\n\t\t"source": "/x",\r\n\t\t"destination": "/y"\r\n\t}\r\n]\r\n',
      }),
      '[\r\n\t{\r\n\t\t"source": "/x",\r\n\t\t"destination": "/y"\r\n\t},\r\n\t{\r\n\t\t"source": "/a",\r\n\t\t"destination": "/b"\r\n\t}\r\n]\r\n',
    );
  });

  it('leaves a file alone that it cannot keep valid', () => {
    assert.match(added({ 'docs.json': '{"name": }' }), /safely/);
    assert.match(added({ 'docs.json': '{"redirects": {"$ref": "./gone.json"}}' }), /not found/);
  });
});
