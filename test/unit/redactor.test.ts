import assert from 'node:assert/strict';
import { Redactor } from '../../src/service/redaction.ts';

describe('the secrets of the service in texts', () => {
  it('are blanked out in each form in which they come back', () => {
    const redactor = new Redactor();
    redactor.register('pa/ss word-0123', 'kim');
    const basic = Buffer.from('kim:pa/ss word-0123').toString('base64');
    const text = `a pa/ss word-0123 b pa%2Fss%20word-0123 c ${basic} d`;
    assert.equal(redactor.redact(text), 'a [redacted] b [redacted] c [redacted] d');
  });

  it('are also what nobody registered: names and passwords in addresses, tokens in headers', () => {
    const redactor = new Redactor();
    for (const [text, redacted] of [
      ['https://kim:secret@git.example/r.git', 'https://[redacted]@git.example/r.git'],
      ['see ssh://git@host/a and x+y.z://u:p@h', 'see ssh://[redacted]@host/a and x+y.z://[redacted]@h'],
      ['https://git.example/kim@home', 'https://git.example/kim@home'],
      ['mail kim@example.com, a://b c@d', 'mail kim@example.com, a://b c@d'],
      ['Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
    ] as const) {
      assert.equal(redactor.redact(text), redacted);
    }
  });

  it('are looked for in a time that grows with the text alone', () => {
    const redactor = new Redactor();
    // Read as the beginning of an address at each of its points, this would take hours.
    for (const piece of ['a.', 'a-', 'a://', 'a://b', 'authorization: ']) {
      const text = piece.repeat(1_000_000);
      assert.equal(redactor.redact(text).length, text.length);
    }
  });
});
