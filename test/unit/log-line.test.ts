import assert from 'node:assert/strict';
import { logLine } from '../../src/adapters/log/log-line.ts';
import { Redactor } from '../../src/service/redaction.ts';

const secret = 'hunter2-"quoted"\nsecond line';

function line(fields: Record<string, unknown>, message = 'Something happened'): string {
  const redactor = new Redactor();
  redactor.register(secret, 'writer');
  return logLine('warn', message, fields, new Date('2026-11-21T01:02:03.004Z'), (text) =>
    redactor.redact(text),
  );
}

function data(fields: Record<string, unknown>): unknown {
  return (JSON.parse(line(fields)) as { data?: unknown }).data;
}

describe('A line of the log', () => {
  it('is one line of JSON with a static sentence and its data', () => {
    const text = line({ jobId: 'job_1', lines: 'one\ntwo', count: 3, missing: undefined });
    assert.equal(text.indexOf('\n'), text.length - 1);
    assert.deepEqual(JSON.parse(text), {
      at: '2026-11-21T01:02:03.004Z',
      level: 'warn',
      message: 'Something happened',
      data: { jobId: 'job_1', lines: 'one\ntwo', count: 3 },
    });
  });

  const places: readonly [string, Record<string, unknown>][] = [
    ['a field', { text: `before ${secret} after` }],
    ['a nested field', { a: { b: [{ c: secret }] } }],
    ["a field's name", { [`x ${secret}`]: 1 }],
    ["an error's message", { error: new Error(`push to ${secret} failed`) }],
    ["an error's cause", { error: new Error('outer', { cause: new Error(secret) }) }],
    [
      "a cause's cause that is a text",
      { error: new Error('a', { cause: new Error('b', { cause: secret }) }) },
    ],
    ["an error's own property", { error: Object.assign(new Error('x'), { stderr: secret }) }],
    ['one of several errors', { error: new AggregateError([new Error(secret)], 'all failed') }],
    ['a map and a set', { map: new Map([['k', secret]]), set: new Set([secret]) }],
    ['a percent-encoded address', { url: `https://example.com/?q=${encodeURIComponent(secret)}` }],
    ['a Basic header', { header: Buffer.from(`writer:${secret}`).toString('base64') }],
  ];
  for (const [where, fields] of places) {
    it(`never holds a secret in ${where}`, () => {
      const text = line(fields);
      assert.match(text, /\[redacted\]/);
      assert.doesNotMatch(text, /hunter2/);
      assert.ok(!text.includes(Buffer.from(`writer:${secret}`).toString('base64')));
      assert.doesNotThrow(() => JSON.parse(text));
    });
  }

  it('never holds a secret in its sentence', () => {
    assert.doesNotMatch(line({}, `Oops ${secret}`), /hunter2/);
  });

  it('blanks out what nobody registered but its name or form gives away', () => {
    assert.deepEqual(
      data({
        hostToken: 'abc',
        nested: { authorization: 'Bearer abc', apiKey: 'k', password: 'p' },
        url: new URL('https://user:pass@example.com/x'),
        header: 'Authorization: Bearer abcdef',
        keyboard: 'stays',
      }),
      {
        hostToken: '[redacted]',
        nested: { authorization: '[redacted]', apiKey: '[redacted]', password: '[redacted]' },
        url: 'https://[redacted]@example.com/x',
        header: 'Authorization: Bearer [redacted]',
        keyboard: 'stays',
      },
    );
  });

  it('tells an error with its code, its causes and where it came from', () => {
    const error = Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: 'E1' });
    const told = data({ error }) as { error: Record<string, unknown> };
    assert.equal(told.error['message'], 'outer');
    assert.equal(told.error['code'], 'E1');
    assert.match(String(told.error['stack']), /log-line\.test/);
    assert.equal((told.error['cause'] as Record<string, unknown>)['name'], 'TypeError');
  });

  it('survives circles, depth, bytes, functions and odd dates', () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['self'] = circle;
    const error = new Error('round');
    error.cause = error;
    let deep: unknown = 'bottom';
    for (let i = 0; i < 50; i++) deep = { deep };
    const told = data({
      circle,
      error,
      deep,
      bytes: Buffer.alloc(5),
      call: () => 1,
      at: new Date(Number.NaN),
      big: 7n,
    });
    assert.deepEqual((told as Record<string, unknown>)['circle'], { name: 'circle', self: '[circular]' });
    assert.equal((told as Record<string, unknown>)['bytes'], '[5 bytes]');
    assert.equal((told as Record<string, unknown>)['big'], '7');
    assert.doesNotMatch(JSON.stringify(told), /bottom/);
  });

  it('tells the same thing twice when it is no circle', () => {
    const shared = { a: 1 };
    assert.deepEqual(data({ one: shared, two: shared }), { one: { a: 1 }, two: { a: 1 } });
  });

  it('cuts long texts and long lists', () => {
    const text = line({ text: 'x'.repeat(100_000), list: Array.from({ length: 10_000 }, (_, i) => i) });
    assert.ok(text.length < 6_000, String(text.length));
  });
});
