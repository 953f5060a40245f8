import assert from 'node:assert/strict';
import { explanationIn, oneLine, shortened } from '../../src/client/server-text.ts';

describe('what a refusal says', () => {
  for (const [what, body, said] of [
    ['the published shape', '{"error":"The prompt is empty."}', 'The prompt is empty.'],
    ['{message}', '{"message":"No such project","statusCode":404}', 'No such project'],
    ['{error: {message}}', '{"error":{"message":"Too long","type":"x"}}', 'Too long'],
    [
      'a problem document',
      '{"type":"about:blank","title":"Forbidden","detail":"Your plan has ended.","status":403}',
      'Your plan has ended.',
    ],
    ['a problem document without detail', '{"title":"Forbidden","status":403}', 'Forbidden'],
    ['a list of errors', '{"errors":[{"message":"first"},{"message":"second"}]}', 'first'],
    ['a JSON string', '"nope"', 'nope'],
    ['plain text', 'upstream connect error', 'upstream connect error'],
    ['an empty error beside a message', '{"error":"","message":"said here"}', 'said here'],
  ] as const) {
    it(`is found in ${what}`, () => assert.equal(explanationIn(body), said));
  }

  for (const [what, body] of [
    ['an HTML page', '<!DOCTYPE html><html><body>502 Bad Gateway</body></html>'],
    ['HTML after blanks', '\n\n  <html>'],
    ['JSON that breaks off', '{"error":"The pro'],
    ['JSON without words', '{"code":5}'],
    ['a list of numbers', '[1,2]'],
    ['null', '{"error":null}'],
    ['nothing', ''],
    ['HTML inside JSON', '{"error":"<b>no</b>"}'],
    ['JSON inside JSON', '{"error":"{\\"a\\":1}"}'],
    ['only invisible characters', '{"error":"\\u200b\\u202e"}'],
    ['a deep nest', '{"error":{"error":{"error":{"error":"deep"}}}}'],
  ] as const) {
    it(`is nothing for ${what}`, () => assert.equal(explanationIn(body), undefined));
  }

  it('is one line without control, terminal, direction and invisible characters', () => {
    const hostile =
      'a\u001b[31mred\u001b[0m \u001b]8;;http://evil\u0007link\u001b\u202eb\u0000\u200b\r\n\tc\u2028d\ud800';
    const line = oneLine(hostile);
    assert.equal(line, 'ared linkb c d');
  });

  it('is cut at a word, never inside a character', () => {
    assert.equal(shortened('short'), 'short');
    const long = shortened('word '.repeat(200));
    assert.ok(long.length <= 300 && long.endsWith('word…'), long);
    const emoji = shortened('😀'.repeat(400), 101);
    assert.ok(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(emoji));
    assert.ok(emoji.length <= 101);
  });

  // In quadratic time each would take minutes.
  it('is read in linear time from a hostile body', () => {
    oneLine('\u001b]'.repeat(500_000));
    shortened(`${' '.repeat(500_000)}${'x'.repeat(500)}`);
    explanationIn('['.repeat(500_000));
  }).timeout(20_000);
});
