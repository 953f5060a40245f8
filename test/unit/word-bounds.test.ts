import assert from 'node:assert/strict';
import { findTerms, searcherFor } from '../../src/docset/terms.ts';

/** The text with what is meant in brackets, and what is a part of a longer word in braces. */
function marked(text: string, term: string): string {
  const searcher = searcherFor({ term, replacement: '#', insideWords: false, matchCase: false });
  let result = '';
  let done = 0;
  for (const { from, to, leftAlone } of findTerms(text, [searcher])) {
    const [open, close] = leftAlone === undefined ? '[]' : '{}';
    result += text.slice(done, from) + open + text.slice(from, to) + close;
    done = to;
  }
  return result + text.slice(done);
}

describe('Words of a text', () => {
  for (const [language, term, expected] of [
    ['English', 'log', '[log] {log}in b{log} [Log]-'],
    ['German', 'Öl', '[Öl] {Öl}tank'],
    ['Russian', 'файл', '[файл], {файл}ы'],
    ['Japanese', 'ログイン', '日本語の[ログイン]、[ログイン]する'],
    ['Japanese in kanji', '設定', '[設定]を変更し、再起動後に[設定]します'],
    ['Chinese', '文件', '打开[文件]并保存[文件]'],
    ['Chinese, by its dictionary', '新', '重{新}设置，很[新]'],
    ['Chinese with Latin words', 'API', '使用[API]时，[API]密钥和{API}s'],
    ['Thai', 'ไฟล์', 'เปิด[ไฟล์]นี้'],
    ['Korean, whose particles are parts of words', '파일', '[파일] {파일}을'],
  ] as const) {
    it(`end where they end in ${language}`, () =>
      assert.equal(marked(expected.replaceAll(/[[\]{}]/g, ''), term), expected));
  }
});
