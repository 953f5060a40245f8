import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { EditorAnswer, EditorModel, EditorRequest } from '../../src/contract/editor-models.ts';
import { EditorModelBridge } from '../../src/service/editor-models.ts';
import type { EditorAnswerParts } from '../../src/service/ports/editor-models.ts';
import { RequestError } from '../../src/service/request-error.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { failsWith } from '../support/service-errors.ts';

const model = (id: string): EditorModel => ({ id, name: id, vendor: 'v', maxInputTokens: 1000 });
const text = (words: string): EditorAnswerParts => [{ type: 'text', text: words }];
const done = (words: string): EditorAnswer => ({ kind: 'done', parts: text(words) });
const question = (id = 'gpt'): Omit<EditorRequest, 'id'> => ({
  model: id,
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Do it.' }] }],
  tools: [],
});

const gone = 10_000;
const patience = 120_000;

describe('the bridge to the editor’s models', () => {
  let clock: FakeClock;
  let bridge: EditorModelBridge;
  let end: AbortController;
  let signs: string[];

  beforeEach(() => {
    clock = new FakeClock();
    bridge = new EditorModelBridge(clock);
    end = new AbortController();
    signs = [];
  });
  afterEach(async () => {
    end.abort();
    bridge[Symbol.dispose]();
    await setImmediate();
    assert.equal(clock.pendingTimers, 0, 'a timer was left behind');
  });

  const token = (name: string): string => name.padEnd(20, '-');
  const next = (
    name: string,
    models: readonly string[] = ['gpt'],
    options: { signal?: AbortSignal; working?: string[] } = {},
  ): Promise<EditorRequest | undefined> => {
    const { signal = end.signal, working } = options;
    return bridge.next(
      { window: token(name), models: models.map(model), ...(working !== undefined && { working }) },
      signal,
    );
  };
  const ask = (id?: string, signal = end.signal): Promise<EditorAnswerParts> => {
    const asking = bridge.ask(question(id), signal, (sign) => signs.push(sign));
    asking.catch(() => undefined);
    return asking;
  };
  const work = async (asking: Promise<EditorRequest | undefined>): Promise<EditorRequest> =>
    (await asking) ?? assert.fail('there was no work');
  const refuses = (answer: () => void): void =>
    assert.throws(answer, (error) => error instanceof RequestError && error.code === 'not_found');

  it('hands a request to the window that asks for work, and its answer back', async () => {
    const asked = next('a');
    const answered = ask();
    const request = await work(asked);
    assert.deepEqual(request, { ...question(), id: request.id });
    assert.match(request.id, /^[0-9a-f-]{36}$/);
    bridge.answer(request.id, { kind: 'progress' });
    bridge.answer(request.id, { kind: 'progress' });
    bridge.answer(request.id, done('Done.'));
    assert.deepEqual(await answered, text('Done.'));
    assert.deepEqual(signs, ['thinks', 'thinks']);
    refuses(() => bridge.answer(request.id, done('Again.')));
  });

  it('keeps a request until a window asks, the oldest first', async () => {
    const answers = [ask(), ask()];
    const first = await work(next('a'));
    const second = await work(next('a'));
    bridge.answer(second.id, done('two'));
    bridge.answer(first.id, done('one'));
    assert.deepEqual(await Promise.all(answers), [text('one'), text('two')]);
  });

  it('asks only a window that has the model', async () => {
    const other = next('a', ['claude']);
    const answered = ask('gpt');
    const fitting = await work(next('b', ['claude', 'gpt']));
    bridge.answer(fitting.id, done('b'));
    assert.deepEqual(await answered, text('b'));
    await clock.advance(25_000);
    assert.equal(await other, undefined);
  });

  it('answers that there is no work within the time of one request', async () => {
    const asked = next('a');
    await clock.advance(24_999);
    let ended = false;
    void asked.then(() => (ended = true));
    await setImmediate();
    assert.equal(ended, false);
    await clock.advance(1);
    assert.equal(await asked, undefined);
  });

  it('knows the models of the windows that are there, each once', async () => {
    void next('a', ['gpt', 'claude']);
    void next('b', ['gpt']);
    const ids = (): string[] => bridge.list().map(({ id }) => id);
    assert.deepEqual(ids(), ['gpt', 'claude']);
    void next('a', ['claude']);
    assert.deepEqual(ids(), ['claude', 'gpt']);
    await clock.advance(25_000 + gone);
    assert.deepEqual(ids(), []);
  });

  it('tells when windows and models come and go, not at every question', async () => {
    let told = 0;
    using _listening = bridge.changes.listen(() => told++);
    void next('a');
    void next('a');
    assert.equal(told, 1);
    void next('a', ['claude']);
    assert.equal(told, 2);
    await clock.advance(25_000 + gone);
    assert.equal(told, 3);
  });

  it('holds one question of a window at a time', async () => {
    const first = next('a');
    const second = next('a');
    assert.equal(await first, undefined);
    const answered = ask();
    bridge.answer((await work(second)).id, done('x'));
    assert.deepEqual(await answered, text('x'));
  });

  describe('when a window goes', () => {
    it('gives its request to another one, and takes no late answer', async () => {
      const answered = ask();
      const lost = await work(next('a'));
      await clock.advance(gone - 1);
      const other = next('b');
      await clock.advance(1);
      const again = await work(other);
      assert.notEqual(again.id, lost.id);
      refuses(() => bridge.answer(lost.id, done('late')));
      bridge.answer(again.id, done('b'));
      assert.deepEqual(await answered, text('b'));
    });

    it('waits two minutes for one to come back', async () => {
      const answered = ask();
      await work(next('a'));
      await clock.advance(gone + patience - 1);
      const again = await work(next('reloaded'));
      bridge.answer(again.id, done('back'));
      assert.deepEqual(await answered, text('back'));
    });

    it('says that it waits, once, and when a window has the request again', async () => {
      const answered = ask();
      await work(next('a'));
      signs.splice(0);
      await clock.advance(gone - 1);
      assert.deepEqual(signs, []);
      await clock.advance(2);
      assert.deepEqual(signs, ['waits']);
      const again = await work(next('reloaded'));
      assert.deepEqual(signs, ['waits', 'thinks']);
      bridge.answer(again.id, done('back'));
      await answered;
    });

    it('ends the request with what to do when none comes', async () => {
      const answered = ask();
      await work(next('a'));
      const failing = assert.rejects(
        answered,
        failsWith('agent_unavailable', /No window .* model gpt is open/),
      );
      await clock.advance(gone + patience);
      await failing;
    });

    it('does not take one for gone that answers or asks', async () => {
      const answered = ask();
      const request = await work(next('a'));
      for (let i = 0; i < 20; i++) {
        await clock.advance(gone - 1);
        if (i % 2 === 0) bridge.answer(request.id, { kind: 'progress' });
        else void next('a');
      }
      bridge.answer(request.id, done('slow'));
      assert.deepEqual(await answered, text('slow'));
    });

    it('waits for no other one while a window with the model is only busy', async () => {
      const first = ask();
      const request = await work(next('a'));
      const second = ask();
      for (let i = 0; i < 20; i++) {
        await clock.advance(gone - 1);
        bridge.answer(request.id, { kind: 'progress' });
      }
      bridge.answer(request.id, done('one'));
      bridge.answer((await work(next('a'))).id, done('two'));
      assert.deepEqual([await first, await second], [text('one'), text('two')]);
    });
  });

  it('ends a request that no window ever had a model for', async () => {
    const failing = assert.rejects(ask(), failsWith('agent_unavailable', /Open VS Code/));
    await clock.advance(patience);
    await failing;
  });

  it('does not count the time of a window that came and went', async () => {
    const answered = ask();
    await clock.advance(patience - 1);
    const hangUp = new AbortController();
    const request = await work(next('a', ['gpt'], { signal: hangUp.signal }));
    await clock.advance(gone + 1000);
    refuses(() => bridge.answer(request.id, done('late')));
    bridge.answer((await work(next('b'))).id, done('b'));
    assert.deepEqual(await answered, text('b'));
  });

  it('hands out again what got lost on its way to a window', async () => {
    const answered = ask();
    const lost = await work(next('a', ['gpt'], { working: [] }));
    const again = await work(next('a', ['gpt'], { working: [] }));
    assert.notEqual(again.id, lost.id);
    const idle = next('a', ['gpt'], { working: [again.id] });
    bridge.answer(again.id, done('here'));
    assert.deepEqual(await answered, text('here'));
    await clock.advance(25_000);
    assert.equal(await idle, undefined);
  });

  it('keeps what a window that hung up was to get', async () => {
    const hangUp = new AbortController();
    const asked = next('a', ['gpt'], { signal: hangUp.signal });
    const answered = ask();
    hangUp.abort();
    assert.equal(await asked, undefined);
    bridge.answer((await work(next('a'))).id, done('again'));
    assert.deepEqual(await answered, text('again'));
  });

  it('gives nothing to a question that was hung up before it came', async () => {
    const answered = ask();
    assert.equal(await next('a', ['gpt'], { signal: AbortSignal.abort() }), undefined);
    bridge.answer((await work(next('a'))).id, done('x'));
    assert.deepEqual(await answered, text('x'));
  });

  it('ends a request whose model says nothing for minutes, to be tried again', async () => {
    const answered = ask();
    await work(next('a'));
    const failing = assert.rejects(answered, failsWith('agent_failed', /has not answered for a long time/));
    for (let i = 0; i < 36; i++) {
      void next('a');
      await clock.advance(5_000);
    }
    await failing;
  });

  it('forgets a request that is cancelled, and lets the model stop', async () => {
    const cancel = new AbortController();
    const answered = ask('gpt', cancel.signal);
    const request = await work(next('a'));
    cancel.abort(new Error('cancelled'));
    await assert.rejects(answered, /cancelled/);
    refuses(() => bridge.answer(request.id, { kind: 'progress' }));
    const idle = next('a');
    await clock.advance(25_000);
    assert.equal(await idle, undefined);
    await assert.rejects(ask('gpt', AbortSignal.abort(new Error('over'))), /over/);
  });

  it('takes no answer to what it never handed out', async () => {
    const answered = ask();
    refuses(() => bridge.answer('', done('x')));
    refuses(() => bridge.answer('guess', done('x')));
    bridge.answer((await work(next('a'))).id, done('mine'));
    assert.deepEqual(await answered, text('mine'));
  });

  const failures = [
    ['no_permission', 'agent_unavailable', /does not let Docs Agent use the model gpt/],
    ['not_found', 'model_not_found', /does not have the model gpt any more/],
    ['blocked', 'model_refused', /refused to answer this/],
    ['quota', 'model_no_credit', /used up/],
    ['other', 'agent_failed', /failed: It broke down\. Try again/],
  ] as const;
  for (const [code, expected, message] of failures) {
    it(`says what ${code} means`, async () => {
      const answered = ask();
      const { id } = await work(next('a'));
      bridge.answer(id, { kind: 'failed', code, message: 'It\n\u0007 broke  down' });
      await assert.rejects(answered, failsWith(expected, message));
    });
  }

  it('shortens what an editor’s model says about its failure', async () => {
    const answered = ask();
    const { id } = await work(next('a'));
    bridge.answer(id, { kind: 'failed', code: 'other', message: '😀'.repeat(1000) });
    const error = await answered.then(
      () => assert.fail(),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error);
    assert.ok(error.message.length < 450 && error.message.isWellFormed(), error.message);
  });

  it('refuses a request that no model could take', async () => {
    const huge = {
      ...question(),
      messages: [{ role: 'user' as const, parts: text('x'.repeat(17_000_000)) }],
    };
    await assert.rejects(
      bridge.ask(huge, end.signal, () => {}),
      failsWith('context_too_large', /less at a time/),
    );
  });

  it('does not remember windows without end', async () => {
    for (let i = 0; i < 100; i++) void next(`window ${i}`);
    await assert.rejects(
      next('one more'),
      (error) => error instanceof RequestError && error.code === 'rate_limited',
    );
    await clock.advance(25_000 + gone);
    void next('one more');
    assert.equal(bridge.list().length, 1);
  });

  it('ends everything with the service', async () => {
    const asked = next('a', ['claude']);
    const failing = assert.rejects(ask(), failsWith('agent_unavailable', /./));
    bridge[Symbol.dispose]();
    await failing;
    assert.equal(await asked, undefined);
    await setImmediate();
    assert.equal(clock.pendingTimers, 0);
  });
});
