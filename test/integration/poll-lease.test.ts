import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { PollLease } from '../../src/extension/poll-lease.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const program = path.join(import.meta.dirname, '..', 'support', 'lease-process.ts');

class Window implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  constructor(folder: string) {
    this.#child = spawn(process.execPath, ['--no-warnings', program, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  async say(line: 'hold' | 'release'): Promise<string> {
    const answer = once(this.#lines, 'line');
    this.#child.stdin.write(`${line}\n`);
    const [text] = (await answer) as [string];
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

describe('The lease to poll', () => {
  let folder: TemporaryFolder;
  let now: number;
  const window = (): PollLease => new PollLease({ folder: path.join(folder.path, 'lease'), now: () => now });

  beforeEach(async () => {
    folder = await temporaryFolder();
    now = Date.now();
  });
  afterEach(async () => folder[Symbol.asyncDispose]());

  it('is one window’s at a time, and stays with it while it is prolonged', async () => {
    const [a, b] = [window(), window()];
    assert.equal(await a.hold(), true);
    for (let beat = 0; beat < 10; beat += 1) {
      now += 10_000;
      assert.deepEqual([await a.hold(), await b.hold()], [true, false]);
    }
  });

  it('passes on at once when it is given back', async () => {
    const [a, b] = [window(), window()];
    await a.hold();
    await a.release();
    assert.deepEqual([await b.hold(), await a.hold()], [true, false]);
  });

  it('passes on when it ran out, and the sleeper notices', async () => {
    const [a, b] = [window(), window()];
    await a.hold();
    now += 31_000;
    assert.equal(await b.hold(), true);
    assert.equal(await a.hold(), false);
    assert.equal(a.held, false);
    await a.release();
    assert.equal(await b.hold(), true, 'the sleeper gives back nothing that is not its own');
  });

  it('passes on when the clock was set back by hours', async () => {
    const [a, b] = [window(), window()];
    await a.hold();
    now -= 3_600_000;
    assert.equal(await b.hold(), true);
  });

  it('survives a damaged file, and waits until it is old', async () => {
    const a = window();
    await a.hold();
    const file = path.join(folder.path, 'lease', '1.lease');
    await writeFile(file, '{"owner"');
    const b = window();
    assert.equal(await b.hold(), false);
    await utimes(file, new Date(now - 40_000), new Date(now - 40_000));
    assert.equal(await b.hold(), true);
  });

  it('leaves alone what is not its own, and one file in the end', async () => {
    await window().hold();
    await writeFile(path.join(folder.path, 'lease', 'notes.txt'), 'x');
    for (let turn = 0; turn < 4; turn += 1) {
      now += 31_000;
      assert.equal(await window().hold(), true);
    }
    assert.deepEqual((await readdir(path.join(folder.path, 'lease'))).toSorted(), ['5.lease', 'notes.txt']);
  });

  it('goes to exactly one of several processes that want it together, again and again', async function () {
    this.timeout(60_000);
    await using a = new Window(folder.path);
    await using b = new Window(folder.path);
    await using c = new Window(folder.path);
    const windows = [a, b, c];
    for (let round = 0; round < 15; round += 1) {
      const answers = await Promise.all(windows.map(async (one) => one.say('hold')));
      assert.equal(answers.filter((answer) => answer === 'true').length, 1, answers.join());
      await windows[answers.indexOf('true')]?.say('release');
    }
  });

  it('goes to one of the others at their next look when its process was killed', async function () {
    this.timeout(60_000);
    await using a = new Window(folder.path);
    await using b = new Window(folder.path);
    await using c = new Window(folder.path);
    assert.equal(await a.say('hold'), 'true');
    assert.deepEqual([await b.say('hold'), await c.say('hold')], ['false', 'false']);
    await a[Symbol.asyncDispose]();
    const answers = await Promise.all([b.say('hold'), c.say('hold')]);
    assert.deepEqual(answers.toSorted(), ['false', 'true']);
  });

  it('holds no more than what the others need to know', async () => {
    await window().hold();
    const text = await readFile(path.join(folder.path, 'lease', '1.lease'), 'utf8');
    assert.deepEqual(Object.keys(JSON.parse(text) as object).toSorted(), [
      'expiresAt',
      'host',
      'owner',
      'pid',
    ]);
  });
});
