import assert from 'node:assert/strict';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { ModelStand, scriptedKey, wires } from '../support/model-stand.ts';
import { failsWith } from '../support/service-errors.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';

const done: ModelTurn = { kind: 'say', text: 'Done.' };
interface Ending {
  readonly what: string;
  readonly turn: ModelTurn;
  readonly code: JobErrorCode;
  readonly says: RegExp;
  /** Requests that are made until it is given up. */
  readonly tries?: number;
}

const error = (status: number, message: string, more: { type?: string; code?: string } = {}): ModelTurn => ({
  kind: 'error',
  status,
  message,
  ...more,
});

const endings: readonly Ending[] = [
  {
    what: 'a refusal',
    turn: { kind: 'refuse', text: 'I cannot help.' },
    code: 'model_refused',
    says: /refused/,
  },
  {
    what: 'a content filter at the door',
    turn: error(
      400,
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      { code: 'content_filter' },
    ),
    code: 'model_refused',
    says: /content rules/,
  },
  {
    what: 'a key of another account',
    turn: error(403, 'You are not allowed to sample from this model'),
    code: 'model_authentication_failed',
    says: /may not use the model docs-model/,
  },
  {
    what: 'an expired key',
    turn: error(401, 'Your key has expired'),
    code: 'model_authentication_failed',
    says: /does not take the key/,
  },
  {
    what: 'an empty account',
    turn: error(402, 'Payment Required'),
    code: 'model_no_credit',
    says: /no credit left/,
  },
  {
    what: 'a used-up quota that looks like a rate limit',
    turn: error(429, 'You exceeded your current quota, please check your plan and billing details.', {
      code: 'insufficient_quota',
      type: 'insufficient_quota',
    }),
    code: 'model_no_credit',
    says: /no credit left/,
  },
  {
    what: 'a low balance that looks like a bad request',
    turn: error(
      400,
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      { type: 'invalid_request_error' },
    ),
    code: 'model_no_credit',
    says: /no credit left/,
  },
  {
    what: 'a model that is not installed',
    turn: error(404, 'model "docs-model" not found, try pulling it first'),
    code: 'model_not_found',
    says: /does not have the model docs-model/,
  },
  {
    what: 'a model id that a gateway does not know',
    turn: error(400, 'docs-model is not a valid model ID'),
    code: 'model_not_found',
    says: /does not have/,
  },
  {
    what: 'a model without tools',
    turn: error(400, 'registry.ollama.ai/library/gemma:2b does not support tools'),
    code: 'agent_unavailable',
    says: /cannot use tools/,
  },
  {
    what: 'an overload that lasts',
    turn: error(529, 'Overloaded', { type: 'overloaded_error' }),
    code: 'model_overloaded',
    says: /too much to do/,
    tries: 6,
  },
  {
    what: 'an overload told in the stream',
    turn: { kind: 'late-error', message: 'Overloaded', type: 'overloaded_error' },
    code: 'model_overloaded',
    says: /too much to do/,
    tries: 6,
  },
  {
    what: 'a server that is broken',
    turn: error(500, 'Internal server error'),
    code: 'model_overloaded',
    says: /out of order/,
    tries: 6,
  },
  {
    what: 'connections that are reset',
    turn: { kind: 'break' },
    code: 'network',
    says: /cannot be reached/,
    tries: 6,
  },
  {
    what: 'answers that break off',
    turn: { kind: 'break', after: 'I will' },
    code: 'network',
    says: /cannot be reached|broke off/,
    tries: 6,
  },
  {
    what: 'answers that stop short',
    turn: { kind: 'stop-short', after: 'I will' },
    code: 'network',
    says: /broke off/,
    tries: 6,
  },
  {
    what: 'a page instead of an answer',
    turn: { kind: 'raw', status: 200, body: '<html>Sign in to the portal</html>' },
    code: 'network',
    says: /Check the address/,
  },
  {
    what: 'a page that says not found',
    turn: { kind: 'raw', status: 404, body: '<html>Not found</html>' },
    code: 'network',
    says: /Check the address/,
  },
  {
    what: 'a redirect',
    turn: { kind: 'raw', status: 302, body: '', headers: { location: 'http://127.0.0.1:9/v1/x' } },
    code: 'network',
    says: /Check the address/,
  },
  {
    what: 'an unnamed refusal',
    turn: error(422, `The field ${scriptedKey} is wrong`),
    code: 'agent_failed',
    says: /said: "The field \[redacted\] is wrong"/,
  },
];

