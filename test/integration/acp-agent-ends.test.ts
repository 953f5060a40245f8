import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endLeftAgents, newMarker, runningAgentsFolder } from '../../src/adapters/agents/acp/left-agents.ts';
import { listProcesses } from '../../src/adapters/agents/acp/process-table.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { AcpStand, scripted } from '../support/acp-stand.ts';
import type { AcpStep } from '../support/acp-steps.ts';

const kinds = ['child', 'session', 'orphan'] as const;
const starts: AcpStep[] = kinds.map((kind) => ({ do: 'start', kind }));

const runs = async (pid: number): Promise<boolean> =>
  (await listProcesses(process.platform)).some((entry) => entry.pid === pid);

/** The programs that the scripted agent has told of. */
const startedBy = (told: readonly string[]): number[] =>
  told.flatMap((message) => /^started (\d+)$/.exec(message)?.[1] ?? []).map(Number);

async function assertGone(pids: readonly number[]): Promise<void> {
  assert.equal(pids.length, kinds.length, 'not all programs were started');
  for (const [index, pid] of pids.entries()) assert.equal(await runs(pid), false, `${kinds[index]} runs on`);
}

describe('an agent and all that it has started', function () {
  // Windows ends a tree by its own means, and has no sessions to leave.
  if (process.platform === 'win32') return;

  it('are gone after its last answer, though they do not listen', async () => {
    using stand = new AcpStand();
    await stand.run(scripted([{ do: 'stay' }, ...starts]));
    await assertGone(startedBy(stand.told));
    assert.deepEqual(readdirSync(path.join(stand.data, runningAgentsFolder)), []);
  });

  it('are gone after a cancel in the middle, which need not wait for them', async () => {
    using stand = new AcpStand();
    const run = stand.run(scripted([{ do: 'stay' }, ...starts, { do: 'hang' }]));
    await stand.heard(/^hanging$/);
    const reason = new Error('cancelled');
    stand.abort.abort(reason);
    await assert.rejects(run, reason);
    await assertGone(startedBy(stand.told));
    assert.deepEqual(readdirSync(path.join(stand.data, runningAgentsFolder)), []);
  });

  it('are gone after it crashed', async () => {
    using stand = new AcpStand();
    await assert.rejects(stand.run(scripted([...starts, { do: 'exit', code: 9 }])), ServiceError);
    await assertGone(startedBy(stand.told));
  });

  it('are gone when it does not even greet', async () => {
    using stand = new AcpStand();
    const before = await listProcesses(process.platform);
    await assert.rejects(stand.run(scripted({ mute: true }), {}, { startMs: 200 }), ServiceError);
    const left = (await listProcesses(process.platform)).filter(
      ({ pid, parent }) => parent === process.pid && !before.some((entry) => entry.pid === pid),
    );
    assert.deepEqual(left, []);
  });

  it('do not begin when the job is cancelled already', async () => {
    using stand = new AcpStand();
    const reason = new Error('cancelled');
    stand.abort.abort(reason);
    await assert.rejects(stand.run(scripted([])), reason);
    assert.deepEqual(stand.told, []);
  });

  it('are ended by the next service when theirs was killed', async () => {
    using stand = new AcpStand();
    const folder = path.dirname(stand.data);
    const entry = fileURLToPath(new URL('../support/acp-service-process.ts', import.meta.url));
    const command = JSON.stringify(scripted([{ do: 'stay' }, ...starts, { do: 'hang' }]));
    const service = spawn(process.execPath, [entry, folder, command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(service, 'exit');
    const told: string[] = [];
    for await (const line of createInterface({ input: service.stdout })) {
      told.push(line);
      if (line === 'hanging') break;
    }
    const agent = (await listProcesses(process.platform)).find(({ parent }) => parent === service.pid);
    assert.ok(agent);
    service.kill('SIGKILL');
    await ended;
    assert.equal(await runs(agent.pid), true, 'the agent has ended with its service, so nothing is tested');
    assert.equal(await endLeftAgents(stand.data), 1);
    assert.equal(await runs(agent.pid), false);
    await assertGone(startedBy(told));
    assert.equal(await endLeftAgents(stand.data), 0);
  });

  it('are left alone when their number belongs to somebody else by now', async () => {
    using stand = new AcpStand();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000000)'], {
      detached: true,
      stdio: 'ignore',
    });
    const ended = once(other, 'exit');
    try {
      const notes = path.join(stand.data, runningAgentsFolder);
      mkdirSync(notes);
      const note = { pid: other.pid, marker: newMarker(), started: '1' };
      writeFileSync(path.join(notes, `${note.marker}.json`), JSON.stringify(note));
      writeFileSync(path.join(notes, 'cut-off.json'), '{"pid": 1');
      writeFileSync(path.join(notes, 'forged.json'), '{"pid": -1, "marker": "x", "started": ""}');
      assert.equal(await endLeftAgents(stand.data), 3);
      assert.equal(await runs(other.pid ?? 0), true);
      assert.deepEqual(readdirSync(notes), []);
    } finally {
      other.kill('SIGKILL');
      await ended;
    }
  });
});
