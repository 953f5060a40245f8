import assert from 'node:assert/strict';
import { ApiError, type ApiErrorCode } from '../../src/client/api-error.ts';
import { logTextOf, reportOf } from '../../src/extension/error-report.ts';
import { UserError } from '../../src/extension/user-error.ts';
import { isOlder } from '../../src/extension/version-order.ts';

const codes: Readonly<Record<ApiErrorCode, true>> = {
  invalid_base_url: true,
  invalid_key: true,
  key_missing: true,
  key_gone: true,
  invalid_request: true,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  not_supported: true,
  conflict: true,
  rate_limited: true,
  server_error: true,
  unreachable: true,
  timeout: true,
  cancelled: true,
  redirected: true,
  unusable_answer: true,
  may_have_started: true,
};

describe('An error that a command meets', () => {
  it('is told by its own sentence, with a remedy for every code of the client', () => {
    for (const code of Object.keys(codes) as ApiErrorCode[]) {
      const report = reportOf(new ApiError(code, 'What to do.'));
      if (code === 'cancelled') {
        assert.equal(report.kind, 'cancelled');
        continue;
      }
      assert.ok(report.kind === 'told');
      assert.equal(report.message, 'What to do.');
      assert.ok(report.remedies.length > 0, code);
    }
  });

  it('offers what fits', () => {
    const remediesOf = (code: ApiError['code']) => {
      const report = reportOf(new ApiError(code, ''));
      return report.kind === 'told' ? report.remedies : [];
    };
    assert.deepEqual(remediesOf('unauthorized'), ['refresh', 'replaceKey']);
    assert.deepEqual(remediesOf('may_have_started'), ['watchJob']);
    assert.deepEqual(reportOf(new UserError('untrusted', 'No.', { remedies: ['manageTrust'] })), {
      kind: 'told',
      message: 'No.',
      remedies: ['manageTrust'],
      code: 'untrusted',
    });
  });

  it('is not told when the person ended it', () => {
    const cancelled = new Error('Canceled');
    cancelled.name = 'Canceled';
    assert.equal(reportOf(cancelled).kind, 'cancelled');
    assert.equal(reportOf(AbortSignal.abort().reason).kind, 'cancelled');
  });

  it('that nobody expected is not shown with its text', () => {
    assert.deepEqual(reportOf(new TypeError('x is undefined')), { kind: 'unexpected' });
    assert.deepEqual(reportOf('text'), { kind: 'unexpected' });
  });

  it('goes to the log with its causes, also when they go in a circle', () => {
    const inner: Error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    inner.cause = inner;
    const text = logTextOf(new UserError('local_service_failed', 'It did not start.', { cause: inner }));
    assert.match(text, /UserError \[local_service_failed\]: It did not start\./);
    assert.match(text, /caused by Error: refused/);
    assert.ok(text.split('caused by').length < 10);
  });
});

describe('A version', () => {
  it('is older by number, not by letters', () => {
    assert.equal(isOlder('0.9.0', '0.10.0'), true);
    assert.equal(isOlder('1.0.0', '0.10.0'), false);
    assert.equal(isOlder('1.2.3', '1.2.3'), false);
    assert.equal(isOlder('1.2.3-next.1', '1.2.4'), true);
  });

  it('that cannot be read is older than one that can', () => {
    assert.equal(isOlder('', '0.0.1'), true);
    assert.equal(isOlder('0.0.1', 'nonsense'), false);
  });
});
