import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installEditor } from '../support/vscode-host/install.ts';
import type { EditorRelease } from '../support/vscode-host/release.ts';

const release: EditorRelease = {
  version: '1.105.1',
  codeServer: '4.105.1',
  node: '22.23.3',
  replaced: { name: '@parcel/watcher', version: '2.5.6' },
};

/** Stands in for npm: lays down what the real one would, as small files, and writes down how it was called. */
const fakeNpm = `
  const { mkdirSync, writeFileSync, appendFileSync, existsSync } = require('node:fs');
  const path = require('node:path');
  const put = (file, text) => { mkdirSync(path.dirname(file), { recursive: true }); writeFileSync(file, text); };
  const [, , , ...args] = process.argv;
  const wanted = args.at(-1);
  appendFileSync(path.join(__dirname, 'calls.txt'), args.filter((arg) => !path.isAbsolute(arg)).join(' ') + '\\n');
  if (existsSync(path.join(__dirname, 'fail'))) { console.error('no network'); process.exit(1); }
  if (wanted.startsWith('code-server@')) {
    const server = path.resolve('node_modules/code-server/lib/vscode');
    put(path.join(server, 'out/server-main.js'), '');
    put(path.join(server, 'package.json'), '{"dependencies":{"@parcel/watcher":"git+ssh://somewhere"}}');
    put(path.join(server, 'npm-shrinkwrap.json'), '{}');
    put(path.join(server, 'extensions/package.json'), '{}');
  }
  if (wanted.startsWith('node@')) put(path.resolve('node_modules/node/bin/node'), '');
`;

describe('Installing VS Code', () => {
  let folder: string;
  let cache: string;
  const npm = process.env['npm_execpath'];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-install-'));
    cache = path.join(folder, 'cache');
    process.env['npm_execpath'] = path.join(folder, 'npm.js');
    await writeFile(path.join(folder, 'npm.js'), fakeNpm);
  });
  afterEach(async () => {
    if (npm === undefined) delete process.env['npm_execpath'];
    else process.env['npm_execpath'] = npm;
    await rm(folder, { recursive: true, force: true });
  });

  const calls = async (): Promise<string[]> =>
    (await readFile(path.join(folder, 'calls.txt'), 'utf8')).trim().split('\n');

  it('asks for exact versions, and runs no install script but that of node', async () => {
    const editor = await installEditor(release, cache);
    assert.ok(existsSync(editor.serverMain) && existsSync(editor.node));
    const quiet = '--no-audit --no-fund --prefix';
    assert.deepEqual(await calls(), [
      `${quiet} --ignore-scripts --no-save code-server@4.105.1`,
      `${quiet} --ignore-scripts --omit=dev`,
      `${quiet} --ignore-scripts --omit=dev`,
      `${quiet} --no-save node@22.23.3`,
    ]);
  });

  it('replaces a dependency from outside the registry, and the lock file that names it too', async () => {
    const server = path.dirname(path.dirname((await installEditor(release, cache)).serverMain));
    const manifest = await readFile(path.join(server, 'package.json'), 'utf8');
    assert.deepEqual(JSON.parse(manifest), { dependencies: { '@parcel/watcher': '2.5.6' } });
    assert.equal(existsSync(path.join(server, 'npm-shrinkwrap.json')), false);
  });

  it('installs once', async () => {
    await installEditor(release, cache);
    await installEditor(release, cache);
    assert.equal((await calls()).length, 4);
  });

  it('leaves nothing behind when npm fails, and succeeds the next time', async () => {
    await writeFile(path.join(folder, 'fail'), '');
    await assert.rejects(installEditor(release, cache), /no network/);
    assert.deepEqual(await readdir(cache), []);
    await rm(path.join(folder, 'fail'));
    assert.ok(existsSync((await installEditor(release, cache)).serverMain));
  });

  it('makes an install again that was broken off', async () => {
    const half = path.join(cache, 'vscode-1.105.1');
    await mkdir(path.join(half, 'node_modules', 'code-server'), { recursive: true });
    await writeFile(path.join(half, 'left-over'), '');
    assert.ok(existsSync((await installEditor(release, cache)).serverMain));
    assert.equal(existsSync(path.join(half, 'left-over')), false);
  });

  it('can be asked for twice at once', async () => {
    const [first, second] = await Promise.all([installEditor(release, cache), installEditor(release, cache)]);
    assert.deepEqual(first, second);
    assert.deepEqual(await readdir(cache), ['vscode-1.105.1']);
  });
});
