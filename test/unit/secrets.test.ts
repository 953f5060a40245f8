import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { redactorOf, withoutSecrets } from '../../src/client/secrets.ts';

const key = 'mint_S3cr3t+Value/0123456789';

describe('redaction', () => {
  const redact = redactorOf([key]);

  for (const [what, text] of [
    ['as it is', `the key ${key} is unknown`],
    ['twice', `${key}${key}`],
    ['in lower case', key.toLowerCase()],
    ['percent-encoded', `/x?key=${encodeURIComponent(key)}`],
    ['in base64', `Basic ${Buffer.from(key).toString('base64')}`],
    ['its beginning only', `the key ${key.slice(0, 16)}… is unknown`],
    ['its end only', `…${key.slice(-14)}`],
  ] as const) {
    it(`blanks out a key ${what}`, () => {
      const redacted = redact(text);
      assert.ok(redacted.includes('[redacted]'));
      for (const part of [key.slice(0, 14), key.slice(-12), key.slice(8, 20)]) {
        assert.ok(!redacted.toLowerCase().includes(part.toLowerCase()), redacted);
      }
    });
  }

  it('leaves the rest of the text as it was', () => {
    assert.equal(redact(`a ${key} b`), 'a [redacted] b');
    assert.equal(redact('İ mint_ nothing here'), 'İ mint_ nothing here');
  });

  it('blanks out bearer tokens that nobody registered', () => {
    assert.equal(redactorOf([])('authorization: Bearer abcdefgh12345'), 'authorization: Bearer [redacted]');
  });

  it('blanks out a short secret, and ignores an empty one', () => {
    assert.equal(redactorOf(['', 'abc'])('x abc y'), 'x [redacted] y');
  });
});

describe('an error as a cause', () => {
  it('loses secrets in every place: message, stack, code, properties, causes, the errors of an aggregate', () => {
    const deep = Object.assign(new Error(`deep ${key}`), { code: `E_${key}`, request: { headers: { key } } });
    const error = new AggregateError([new Error(`one ${key}`), deep], `all ${key}`, {
      cause: new TypeError(`why ${key}`, { cause: deep }),
    });
    const safe = withoutSecrets(error, redactorOf([key]));
    const text = inspect(safe, { depth: 20, showHidden: true });
    assert.ok(!text.includes(key));
    assert.ok(!text.includes(key.slice(0, 12)));
    for (const word of ['all [redacted]', 'one [redacted]', 'why [redacted]', 'deep [redacted]']) {
      assert.ok(text.includes(word), word);
    }
  });

  it('keeps name and code, which tell the log what happened', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const safe = withoutSecrets(new TypeError('fetch failed', { cause }), redactorOf([key]));
    assert.equal(safe.name, 'TypeError');
    assert.equal((safe.cause as { code?: string }).code, 'ECONNREFUSED');
  });

  it('may point to itself, or be no error at all', () => {
    const cyclic = new Error('round');
    cyclic.cause = cyclic;
    assert.equal(withoutSecrets(cyclic, redactorOf([])).message, 'round');
    assert.equal(withoutSecrets(`text ${key}`, redactorOf([key])).message, 'text [redacted]');
    assert.equal(withoutSecrets({ key }, redactorOf([key])).message, 'not an error');
  });
});
