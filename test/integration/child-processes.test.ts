import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import path from 'node:path';
import { ChildProcesses } from '../../src/adapters/child-process/child-processes.ts';
import type { AgentTask } from '../../src/service/ports/agent.ts';
import { failsWith } from '../support/service-errors.ts';
import { isAlive, until } from '../support/service-process.ts';

const entry = new URL('../support/trap-child-process.ts', import.meta.url);
const never = new AbortController().signal;
const place = { directory: '/w', docsRoot: '', outsideDocsRoot: true };

/** Heaps are small, so that a hoard is full soon. */
const open = (options: { keep?: number; keepMs?: number } = {}): ChildProcesses =>
  new ChildProcesses({ entry, env: { ...process.env, KEY: 'k-1' }, keep: 2, heapMegabytes: 64, ...options });

/** Runs a prompt; `pid` is the child that it has come to. */
function start(children: ChildProcesses, prompt: string, signal = never) {
  const { promise: pid, resolve } = Promise.withResolvers<number>();
  const done = children.parts('trap').agent.run({
    prompt,
    earlier: [],
    directory: '/w',
    docsRoot: '',
    outsideDocsRoot: false,
    signal,
    onProgress: (message) => resolve(Number(message.split(' in ')[1])),
  } satisfies AgentTask);
  return { pid, done };
}

