import assert from 'node:assert/strict';
import { addCounts, closing, failureText, hasSucceeded, noCounts } from '../support/counts.ts';

describe('The totals of a test run', () => {
  it('add up over suites', () => {
    const total = addCounts([
      { ...noCounts, passed: 2, failures: ['a'], skipped: 0 },
      { ...noCounts, passed: 3, failures: [], skipped: 4 },
    ]);
    assert.deepEqual(total, { ...noCounts, passed: 5, failures: ['a'], skipped: 4 });
  });

  it('close with what failed, what needed a second try, and one line, which names skipped tests only when there are some', () => {
    assert.equal(closing({ ...noCounts, passed: 5, failures: [], skipped: 0 }), '5 passed, 0 failed');
    assert.equal(
      closing({ passed: 5, failures: ['a'], secondTries: ['b'], skipped: 2 }),
      'SECOND TRY b\n\nFAILED a\n\n5 passed, 1 failed, 2 skipped',
    );
  });

  it('tell what failed with the beginning of its error', () => {
    const text = failureText('a suite and its case', new Error(`planted ${'x'.repeat(5_000)}`));
    assert.match(text, /^a suite and its case\nError: planted x/);
    assert.equal(text.length, 2_000);
    assert.equal(failureText('a case', undefined), 'a case\nundefined');
  });

  it('are no success when a test failed, nor when none ran', () => {
    assert.equal(hasSucceeded({ ...noCounts, passed: 1, failures: [], skipped: 0 }), true);
    assert.equal(hasSucceeded({ ...noCounts, passed: 1, failures: ['a'], skipped: 0 }), false);
    assert.equal(hasSucceeded(noCounts), false);
    assert.equal(hasSucceeded({ ...noCounts, passed: 0, failures: [], skipped: 3 }), false);
  });
});
