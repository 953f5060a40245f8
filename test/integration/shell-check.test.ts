import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ShellCheck } from '../../src/adapters/check-command/shell-check.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { isAlive, until } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const never = new AbortController().signal;

describe('a check command', function () {
  // Written for sh; `cmd` is given lines of the same kind.
  if (process.platform === 'win32') return;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const redactor = new Redactor();
  const check = (limitMs?: number) =>
    new ShellCheck({
      redactor,
      env: { ...process.env, SECRET_TOKEN: 'hunter2hunter2' },
      ...(limitMs !== undefined && { limitMs }),
    });
  const run = (command: string) => check().run(command, folder.path, never);
  const read = (name: string): Promise<string> =>
    readFile(path.join(folder.path, name), 'utf8').catch(() => '');

  beforeEach(async () => {
    folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'a.md'), 'bad');
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it('is a line as one types it, and runs in its folder', async () => {
    assert.deepEqual(await run('test -f a.md && ! grep -q good *.md'), { kind: 'passed' });
    assert.deepEqual(await run('grep -n bad "$PWD"/*.md >&2; exit 3'), {
      kind: 'failed',
      exitCode: 3,
      output: '1:bad',
    });
  });

  it('sees no secret of the service, and no secret comes back', async () => {
    redactor.register('hunter2hunter2');
    assert.deepEqual(await run('test -z "$SECRET_TOKEN"'), { kind: 'passed' });
    const told = await run('echo hunter2hunter2; false');
    assert.deepEqual(told, { kind: 'failed', exitCode: 1, output: '[redacted]' });
  });

  it('has nobody to ask: its input is at its end', async () => {
    assert.deepEqual(await run(`test "$0 $#" = "/bin/sh 0" && printf '%s' "it's" | grep -q "it's"`), {
      kind: 'passed',
    });
    assert.deepEqual(await run('read answer || exit 0; exit 1'), { kind: 'passed' });
  });

  it('that is not there, or dies, says nothing about the pages', async () => {
    assert.deepEqual(await run('no-such-program-anywhere docs'), {
      kind: 'broken_off',
      why: 'its program was not found on this machine.',
    });
    assert.deepEqual(await run('kill -SEGV $$'), { kind: 'broken_off', why: 'it was ended by SIGSEGV.' });
  });

  it('may write without end', async () => {
    const told = await run('head -c 3000000 /dev/zero | tr "\\0" x; false');
    assert.ok(told.kind === 'failed' && told.output.length === 256 * 1024);
  });

  it('ends with everything that it has started, at a cancel', async () => {
    const stop = new AbortController();
    const done = check().run('sleep 1000 & echo $! > pid; wait', folder.path, stop.signal);
    await until(async () => (await read('pid')).endsWith('\n'));
    const pid = Number(await read('pid'));
    assert.ok(isAlive(pid));
    stop.abort(new Error('cancelled'));
    // By itself it would go on for longer than a test may take.
    await assert.rejects(done, /^Error: cancelled$/);
    await until(async () => !isAlive(pid));
    await assert.rejects(check().run('true', folder.path, stop.signal), /^Error: cancelled$/);
  });

  it('ends with the service, also when that is killed', async () => {
    const script = path.join(import.meta.dirname, '..', 'support', 'check-process.ts');
    const service = spawn(process.execPath, [script, folder.path, 'sleep 1000 & echo $! > pid; wait'], {
      stdio: 'inherit',
    });
    const ended = once(service, 'exit');
    await until(async () => (await read('pid')).endsWith('\n'));
    const pid = Number(await read('pid'));
    assert.ok(isAlive(pid));
    service.kill('SIGKILL');
    await ended;
    await until(async () => !isAlive(pid));
  });

  it('ends with everything that it has started, when it takes too long and when it is done', async () => {
    // A busy machine may need longer than the limit to start the shell: then it gets a longer one.
    for (let limitMs = 250; !(await read('pid')).endsWith('\n'); limitMs *= 2) {
      const late = await check(limitMs).run('sleep 1000 & echo $! > pid; wait', folder.path, never);
      assert.equal(late.kind, 'broken_off');
      assert.match(late.why, /^it took longer than \d+ seconds?\.$/);
    }
    const slow = Number(await read('pid'));
    await until(async () => !isAlive(slow));
    assert.deepEqual(await run('sleep 1000 & echo $! > left'), { kind: 'passed' });
    const left = Number(await read('left'));
    assert.ok(left > 0);
    await until(async () => !isAlive(left));
  });
});
