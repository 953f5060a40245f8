import assert from 'node:assert/strict';
import { hostWords } from '../../src/service/host-words.ts';

describe('the words of a host inside a sentence', () => {
  it('stand on one line, without anything that a terminal obeys or that turns letters around', () => {
    const text =
      '  \u001b]8;;http://evil.example\u0007\u001b[31mNot\u001b[0m on\r\n\tFri\u200bdays\u202e\u0008.\u2028Ask.\u001b]0;title\u001b\\ ';
    assert.equal(hostWords(text, 100), 'Not on Fridays . Ask.');
  });

  it('are not endless, and no character is cut in half', () => {
    assert.equal(hostWords('abc', 3), 'abc');
    assert.equal(hostWords('abcd', 3), 'abc…');
    assert.ok(hostWords(`ab${'𝒳'.repeat(9)}`, 3).isWellFormed());
  });
});
