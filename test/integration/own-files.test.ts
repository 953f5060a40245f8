import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  lastPort,
  publishAddress,
  readAddressFile,
  createSecret,
} from '../../src/adapters/files/address-file.ts';
import { readConfigFile } from '../../src/adapters/files/config-file.ts';
import { prepareFolders, removeLeftovers } from '../../src/adapters/files/folders.ts';
import { KeyHashes } from '../../src/adapters/files/key-hashes.ts';
import { FileLog } from '../../src/adapters/log/file-log.ts';
import { hashKey } from '../../src/contract/local-service.ts';
import { Redactor } from '../../src/service/redaction.ts';

const posix = process.platform !== 'win32';
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe("The service's own files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const address = (port: number) => ({
    url: `http://127.0.0.1:${port}`,
    pid: process.pid,
    version: '1.0.0',
    secret: createSecret(),
  });

  describe('the address', () => {
    it('is there whole, for its user only, and is taken back', () => {
      const mine = address(4000);
      const published = publishAddress(folder, mine);
      assert.deepEqual(readAddressFile(folder), mine);
      if (posix) assert.equal(modeOf(path.join(folder, 'service.json')), '600');
      published[Symbol.dispose]();
      assert.equal(readAddressFile(folder), undefined);
      assert.deepEqual(readdirSync(folder), ['last-port']);
      assert.equal(lastPort(folder), 4000);
    });

    it("is not taken back when it is another process's by now", () => {
      const published = publishAddress(folder, address(4000));
      const other = address(4001);
      publishAddress(folder, other);
      published[Symbol.dispose]();
      assert.deepEqual(readAddressFile(folder), other);
    });

    it('replaces a link instead of writing through it', async () => {
      if (!posix) return;
      const victim = path.join(folder, 'victim');
      await writeFile(victim, 'untouched');
      await symlink(victim, path.join(folder, 'service.json'));
      publishAddress(folder, address(4000));
      assert.equal(await readFile(victim, 'utf8'), 'untouched');
    });

    it('is nothing when the file is broken, and the port is forgotten', async () => {
      for (const text of ['', '{', '{"url":"http://evil.example:1"}', 'null']) {
        await writeFile(path.join(folder, 'service.json'), text);
        await writeFile(path.join(folder, 'last-port'), text);
        assert.equal(readAddressFile(folder), undefined);
        assert.equal(lastPort(folder), 0);
      }
    });

    it('has a secret that nobody guesses', () => {
      const secrets = new Set(Array.from({ length: 50 }, createSecret));
      assert.equal(secrets.size, 50);
      for (const secret of secrets) assert.ok(secret.length >= 43);
    });
  });

  describe('the folders', () => {
    it('are made for their user only, and made private when they were not', async () => {
      const data = path.join(folder, 'a', 'data');
      const cache = path.join(folder, 'a', 'cache');
      await mkdir(cache, { recursive: true });
      await chmod(cache, 0o755);
      prepareFolders({ data, cache });
      if (posix) assert.deepEqual([modeOf(data), modeOf(cache)], ['700', '700']);
      prepareFolders({ data, cache });
    });

    it('lose what a killed process was writing, and nothing else', async () => {
      for (const name of [
        'service.json',
        'service.json.12.abc.tmp',
        'last-port.12.abc.tmp',
        'last-port',
        'jobs.db',
        'x.tmp',
      ]) {
        await writeFile(path.join(folder, name), 'x');
      }
      removeLeftovers(folder);
      assert.deepEqual(readdirSync(folder).toSorted(), ['jobs.db', 'last-port', 'x.tmp']);
    });
  });

  describe('the configuration file', () => {
    it('may be missing', () => assert.equal(readConfigFile(path.join(folder, 'config.json')), undefined));

    it('is read when it is private', async () => {
      const file = path.join(folder, 'config.json');
      await writeFile(file, '{}', { mode: 0o600 });
      assert.equal(readConfigFile(file), '{}');
    });

    it('is refused, with the command that helps, when others can read or change it', async () => {
      if (!posix) return;
      const file = path.join(folder, 'config.json');
      await writeFile(file, '{}');
      for (const mode of [0o644, 0o640, 0o604, 0o602]) {
        await chmod(file, mode);
        assert.throws(() => readConfigFile(file), /other users\. Run: chmod 600 ".*config\.json"$/);
      }
    });

    it('is refused when it is a folder, or endless', async () => {
      assert.throws(() => readConfigFile(folder), /is not a file\./);
      const file = path.join(folder, 'config.json');
      await writeFile(file, ' '.repeat(300_000), { mode: 0o600 });
      assert.throws(() => readConfigFile(file), /larger than 256 KB\./);
    });
  });

  describe('the key hashes', () => {
    it('accept nobody while there is no file', async () => {
      assert.equal(await new KeyHashes(path.join(folder, 'key-hashes')).accepts('k'), false);
    });

    it('read the file once for many guesses at the same time', async () => {
      const file = path.join(folder, 'key-hashes');
      await writeFile(file, `${hashKey('right')}\n`);
      // The clock stands still, so that every read for an unknown key waits its whole interval.
      const keys = new KeyHashes(file, () => 0);
      assert.equal(await keys.accepts('right'), true);
      const shorter = delay(100, 'a shorter wait');
      const guesses = Promise.all(Array.from({ length: 1000 }, (_, i) => keys.accepts(`guess ${i}`)));
      appendFileSync(file, `${hashKey('guess 7')}\n`);
      assert.equal(await Promise.race([guesses, shorter]), 'a shorter wait', 'a guess costs time');
      // One read after the other would take 1000 intervals, which is longer than a test may take.
      assert.equal((await guesses).filter(Boolean).length, 1, 'the read began after the call');
      assert.equal(await keys.accepts('right'), true);
    });

    it('forget a key that was taken out within a minute', async () => {
      const file = path.join(folder, 'key-hashes');
      await writeFile(file, `${hashKey('k')}\n`);
      let now = 1_000_000;
      const keys = new KeyHashes(file, () => now);
      assert.equal(await keys.accepts('k'), true);
      await writeFile(file, '');
      assert.equal(await keys.accepts('k'), true);
      now += 61_000;
      assert.equal(await keys.accepts('k'), false);
    });
  });

  describe('the log', () => {
    const open = (options: { maxBytes?: number; olderFiles?: number } = {}): FileLog =>
      new FileLog({ file: path.join(folder, 'service.log'), redactor: new Redactor(), ...options });

    it('is there at once, for its user only, and goes on after a restart', () => {
      const file = path.join(folder, 'service.log');
      using first = open();
      first.info('One');
      assert.match(readFileSync(file, 'utf8'), /"message":"One"/);
      if (posix) assert.equal(modeOf(file), '600');
      using second = open();
      second.error('Two', { error: new Error('x') });
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => (JSON.parse(line) as { message: string }).message),
        ['One', 'Two'],
      );
    });

    it('takes bounded room, keeps the newest lines and no line in parts', () => {
      using log = open({ maxBytes: 2_000, olderFiles: 2 });
      for (let i = 0; i < 500; i++) log.info('A line', { i, text: 'x'.repeat(50) });
      const names = readdirSync(folder).toSorted();
      assert.deepEqual(names, ['service.log', 'service.log.1', 'service.log.2']);
      const numbers = names.toReversed().flatMap((name) => {
        const text = readFileSync(path.join(folder, name), 'utf8');
        assert.ok(text.length <= 2_000);
        return text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { data: { i: number } }).data.i);
      });
      assert.equal(numbers.at(-1), 499);
      assert.deepEqual(
        numbers,
        numbers.map((_, i) => (numbers[0] ?? 0) + i),
        'without a gap',
      );
    });

    it('never breaks the service when its folder is gone, and writes again when it is back', async () => {
      const gone = path.join(folder, 'logs');
      using log = new FileLog({ file: path.join(gone, 'service.log'), redactor: new Redactor() });
      log.info('Lost');
      assert.ok(!existsSync(gone));
      await mkdir(gone);
      log.info('Kept');
      assert.match(readFileSync(path.join(gone, 'service.log'), 'utf8'), /Kept/);
    });
  });
});
