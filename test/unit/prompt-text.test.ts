import assert from 'node:assert/strict';
import {
  draftFor,
  promptFromDocument,
  promptFromLink,
  promptHistory,
  promptTrouble,
} from '../../src/extension/prompt-text.ts';
import { parsePrompt } from '../../src/adapters/agents/rules/prompt.ts';

const selection = (text: string, firstLine = 3, lastLine = 3) =>
  ({ kind: 'selection', path: 'guides/start.md', text, firstLine, lastLine }) as const;

describe('A prompt that begins with a place', () => {
  it('leaves room before the place', () => {
    assert.deepEqual(draftFor({ kind: 'place', path: 'guides/start.md' }, true), {
      text: ' in guides/start.md',
      cursor: 0,
      isShort: true,
    });
    assert.equal(draftFor({ kind: 'place', path: '' }, true).text, '');
  });

  it('puts a path with blanks between backticks', () => {
    assert.equal(draftFor({ kind: 'place', path: 'my guides/' }, false).text, ' in `my guides/`');
    assert.equal(draftFor({ kind: 'place', path: 'a`b .md' }, false).text, ' in `ab .md`');
  });

  it('offers a short selection as a term to be replaced, in words that the rules agent understands', () => {
    const draft = draftFor(selection(' log in '), true);
    const done = `${draft.text.slice(0, draft.cursor)}sign in${draft.text.slice(draft.cursor)}`;
    assert.equal(done, 'Replace "log in" with "sign in" in guides/start.md');
    const parsed = parsePrompt(done);
    assert.equal(parsed.kind, 'understood');
  });

  it('quotes a long selection with its lines, under room for the sentence', () => {
    const draft = draftFor(selection('One.\r\n\r\nTwo.\n', 3, 5), true);
    assert.equal(draft.text, '\n\nThis is about guides/start.md, lines 3–5:\n\n> One.\n>\n> Two.\n');
    assert.equal(draft.cursor, 0);
    assert.equal(draft.isShort, false);
  });

  it('quotes also what could break a sentence in quotes', () => {
    assert.equal(draftFor(selection('say "no"'), true).isShort, false);
    assert.equal(draftFor(selection('x'.repeat(81)), true).isShort, false);
    assert.equal(draftFor(selection('term'), false).isShort, false);
  });

  it('quotes no more than a screen', () => {
    const text = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n');
    const lines = draftFor(selection(text, 1, 500), true).text.split('\n');
    assert.equal(lines.filter((line) => line.startsWith('> ')).length, 61);
    assert.ok(lines.includes('> …'));
  });
});

describe('A prompt from a link', () => {
  it('loses what is not seen', () => {
    assert.equal(
      promptFromLink('Fix\u202e links\u200b\u0000\u001b[31m now\r\nplease '),
      'Fix links[31m now\nplease',
    );
    assert.equal(promptFromLink('tag \u{e0041}\u{e0042} end'), 'tag  end');
    assert.equal(promptFromLink(undefined), '');
  });

  it('is no longer than a prompt may be', () => {
    assert.equal(promptFromLink('a'.repeat(100_000)).length, 32_000);
  });
});

describe('A prompt from an editor', () => {
  it('is the text without the comments at its head', () => {
    assert.equal(
      promptFromDocument('<!-- Say\nwhat. -->\r\n\n<!-- Read it. -->\r\n\r\nFix links\r\n'),
      'Fix links',
    );
  });

  it('keeps the comments that it is about', () => {
    const prompt = 'Remove this note:\n\n> <!-- TODO: say more -->\n> Text <!-- x -->';
    assert.equal(promptFromDocument(`<!-- hint -->\n${prompt}\n`), prompt);
  });

  it('is refused when nothing is left or it is too long', () => {
    assert.equal(promptTrouble(promptFromDocument('<!-- hint -->\n \n')), 'empty');
    assert.equal(promptTrouble('a'.repeat(32_001)), 'long');
    assert.equal(promptTrouble('a'), undefined);
  });
});

describe('Earlier prompts', () => {
  it('are named once each, newest first, no more than wanted', () => {
    assert.deepEqual(promptHistory(['b', ' a ', 'b', '', 'c', 'd'], 3), ['b', 'a', 'c']);
  });
});
