import assert from 'node:assert/strict';
import { editorAnswerSchema } from '../../src/contract/editor-models.ts';
import { editorFailure } from '../../src/extension/editor-model-errors.ts';

const coded = (message: string, code: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

describe('What a model of the editor threw', () => {
  for (const [code, expected] of [
    ['NoPermissions', 'no_permission'],
    ['NotFound', 'not_found'],
    ['Blocked', 'blocked'],
    ['unknown', 'other'],
  ] as const) {
    it(`is told as ${expected} when its code is ${code}`, () => {
      assert.deepEqual(editorFailure(coded('It went wrong.', code)), {
        kind: 'failed',
        code: expected,
        message: 'It went wrong.',
      });
    });
  }

  it('is known by its name as well, and by its cause', () => {
    assert.equal(editorFailure(Object.assign(new Error('x'), { name: 'NotFound' })).code, 'not_found');
    const outer = coded('Outside', 'unknown', coded('Inside', 'Blocked'));
    assert.deepEqual(editorFailure(outer), { kind: 'failed', code: 'blocked', message: 'Outside' });
  });

  for (const message of [
    'You have exceeded your monthly quota.',
    'HTTP 429',
    'Rate limit hit',
    'Too Many Requests',
    'Your premium request limit has been reached',
  ]) {
    it(`is used up: ${message}`, () => assert.equal(editorFailure(new Error(message)).code, 'quota'));
  }

  it('is not used up because a number looks so', () => {
    assert.equal(editorFailure(new Error('Answer 14290 is broken')).code, 'other');
  });

  it('has a sentence also when nothing was said, and never too many words', () => {
    for (const nothing of [undefined, null, 'text', new Error(''), new Error('  ')]) {
      assert.match(editorFailure(nothing).message, /gave no answer/);
    }
    const failure = editorFailure(new Error('x'.repeat(9000)));
    assert.ok(editorAnswerSchema.safeParse(failure).success);
  });

  it('may be its own cause', () => {
    const error = new Error('Round');
    error.cause = error;
    assert.equal(editorFailure(error).message, 'Round');
  });
});
