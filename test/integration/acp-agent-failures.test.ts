import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { JobErrorCode } from '../../src/contract/errors.ts';
import { AcpStand, refused, scripted } from '../support/acp-stand.ts';
import type { AcpScript, AcpStep } from '../support/acp-steps.ts';

const report: AcpStep = { do: 'say', text: 'Title: Change a page\n\n- a.md: changed' };

describe('an agent that speaks the Agent Client Protocol', () => {
  describe('fails by name', () => {
    const cases: readonly [string, AcpScript, JobErrorCode, RegExp][] = [
      [
        'ends at once',
        { ends: 'Cannot find module. key hunter2hunter2' },
        'agent_unavailable',
        /Cannot find module\. key \[redacted\]/,
      ],
      ['speaks another protocol', { protocol: 9 }, 'agent_unavailable', /version 9/],
      ['is not signed in', { signIn: 'person' }, 'model_authentication_failed', /not signed in/],
      [
        'says in words that it is not signed in',
        { steps: [{ do: 'say', text: 'Invalid API key · Please run /login' }] },
        'model_authentication_failed',
        /not signed in/,
      ],
      ['refuses', { steps: [{ do: 'stop', reason: 'refusal' }] }, 'model_refused', /refused/],
      ['has no tokens left', { steps: [{ do: 'stop', reason: 'max_tokens' }] }, 'usage_limit', /limit/],
      ['has no turns left', { steps: [{ do: 'stop', reason: 'max_turn_requests' }] }, 'usage_limit', /limit/],
      [
        'stops by itself',
        { steps: [{ do: 'stop', reason: 'cancelled' }] },
        'agent_failed',
        /stopped by itself/,
      ],
      [
        'answers with an error',
        { steps: [{ do: 'fail', text: 'Something odd' }] },
        'agent_failed',
        /Something odd/,
      ],
      [
        'has no credit',
        {
          steps: [
            { do: 'fail', text: 'Internal error', input: { details: 'Your credit balance is too low' } },
          ],
        },
        'model_no_credit',
        /credit/,
      ],
      [
        'is turned away by its provider',
        { steps: [{ do: 'fail', text: 'API Error: 401 invalid x-api-key' }] },
        'model_authentication_failed',
        /Sign in/,
      ],
      [
        'is asked to come later',
        { steps: [{ do: 'fail', text: '529 Overloaded' }] },
        'model_overloaded',
        /later/,
      ],
      [
        'asks without end for what it may not do',
        { steps: Array.from({ length: 310 }, () => ({ do: 'ask', kind: 'execute', text: 'rm -r .' })) },
        'agent_failed',
        /asked again and again/,
      ],
      [
        'ends without saying that it is done',
        { steps: [report, { do: 'exit', code: 0 }] },
        'agent_failed',
        /in the middle of its work \(exit code 0\)/,
      ],
      [
        'writes a line without an end',
        { steps: [{ do: 'spill' }] },
        'agent_failed',
        /in the middle of its work/,
      ],
      [
        'crashes in the middle',
        {
          steps: [
            { do: 'write', path: 'docs/a.md', text: 'half' },
            { do: 'exit', code: 7, text: 'Out of memory' },
          ],
        },
        'agent_failed',
        /exit code 7.*Out of memory/,
      ],
    ];
    for (const [what, script, code, pattern] of cases) {
      it(`when it ${what}`, async () => {
        using stand = new AcpStand();
        await assert.rejects(stand.run(scripted(script)), refused(code, pattern));
        assert.deepEqual(readdirSync(path.join(stand.data, 'agents')), []);
      });
    }

    it('when it is not installed', async () => {
      using stand = new AcpStand();
      const command = { command: 'no-such-program-anywhere', args: [] };
      await assert.rejects(stand.run(scripted([], command)), refused('agent_unavailable', /was not found/));
    });

    it('when it does not answer', async () => {
      using stand = new AcpStand();
      await assert.rejects(
        stand.run(scripted({ mute: true }), {}, { startMs: 300 }),
        refused('agent_unavailable', /did not answer/),
      );
    });
  });

  it('is given no terminal', async () => {
    using stand = new AcpStand();
    await stand.run(scripted([{ do: 'terminal', path: 'docs/owned.md' }, report]));
    assert.ok(
      stand.told.some((message) => /^terminal: error .*Method not found/.test(message)),
      stand.told.join(),
    );
    assert.deepEqual(readdirSync(path.join(stand.directory, 'docs')), ['a.md']);
  });

  it('signs in with a key when it has one, and never otherwise', async () => {
    using stand = new AcpStand();
    stand.env['GEMINI_API_KEY'] = 'a-key-of-gemini';
    const command = scripted({ signIn: 'key', steps: [report] }, { id: 'gemini', name: 'Gemini CLI' });
    assert.equal((await stand.run(command)).title, 'Change a page');
    delete stand.env['GEMINI_API_KEY'];
    await assert.rejects(stand.run(command), refused('model_authentication_failed', /run `gemini`/));
  });
});