describe('Child processes for agents, checks and tools', function () {
  this.timeout(120_000);
  let children: ChildProcesses;
  const run = (prompt: string, signal = never) => start(children, prompt, signal).done;
  const pidOf = async (prompt: string): Promise<number> => {
    const { pid, done } = start(children, prompt);
    await done;
    return pid;
  };

  beforeEach(() => {
    children = open();
  });
  afterEach(() => children[Symbol.asyncDispose]());

  it('are not there before there is work, then bring results, problems and answers from one process', async () => {
    assert.deepEqual(children.pids, []);
    const pid = await pidOf('work');
    const { check, tools } = children.parts('trap');
    const file = { path: 'a.md', change: 'added' } as const;
    const change = { directory: '/w', parentDirectory: '/p', docsRoot: 'docs', files: [file] };
    assert.deepEqual(await check(change, never), [
      { kind: 'link', path: 'a.md', line: 1, message: '/w docs' },
    ]);
    assert.deepEqual(await tools.use({ name: 'bad', input: { deep: [1] } }, place, never), {
      text: JSON.stringify([pid, { deep: [1] }, '/w', true]),
      failed: true,
    });
    assert.deepEqual(children.pids, [pid]);
  });

  it('see nothing of the environment, no workspace, and a bounded heap', async () => {
    const told = JSON.parse((await run('work')).summary) as Record<string, unknown>;
    const { LD_LIBRARY_PATH: libraries } = process.env;
    assert.deepEqual(told, {
      env: { ELECTRON_RUN_AS_NODE: '1', ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }) },
      cwd: path.parse(process.execPath).root,
      execArgv: ['--max-old-space-size=64'],
    });
  });

  it('bring errors by name, with their cause, and odd ones as what they say', async () => {
    await assert.rejects(run('named'), failsWith('prompt_not_understood', /^Say it otherwise\.$/));
    await assert.rejects(run('odd'), /^TypeError: odd$/);
    assert.equal((await run('work')).title, 'work');
  });

  it('hold up nobody, and end in the middle of a stretch without a pause', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    const spinning = start(children, 'spin', stop.signal);
    // Several at once: none waits for the one that spins.
    const titles = (await Promise.all([run('a'), run('b')])).map(({ title }) => title);
    assert.deepEqual(titles, ['a', 'b']);
    stop.abort(reason);
    await assert.rejects(spinning.done, reason);
    assert.ok(!isAlive(await spinning.pid));
    assert.equal((await run('work')).title, 'work');
  });

  it('let work that listens end by itself, with the reason of the signal', async () => {
    const stop = new AbortController();
    const listening = start(children, 'listen', stop.signal);
    const tool = children.parts('trap').tools.use({ name: 'listen', input: 0 }, place, stop.signal);
    await listening.pid;
    stop.abort(new Error('cancelled'));
    await assert.rejects(listening.done, /^Error: cancelled$/);
    await assert.rejects(tool, /^Error: cancelled$/);
    await assert.rejects(run('work', stop.signal), /^Error: cancelled$/);
  });

  it('lose nothing but their own work when they take all memory, in small pieces or in one', async () => {
    const beside = start(children, 'listen');
    await beside.pid;
    const full = /^Error: The work took more than the 64 MB of memory that it may have\.$/;
    await assert.rejects(run('hoard'), full);
    await assert.rejects(run('swallow'), full);
    assert.ok(isAlive(await beside.pid));
    assert.equal((await run('work')).title, 'work');
    const failed = assert.rejects(beside.done);
    await children[Symbol.asyncDispose]();
    await failed;
  });

  it('lose nothing but their own work when they end in any other way', async () => {
    await assert.rejects(run('exit'), /ended before it was done: exit code 3\./);
    await assert.rejects(run('throw'), (error: Error) => {
      assert.match(error.message, /ended before it was done: exit code 1\./);
      assert.match(String(error.cause), /Nobody caught it\./);
      return true;
    });
    if (process.platform !== 'win32') await assert.rejects(run('die'), /ended before it was done: SIGKILL\./);
    assert.equal((await run('work')).title, 'work');
  });

  it('cannot be started: only the work fails', async () => {
    await using none = new ChildProcesses({ entry: new URL('./none.ts', import.meta.url), env: {}, keep: 1 });
    await assert.rejects(start(none, 'work').done, (error: Error) => {
      assert.match(String(error.cause), /Cannot find module/);
      return true;
    });
  });

  it('fail by what cannot be sent to them, and go on', async () => {
    const { tools } = children.parts('trap');
    await assert.rejects(tools.use({ name: 'work', input: () => 1 }, place, never), /could not be cloned/);
    assert.equal((await run('work')).title, 'work');
    assert.equal(children.pids.length, 1);
  });

  it('are taken up again, no more of them than are to be kept, and not for long', async () => {
    await using few = open({ keep: 1, keepMs: 100 });
    await Promise.all([start(few, 'a').done, start(few, 'b').done]);
    const kept = few.pids.find(isAlive);
    await until(async () => few.pids.length <= 1);
    assert.ok(kept !== undefined);
    await until(async () => few.pids.length === 0);
    assert.equal((await start(few, 'c').done).title, 'c');
  });

  it('work on in the folder that they know', async () => {
    const { tools } = children.parts('trap');
    const use = async (directory: string): Promise<number> => {
      const { text } = await tools.use({ name: 'work', input: 0 }, { ...place, directory }, never);
      return (JSON.parse(text) as [number])[0];
    };
    const [first, second] = await Promise.all([use('/first'), use('/second')]);
    assert.notEqual(first, second);
    assert.deepEqual(
      [await use('/first'), await use('/second'), await use('/first')],
      [first, second, first],
    );
  });

  it('that end while nothing is to be done are replaced', async () => {
    const pid = await pidOf('work');
    process.kill(pid, 'SIGKILL');
    await until(async () => children.pids.length === 0);
    assert.notEqual(await pidOf('work'), pid);
  });

  it('are so many and no more; what has no place waits, in order, and may be given up', async () => {
    await using few = open({ keep: 1 });
    const first = new AbortController();
    const both = [start(few, 'listen', first.signal), start(few, 'listen', first.signal)];
    await Promise.all(both.map(({ pid }) => pid));
    const givenUp = new AbortController();
    const third = start(few, 'third', givenUp.signal);
    const fourth = start(few, 'fourth');
    const fifth = start(few, 'fifth');
    givenUp.abort(new Error('not any more'));
    await assert.rejects(third.done, /^Error: not any more$/);
    assert.equal(few.pids.length, 2);
    first.abort(new Error('enough'));
    await Promise.all(both.map(({ done }) => assert.rejects(done, /^Error: enough$/)));
    assert.equal((await fourth.done).title, 'fourth');
    assert.equal((await fifth.done).title, 'fifth');
  });

  it('leave no ear on a signal that outlives their work', async () => {
    await using few = open({ keep: 1 });
    const job = new AbortController();
    await Promise.all(Array.from({ length: 12 }, () => start(few, 'work', job.signal).done));
    assert.deepEqual(getEventListeners(job.signal, 'abort'), []);
  });

  it('hear of an abort that comes while they are handed out', async () => {
    const job = new AbortController();
    await run('work');
    const { done } = start(children, 'listen', job.signal);
    // The child is there already, and nobody listens for the abort yet.
    job.abort(new Error('cancelled'));
    await assert.rejects(done, /^Error: cancelled$/);
  });

  it('leave nothing running or waiting when they are disposed in the middle', async () => {
    const few = open({ keep: 1 });
    const spinning = [start(few, 'spin'), start(few, 'spin')];
    const pids = await Promise.all(spinning.map(({ pid }) => pid));
    const waiting = assert.rejects(start(few, 'work').done, /The service is ending\./);
    const failed = Promise.all(spinning.map(({ done }) => assert.rejects(done, /SIGKILL|exit code/)));
    await few[Symbol.asyncDispose]();
    await failed;
    await waiting;
    assert.deepEqual(pids.filter(isAlive), []);
    await assert.rejects(start(few, 'work').done, /The service is ending\./);
  });

  describe('of a process that goes', () => {
    const script = path.join(import.meta.dirname, '..', 'support', 'children-process.ts');
    const begin = async (how: string, ...options: string[]) => {
      const parent = spawn(process.execPath, [...options, script, how], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(parent, 'exit');
      const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
      const [told = ''] = line.split('\n');
      return { parent, ended, told, pids: how === 'answers' ? [] : (JSON.parse(told) as number[]) };
    };

    it('keep nothing of what they have answered', async () => {
      const { ended, told } = await begin('answers', '--expose-gc');
      assert.deepEqual(await ended, [0, null]);
      assert.equal(told, '0', `${told} of 20 answers were kept`);
    });

    it('end with it when it is killed, also in the middle of a stretch without a pause', async () => {
      const { parent, ended, pids } = await begin('stay');
      assert.equal(pids.length, 2);
      assert.deepEqual(pids.map(isAlive), [true, true]);
      parent.kill('SIGKILL');
      await ended;
      await until(async () => !pids.some(isAlive));
    });

    it('do not keep it when they have nothing to do, and end with it', async () => {
      const { ended, pids } = await begin('end');
      assert.equal(pids.length, 1);
      assert.deepEqual(await ended, [0, null]);
      await until(async () => !pids.some(isAlive));
    });

    it('are waited for when it ends them, also when nothing else keeps it', async () => {
      const { ended, pids } = await begin('dispose');
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(pids.filter(isAlive), []);
    });

    it('outlive the signals that are meant for their parent', async () => {
      if (process.platform === 'win32') return;
      const pid = await pidOf('work');
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
      assert.equal(await pidOf('work'), pid);
    });
  });
});
