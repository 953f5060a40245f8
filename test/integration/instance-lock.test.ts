import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { takeInstanceLock } from '../../src/adapters/sqlite/instance-lock.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const holder = path.join(import.meta.dirname, '..', 'support', 'lock-holder.ts');

describe('the lock of the only service', () => {
  let folder: TemporaryFolder;
  let file: string;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await temporaryFolder();
    file = path.join(folder.path, 'service.lock');
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map(end));
    await folder[Symbol.asyncDispose]();
  });

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  async function start(...options: string[]): Promise<{ child: ChildProcess; answer: string }> {
    const child = spawn(process.execPath, [...options, holder, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [answer] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { child, answer };
  }

  it('is refused to a second process', async () => {
    assert.equal((await start()).answer, 'held');
    assert.equal(takeInstanceLock(file), undefined);
    assert.equal((await start()).answer, 'refused');
  });

  it('stays held when its holder no longer refers to it', async () => {
    assert.equal((await start('--expose-gc')).answer, 'held');
    assert.equal(takeInstanceLock(file), undefined);
  });

  it('is free as soon as its holder was killed', async () => {
    await end((await start()).child);
    using lock = takeInstanceLock(file);
    assert.ok(lock);
  });

  it('is free again after its disposal, also a second one', () => {
    const first = takeInstanceLock(file);
    assert.ok(first);
    assert.equal(takeInstanceLock(file), undefined);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    using second = takeInstanceLock(file);
    assert.ok(second);
  });

  it('says what is wrong when the folder is missing, instead of taking it for a holder', () => {
    assert.throws(
      () => takeInstanceLock(path.join(folder.path, 'missing', 'service.lock')),
      /unable to open/,
    );
  });
});
