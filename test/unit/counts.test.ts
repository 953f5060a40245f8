import assert from 'node:assert/strict';
import { addCounts, closingLine, hasSucceeded, noCounts } from '../support/counts.ts';

describe('The totals of a test run', () => {
  it('add up over suites', () => {
    const total = addCounts([
      { passed: 2, failed: 1, skipped: 0 },
      { passed: 3, failed: 0, skipped: 4 },
    ]);
    assert.deepEqual(total, { passed: 5, failed: 1, skipped: 4 });
  });

  it('close with one line, which names skipped tests only when there are some', () => {
    assert.equal(closingLine({ passed: 5, failed: 0, skipped: 0 }), '5 passed, 0 failed');
    assert.equal(closingLine({ passed: 5, failed: 1, skipped: 2 }), '5 passed, 1 failed, 2 skipped');
  });

  it('are no success when a test failed, nor when none ran', () => {
    assert.equal(hasSucceeded({ passed: 1, failed: 0, skipped: 0 }), true);
    assert.equal(hasSucceeded({ passed: 1, failed: 1, skipped: 0 }), false);
    assert.equal(hasSucceeded(noCounts), false);
    assert.equal(hasSucceeded({ passed: 0, failed: 0, skipped: 3 }), false);
  });
});
