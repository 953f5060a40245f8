import assert from 'node:assert/strict';
import { retryAfterMs } from '../../src/client/retry-after.ts';

const now = Date.UTC(2026, 10, 21, 10, 0, 0);
const day = 24 * 60 * 60_000;

describe('Retry-After', () => {
  for (const [header, date, expected] of [
    [null, null, undefined],
    ['0', null, 0],
    ['120', null, 120_000],
    [' 1.5 ', null, 1_500],
    ['99999999999999999999', null, day],
    ['Sat, 21 Nov 2026 10:05:00 GMT', null, 5 * 60_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', null, 0],
    ['Sat, 21 Nov 2026 12:05:00 GMT', 'Sat, 21 Nov 2026 12:00:00 GMT', 5 * 60_000],
    ['Sat, 21 Nov 2026 10:05:00 GMT', 'nonsense', 5 * 60_000],
    ['Sat, 21 Nov 2099 10:05:00 GMT', null, day],
    ['-5', null, undefined],
    ['', null, undefined],
    ['soon', null, undefined],
    ['12 minutes', null, undefined],
    ['1e9', null, undefined],
  ] as const) {
    it(`${JSON.stringify(header)}${date === null ? '' : ` at ${date}`} is ${expected} ms`, () => {
      assert.equal(retryAfterMs(header, date, now), expected);
    });
  }
});