describe('endings of a model', () => {
  for (const kind of wires) {
    for (const { what, turn, code, says, tries = 1 } of endings) {
      it(`${kind}: ${what} is ${code}`, async () => {
        await using stand = await ModelStand.start({ kind, script: () => turn });
        await assert.rejects(stand.run(), (thrown) => {
          failsWith(code, says)(thrown);
          assert.ok(thrown instanceof ServiceError);
          assert.equal(thrown.retryable, tries > 1);
          assert.ok(!`${thrown.message} ${thrown.stack} ${String(thrown.cause)}`.includes(scriptedKey));
          return true;
        });
        assert.equal(stand.model.requests.length, tries);
      });
    }

    it(`${kind}: a wrong key and an unknown model, as the endpoint itself tells them`, async () => {
      await using wrong = await ModelStand.start({
        kind,
        script: [],
        provided: { apiKey: 'sk-of-somebody-else' },
      });
      await assert.rejects(wrong.run(), failsWith('model_authentication_failed', /Choose Agent/));
      await using unknown = await ModelStand.start({ kind, script: [], asks: 'docs-model-9' });
      await assert.rejects(unknown.run(), failsWith('model_not_found', /docs-model-9/));
      assert.equal(wrong.model.requests.length + unknown.model.requests.length, 0);
    });
  }

  it('says so when nothing listens at the address', async () => {
    // A port that no system gives out.
    const provided = { baseUrl: 'http://127.0.0.1:2/v1' };
    await using stand = await ModelStand.start({ script: [], provided });
    await assert.rejects(stand.run(), failsWith('network', /cannot be reached\. Check that it is running/));
  });

  it('sends a key over plain http to this machine only', async () => {
    const provided = { baseUrl: 'http://models.example.com/v1' };
    await assert.rejects(
      ModelStand.start({ script: [], provided }),
      failsWith('model_authentication_failed', /Use an address with https/),
    );
  });

  it('does not ask without a key for one in the environment', async () => {
    const before = process.env['ANTHROPIC_API_KEY'];
    process.env['ANTHROPIC_API_KEY'] = 'sk-of-the-environment';
    try {
      await using stand = await ModelStand.start({
        kind: 'anthropic',
        key: undefined,
        script: [done],
        provided: { apiKey: undefined },
      });
      await stand.run();
      assert.equal(stand.model.requests[0]?.headers['x-api-key'], undefined);
    } finally {
      if (before === undefined) delete process.env['ANTHROPIC_API_KEY'];
      else process.env['ANTHROPIC_API_KEY'] = before;
    }
  });
});

