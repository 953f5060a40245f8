import assert from 'node:assert/strict';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { escapedMarkdown, fencedText } from '../../src/extension/markdown-text.ts';

type Node = { type: string; children?: Node[]; value?: string; url?: string };
const parsed = (markdown: string): Node =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
const wordsOf = (node: Node): string => (node.value ?? '') + (node.children ?? []).map(wordsOf).join('');
/** Readers make a bare address a link to itself, escaped or not; what it hides is nothing. */
const isBareAddress = (node: Node): boolean =>
  node.type === 'link' && (node.url ?? '').replace(/^(?:mailto:|http:\/\/(?=www))/, '') === wordsOf(node);
const typesIn = (node: Node): string[] =>
  isBareAddress(node) ? [] : [node.type, ...(node.children ?? []).flatMap(typesIn)];

const hostile = [
  '[click](command:workbench.action.terminal.new)',
  '![image](https://example.com/pixel.png)',
  '<img src="https://example.com/pixel.png">',
  '<script>alert(1)</script>',
  'https://example.com/auto www.example.com ada@example.com',
  '<https://example.com>',
  '# heading',
  '- list\n- of\n- things',
  '1. one\n2. two',
  '> quote',
  '    indented code',
  '\tindented code',
  '```js\nfenced\n```',
  '`code` **bold** _italic_ ~~gone~~',
  'heading\n===',
  'text\n---',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '[ref]: https://example.com\n[ref]',
  '$(sync~spin) &lt; &#35; \\[a\\](b)',
  '\\',
  '- [ ] task',
];

describe('Foreign text as Markdown', () => {
  for (const text of hostile) {
    it(`shows ${JSON.stringify(text)} as it is`, () => {
      const tree = parsed(escapedMarkdown(text));
      const types = new Set(typesIn(tree));
      for (const type of ['root', 'paragraph', 'text', 'break']) types.delete(type);
      assert.deepEqual([...types], []);
      const squeezed = (words: string): string => words.replaceAll(/\s+/g, '');
      assert.equal(squeezed(wordsOf(tree)), squeezed(text));
    });
  }

  it('removes characters that are not seen or turn the direction', () => {
    assert.equal(escapedMarkdown('a\u202Eb\u200Bc\u0000d\u001B'), 'abcd');
  });

  it('keeps lines and paragraphs', () => {
    assert.equal(escapedMarkdown('one\r\ntwo\n\n\n\nthree'), 'one  \ntwo\n\nthree');
  });

  it('does not let a text out of its fence', () => {
    const text = 'a\n```\n[x](y)\n`````\n# h';
    const tree = parsed(fencedText(text));
    assert.deepEqual(typesIn(tree), ['root', 'code']);
    assert.equal(tree.children?.[0]?.value, text);
  });
});
