import assert from 'node:assert/strict';
import { readApiKey } from '../../src/client/api-key.ts';

const key = 'mint_AbC123-xyz.456~789+/=';

describe('reading a pasted API key', () => {
  for (const [what, pasted] of [
    ['as it is', key],
    ['with blanks and line breaks around it', `  \n${key}\r\n`],
    ['in quotes', `"${key}"`],
    ['in backticks', `\`${key}\``],
    ['with Bearer before it', `Bearer ${key}`],
    ['with bearer in lower case', `bearer   ${key} `],
    ['as a whole header', `Authorization: Bearer ${key}`],
    ['as a whole header in quotes', `'authorization: bearer ${key}'`],
    ['with invisible characters around it', `\uFEFF\u200b${key}\u200b`],
  ] as const) {
    it(`takes a key ${what}`, () => {
      assert.deepEqual(readApiKey(pasted), { kind: 'usable', key });
    });
  }

  it('takes any provider’s prefix, and a key that a team made without one', () => {
    for (const each of ['acme_123', 'mint_1', 'mint_dscx', 'f3b1c0de']) {
      assert.deepEqual(readApiKey(each), { kind: 'usable', key: each });
    }
  });

  for (const [reason, pasted] of [
    ['empty', ''],
    ['empty', ' \n\t '],
    ['empty', 'Bearer '],
    ['empty', '""'],
    ['characters', 'mint_abc def'],
    ['characters', 'mint_abc\nmint_def'],
    ['characters', 'mint_abc\u0000def'],
    ['characters', 'mint_abc\u200bdef'],
    ['characters', 'mint_äbc'],
    ['characters', 'mint_“abc”'],
    ['characters', 'k'.repeat(5000)],
    ['address', 'https://app.example.com/settings/api-keys'],
    ['assistant_key', 'mint_dsc_0123456789'],
    ['assistant_key', 'Bearer mint_dsc_0123456789'],
    ['user_key', 'mint_us_0123456789'],
  ] as const) {
    it(`refuses ${JSON.stringify(pasted).slice(0, 40)}: ${reason}, without repeating it`, () => {
      const reading = readApiKey(pasted);
      assert.ok(reading.kind === 'refused');
      assert.equal(reading.reason, reason);
      assert.match(reading.message, /^[A-Z].*\.$/);
      const secret = pasted.trim().slice(-8);
      if (secret.length === 8) assert.ok(!reading.message.includes(secret));
    });
  }
});
