import assert from 'node:assert/strict';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import { ModelStand, wires } from '../support/model-stand.ts';
import { failsWith } from '../support/service-errors.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';

const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const answered = (body: object, headers: Readonly<Record<string, string>> = json): ModelTurn => ({
  kind: 'raw',
  status: 200,
  body: JSON.stringify(body),
  headers,
});
const deep = `{"path":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;

interface Ending {
  readonly what: string;
  readonly turn: ModelTurn;
  readonly code: JobErrorCode;
  readonly says: RegExp;
  /** Requests that are made until it is given up. */
  readonly tries: number;
}

/** Whatever it sends, the service reads no more of it than it can hold, and says what is wrong. */
const endings: readonly Ending[] = [
  {
    what: 'an event that does not end',
    turn: { kind: 'pour', status: 200, headers: events, text: `data: ${'x'.repeat(1_000_000)}` },
    code: 'agent_failed',
    says: /did not stop answering/,
    tries: 1,
  },
  {
    what: 'an event of lines that do not end',
    turn: { kind: 'pour', status: 200, headers: events, text: 'data: x\r\n'.repeat(100_000) },
    code: 'agent_failed',
    says: /did not stop answering/,
    tries: 1,
  },
  {
    what: 'JSON that does not end',
    turn: { kind: 'pour', status: 200, headers: json, text: '[1,'.repeat(300_000) },
    code: 'agent_failed',
    says: /did not stop answering/,
    tries: 1,
  },
  {
    what: 'an error that does not end',
    turn: { kind: 'pour', status: 503, headers: json, text: 'x'.repeat(1_000_000) },
    code: 'model_overloaded',
    says: /out of order/,
    tries: 6,
  },
  {
    what: 'thousands of calls of tools at once',
    turn: {
      kind: 'call',
      calls: Array.from({ length: 2000 }, () => ({ id: 'one', name: 'read_file', input: {} })),
    },
    code: 'agent_failed',
    says: /did not stop answering/,
    tries: 1,
  },
  {
    what: 'arguments that are nested without end',
    turn: { kind: 'call', calls: [{ name: 'read_file', input: deep }] },
    code: 'agent_failed',
    says: /cannot be read/,
    tries: 1,
  },
  {
    what: 'more headers than anybody sends',
    turn: { kind: 'raw', status: 200, body: '', headers: { ...events, 'x-much': 'x'.repeat(100_000) } },
    code: 'network',
    says: /is no language model/,
    tries: 1,
  },
  {
    what: 'an empty account, told with a status of 200',
    turn: answered({ error: { message: 'Insufficient balance', code: 'insufficient_balance' } }),
    code: 'model_no_credit',
    says: /no credit left/,
    tries: 1,
  },
  {
    what: 'a wrong key, told with a status of 200',
    turn: answered({ type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }),
    code: 'model_authentication_failed',
    says: /does not take the key/,
    tries: 1,
  },
  {
    what: 'an overload, told with a status of 200',
    turn: answered({ error: { message: 'Provider returned error', code: 529 } }),
    code: 'model_overloaded',
    says: /too much to do/,
    tries: 6,
  },
  {
    what: 'anything else, told with a status of 200',
    turn: answered({ error: 'no\nsuch <thing>' }),
    code: 'agent_failed',
    says: /said: "no such <thing>"/,
    tries: 1,
  },
];

describe('an endpoint that misbehaves', () => {
  for (const kind of wires) {
    for (const { what, turn, code, says, tries } of endings) {
      it(`${kind}: ${what} is ${code}`, async () => {
        await using stand = await ModelStand.start({ kind, script: () => turn });
        await assert.rejects(stand.run(), failsWith(code, says));
        assert.equal(stand.model.requests.length, tries);
      });
    }
  }

  it('may answer in one piece where a stream was asked for, as some gateways do', async () => {
    const call = (id: string, path: string) => ({
      id,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path }) },
    });
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [call('a', 'docs/index.md'), call('b', 'docs/b.md')],
    };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const facts = { id: 'x', object: 'chat.completion', created: 1, model: 'docs-model-2', usage };
    await using stand = await ModelStand.start({
      script: [
        answered({ ...facts, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
        answered({
          ...facts,
          choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
        }),
      ],
    });
    const result = await stand.run();
    assert.equal(result.summary, 'Done.');
    assert.equal(result.model, 'docs-model-2 (Scripted)');
    assert.deepEqual(
      stand.model.requests[1]?.messages.at(-1)?.results.map(({ id }) => id),
      ['b'],
    );
    assert.deepEqual(
      stand.pages.calls.slice(-2).map(({ input }) => input),
      [{ path: 'docs/index.md' }, { path: 'docs/b.md' }],
    );
    assert.deepEqual(stand.model.refused, []);
  });
});
