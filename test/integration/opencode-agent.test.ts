import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runningAgentsFolder } from '../../src/adapters/agents/acp/left-agents.ts';
import { listProcesses, markersOf } from '../../src/adapters/agents/acp/process-table.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { opencode, OpencodeStand } from '../support/opencode-stand.ts';
import type { ModelRequest } from '../support/scripted-model.ts';
import { until } from '../support/service-process.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';

const files = { 'docs/a.md': '# A\n\nLog in first.\n', 'docs/b.md': '# B\n', 'secret.txt': 'no page' };
const title: ModelTurn = { kind: 'say', text: 'A title' };
/** Requests without tools ask for a title of the conversation. */
const isSideTask = ({ tools }: ModelRequest): boolean => tools.length === 0;

/** Turns in order, for the requests that do the work. */
function turns(...script: readonly ModelTurn[]): (request: ModelRequest) => ModelTurn {
  let next = 0;
  return (request) => {
    if (isSideTask(request)) return title;
    return script[next++] ?? { kind: 'say', text: 'Title: Nothing more\n\nDone.' };
  };
}

/** The programs of one run, wherever they are now. */
async function markedBy(marker: string): Promise<number[]> {
  const pids = (await listProcesses(process.platform)).map(({ pid }) => pid);
  const markers = await markersOf(pids, process.platform);
  return pids.filter((pid) => markers.get(pid) === marker);
}

describe('the real opencode', function () {
  // A start takes two to five seconds, on a machine that does other things as well several times as much.
  this.timeout(240_000);

  it('changes a page through the service, reaches nothing but its model, and goes on in a follow-up', async () => {
    let directory = '';
    const at = (name: string): string => path.join(directory, name);
    const steps: (() => ModelTurn)[] = [
      () => ({ kind: 'call', calls: [{ name: 'read', input: { filePath: at('docs/a.md') } }] }),
      () => ({
        kind: 'call',
        calls: [
          {
            name: 'edit',
            input: { filePath: at('docs/a.md'), oldString: 'Log in', newString: 'Sign in' },
          },
        ],
      }),
      // Outside the docs folder, outside the workspace, and by a program.
      () => ({
        kind: 'call',
        calls: [{ name: 'write', input: { filePath: at('secret.txt'), content: 'owned' } }],
      }),
      () => ({
        kind: 'call',
        calls: [{ name: 'write', input: { filePath: at('../index'), content: 'owned' } }],
      }),
      () => ({
        kind: 'call',
        calls: [{ name: 'bash', input: { command: 'touch owned', description: 'x' } }],
      }),
      () => ({ kind: 'say', text: 'Title: Say sign in\n\n- a.md: "Sign in" instead of "Log in"' }),
      () => ({
        kind: 'call',
        calls: [{ name: 'write', input: { filePath: at('docs/c.md'), content: '# C\n' } }],
      }),
      () => ({ kind: 'say', text: 'Title: Add C\n\n- c.md: new' }),
    ];
    await using stand = await OpencodeStand.start((request) => {
      if (isSideTask(request)) return title;
      return steps.shift()?.() ?? { kind: 'say', text: 'Nothing more.' };
    }, files);
    directory = stand.acp.directory;
    const page = (name: string): string => readFileSync(at(name), 'utf8');

    const first = await stand.acp.run(opencode, { prompt: 'Say sign in.' });
    assert.equal(page('docs/a.md'), '# A\n\nSign in first.\n');
    assert.equal(page('secret.txt'), 'no page');
    assert.equal(page('../index'), 'the index of git');
    assert.equal(existsSync(at('owned')), false);
    assert.equal(first.title, 'Say sign in');
    assert.match(first.summary, /^- a\.md: "Sign in" instead of "Log in"/);
    assert.equal(first.model, 'opencode (Local/Docs Model)');
    assert.ok(stand.acp.told.includes('Wrote docs/a.md'));

    const second = await stand.acp.run(opencode, {
      prompt: 'Now add C.',
      conversation: first.conversation ?? '',
      earlier: [{ prompt: 'Say sign in.', summary: first.summary }],
    });
    assert.equal(page('docs/c.md'), '# C\n');
    assert.equal(second.title, 'Add C');
    const last = stand.model.requests.findLast((request) => !isSideTask(request));
    const asked = last?.messages.filter(({ role }) => role === 'user').map(({ text }) => text) ?? [];
    assert.equal(asked.length, 2, 'the conversation went on');
    assert.match(asked[0] ?? '', /Say sign in\./);
    assert.match(asked[1] ?? '', /Now add C\./);
    assert.doesNotMatch(asked[1] ?? '', /Say sign in\./);

    assert.deepEqual(stand.reached, []);
    assert.deepEqual(stand.model.refused, []);
  });

  it('finds nothing to change', async () => {
    await using stand = await OpencodeStand.start(
      turns({ kind: 'say', text: 'Title: Nothing to do\n\nNo page says it.' }),
      files,
    );
    const result = await stand.acp.run(opencode);
    assert.equal(result.summary, 'No page says it.');
    assert.equal(readFileSync(path.join(stand.acp.directory, 'docs/a.md'), 'utf8'), files['docs/a.md']);
    assert.deepEqual(stand.reached, []);
  });

  it('tells why its model would not work', async () => {
    await using stand = await OpencodeStand.start(
      (request) =>
        isSideTask(request) ? title : { kind: 'error', status: 401, message: 'Incorrect API key provided' },
      files,
    );
    await assert.rejects(stand.acp.run(opencode), (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.code, 'model_authentication_failed', error.message);
      assert.match(error.message, /Incorrect API key provided/);
      return true;
    });
  });

  it('is gone with all that it started when it is cancelled in the middle', async () => {
    await using stand = await OpencodeStand.start(
      (request) => (isSideTask(request) ? title : { kind: 'hang', after: 'I begin' }),
      files,
    );
    const run = stand.acp.run(opencode);
    await stand.acp.heard(/writing/);
    const [note = ''] = readdirSync(path.join(stand.acp.data, runningAgentsFolder));
    const marker = path.basename(note, '.json');
    assert.notDeepEqual(await markedBy(marker), [], 'nothing of it runs, so nothing is tested');
    const reason = new Error('cancelled');
    stand.acp.abort.abort(reason);
    await assert.rejects(run, reason);
    // Who was killed may need a turn on the processor to be gone.
    await until(async () => (await markedBy(marker)).length === 0);
  });
});
