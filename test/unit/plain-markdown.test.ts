import assert from 'node:assert/strict';
import { plainMarkdown } from '../../src/adapters/hosts/bitbucket/plain-markdown.ts';

describe('Markdown for a host that shows HTML as text', () => {
  it('leaves what has none as it is, byte for byte', () => {
    for (const text of [
      '',
      'a\n\n\n\nb',
      '# A\n\n- `x < y` & <https://example.org>\n',
      '```\n<details>\n```',
    ]) {
      assert.equal(plainMarkdown(text), text);
    }
  });

  it('takes out comments and folds', () => {
    const text =
      'Before\n<!-- hidden\n over lines --> after\n\n<details open>\n<summary>More <b></summary>\n\nInside\n\n</details>\n<summary>Title</summary>';
    assert.equal(plainMarkdown(text), 'Before\n after\n\nMore <b>\n\nInside\n\n**Title**\n');
  });

  it('keeps a comment that never ends, and code', () => {
    assert.equal(plainMarkdown('a <!-- b\nc'), 'a <!-- b\nc');
    const code = '~~~~html\n<!-- a -->\n```\n<details>\n~~~~';
    assert.equal(plainMarkdown(`<!-- x -->\n${code}\n<!-- y -->z`), `\n${code}\nz`);
    const open = '```\n<!-- a -->\n</details>';
    assert.equal(plainMarkdown(open), open);
  });

  // A million characters each: in quadratic time that would be minutes.
  it('takes linear time with hostile text', () => {
    for (const part of ['<!--', '<details', '<summary>', '<summary >a', '`', '> ', '1) ', '-->']) {
      plainMarkdown(part.repeat(200_000));
      plainMarkdown(`${part}\n`.repeat(200_000));
    }
  }).timeout(20_000);
});
