import assert from 'node:assert/strict';
import { Threads } from '../../src/adapters/threads/threads.ts';
import type { AgentTask } from '../../src/service/ports/agent.ts';
import { failsWith } from '../support/service-errors.ts';

const entry = new URL('../support/trap-thread-process.ts', import.meta.url);

describe('threads for agents and checks', () => {
  let threads: Threads;
  const progress: string[] = [];
  const run = (prompt: string, signal = new AbortController().signal) =>
    threads.parts('trap').agent.run({
      prompt,
      earlier: [],
      directory: '/w',
      docsRoot: '',
      outsideDocsRoot: false,
      signal,
      onProgress: (message) => progress.push(message),
    } satisfies AgentTask);

  beforeEach(() => {
    progress.length = 0;
    // Little, so that a hoard is full soon.
    threads = new Threads(entry, { heapMegabytes: 64 });
  });
  afterEach(() => threads[Symbol.asyncDispose]());

  it('bring results, progress and problems, and see no environment', async () => {
    assert.deepEqual(await run('work'), { title: 'work', summary: '{}' });
    assert.deepEqual(progress, ['at work']);
    const { check } = threads.parts('trap');
    assert.deepEqual(await check('/w', 'docs', ['a.md'], new AbortController().signal), [
      { kind: 'link', path: 'a.md', line: 1, message: '/w docs' },
    ]);
  });

  it('bring errors by name, with their cause, and odd ones as what they say', async () => {
    await assert.rejects(run('named'), failsWith('prompt_not_understood', /^Say it otherwise\.$/));
    await assert.rejects(run('odd'), /^TypeError: odd$/);
    assert.equal((await run('work')).title, 'work');
  });

  it('hold up nobody, and end in the middle of a stretch without a pause', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    const spinning = run('spin', stop.signal);
    // Several at once: none waits for the one that spins.
    assert.deepEqual(
      (await Promise.all([run('a'), run('b')])).map(({ title }) => title),
      ['a', 'b'],
    );
    stop.abort(reason);
    await assert.rejects(spinning, reason);
    assert.equal((await run('work')).title, 'work');
  });

  it('let work that listens end by itself, with the reason of the signal', async () => {
    const stop = new AbortController();
    const listening = run('listen', stop.signal);
    assert.equal((await run('a')).title, 'a');
    stop.abort(new Error('cancelled'));
    await assert.rejects(listening, /^Error: cancelled$/);
    await assert.rejects(run('work', stop.signal), /^Error: cancelled$/);
  });

  it('survive work that takes all memory or ends its thread', async () => {
    await assert.rejects(run('hoard'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    await assert.rejects(run('exit'), /ended before its work was done/);
    assert.equal((await run('work')).title, 'work');
  });

  it('leave nothing running when they are disposed in the middle', async () => {
    const spinning = run('spin');
    const failed = assert.rejects(spinning, /ended before its work was done/);
    await threads[Symbol.asyncDispose]();
    await failed;
  });
});