describe('patience with a model', () => {
  for (const kind of wires) {
    it(`${kind}: waits as long as it is asked to, and tells so`, async () => {
      await using stand = await ModelStand.start({
        kind,
        script: [
          { kind: 'error', status: 429, message: 'Slow down', type: 'rate_limit_error', retryAfter: '7' },
          { kind: 'break', after: 'Well' },
          { kind: 'late-error', message: 'Overloaded', type: 'overloaded_error' },
          { kind: 'stop-short', after: 'Well' },
          done,
        ],
      });
      const result = await stand.run();
      assert.equal(result.summary, 'Done.', 'nothing of a broken answer is left');
      assert.deepEqual(stand.clock.pauses, [7000, 2000, 4000, 8000]);
      assert.ok(
        stand.progress.includes('Scripted did not answer (too much to do); asking again in 7 seconds'),
      );
      assert.deepEqual(stand.model.refused, []);
    });
  }

  it('gives up when it is asked to wait too long', async () => {
    await using stand = await ModelStand.start({
      script: [{ kind: 'error', status: 429, message: 'Slow down', retryAfter: '3600' }],
    });
    await assert.rejects(stand.run(), failsWith('model_overloaded', /asks to wait 60 minutes/));
    assert.deepEqual(stand.clock.pauses, []);
  });

  it('understands a date to wait for', async () => {
    const retryAfter = new Date(Date.UTC(2026, 0, 1) + 90_000).toUTCString();
    await using stand = await ModelStand.start({
      script: [{ kind: 'error', status: 503, message: 'Busy', retryAfter }, done],
    });
    await stand.run();
    assert.deepEqual(stand.clock.pauses, [90_000]);
  });

  it('does no work twice after an answer that broke off', async () => {
    const write: ModelTurn = {
      kind: 'call',
      calls: [{ name: 'write_file', input: { path: 'docs/new.md', content: 'x' } }],
    };
    await using stand = await ModelStand.start({ script: [write, { kind: 'break', after: 'Now' }, done] });
    await stand.run();
    assert.equal(stand.pages.calls.filter(({ name }) => name === 'write_file').length, 1);
  });

  it('is over at once when the job is cancelled', async () => {
    await using stand = await ModelStand.start({
      script: () => ({ kind: 'error', status: 500, message: 'Broken' }),
    });
    const reason = new Error('cancelled');
    stand.clock.setTimeout = (callback, ms) => {
      if (ms < 1_000_000) stand.cancel.abort(reason);
      return callback;
    };
    await assert.rejects(stand.run(), (thrown) => thrown === reason);
    assert.equal(stand.model.requests.length, 1);
  });

  it('ends requests in which nothing comes, before and after the first word', async () => {
    await using stand = await ModelStand.start({
      script: [{ kind: 'hang' }, { kind: 'hang', after: 'I think' }, done],
    });
    const running = stand.run();
    const first = await stand.model.request(0);
    stand.clock.expire(1_000_000_000);
    await first.left;
    const second = await stand.model.request(1);
    await stand.clock.waitsFor(1_000_000_001);
    stand.clock.expire(1_000_000_001);
    await second.left;
    assert.equal((await running).summary, 'Done.');
    assert.ok(stand.progress.some((phrase) => phrase.includes('silent for too long')));
  });

  it('ends a job whose model stays silent without beginning it anew', async () => {
    await using stand = await ModelStand.start({ script: () => ({ kind: 'hang' }) });
    const running = assert.rejects(stand.run(), (thrown) => {
      failsWith('time_limit', /sent nothing for too long/)(thrown);
      return thrown instanceof ServiceError && !thrown.retryable;
    });
    for (let index = 0; index < 3; index += 1) {
      const request = await stand.model.request(index);
      stand.clock.expire(1_000_000_000);
      await request.left;
    }
    await running;
  });

  it('goes on when a tool breaks down at one page, and not for ever', async () => {
    await using stand = await ModelStand.start({
      script: [
        { kind: 'call', calls: [{ name: 'read_file', input: { path: 'docs/index.md' } }] },
        { kind: 'say', text: 'I left that page out.' },
      ],
    });
    const full = new Error('The work took more than the 64 MB of memory that it may have.');
    stand.pages.before = ({ input }) => {
      if ((input as { path?: string }).path === 'docs/index.md') throw full;
    };
    assert.equal((await stand.run()).summary, 'I left that page out.');
    assert.match(stand.model.requests[1]?.messages.at(-1)?.results[0]?.text ?? '', /tool broke down/);
    assert.ok(stand.progress.some((phrase) => phrase.startsWith('A tool broke down')));

    await using other = await ModelStand.start({
      script: (_, index) => ({
        kind: 'call',
        calls: [{ name: 'read_file', input: { path: 'docs/index.md', startLine: index + 1 } }],
      }),
    });
    other.pages.before = stand.pages.before;
    await assert.rejects(other.run(), full);
    assert.equal(other.model.requests.length, 3);
  });
});
