import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, link, lstat, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readContained, removeContained, writeContained } from '../../src/docset/contained-file.ts';
import { findContained, relativeToWorkspace } from '../../src/docset/contained-path.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const anything = (): undefined => undefined;

/** A workspace with pages, and beside it what must never be reached. */
async function world() {
  const folder = await temporaryFolder();
  const workspace = path.join(folder.path, 'workspace');
  const outside = path.join(folder.path, 'outside');
  await mkdir(path.join(workspace, 'docs', 'guides'), { recursive: true });
  await mkdir(path.join(workspace, '.git'));
  await mkdir(outside);
  await writeFile(path.join(workspace, 'docs', 'a.md'), 'A\n');
  await writeFile(path.join(workspace, '.git', 'config'), '[remote]\n');
  await writeFile(path.join(outside, 'secret.md'), 'secret\n');
  return { workspace, outside, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function read(workspace: string, given: string): Promise<string> {
  const result = await readContained(workspace, given, 1000, anything);
  return result.kind === 'read'
    ? result.bytes.toString()
    : `${result.kind}: ${'reason' in result ? result.reason : ''}`;
}

describe('Contained files', () => {
  it('are read, written and removed inside the workspace', async () => {
    await using here = await world();
    assert.equal(await read(here.workspace, 'docs/a.md'), 'A\n');
    assert.equal(await read(here.workspace, './docs//a.md'), 'A\n');
    assert.deepEqual(await writeContained(here.workspace, 'docs/new/deep/b.md', 'B\n', anything), {
      kind: 'done',
      path: 'docs/new/deep/b.md',
    });
    assert.equal(await read(here.workspace, 'docs/new/deep/b.md'), 'B\n');
    assert.deepEqual(await readdir(path.join(here.workspace, 'docs', 'new', 'deep')), ['b.md']);
    assert.equal((await removeContained(here.workspace, 'docs/a.md', anything)).kind, 'done');
    assert.deepEqual(await readdir(path.join(here.workspace, 'docs')), ['guides', 'new']);
    assert.equal((await findContained(here.workspace, '.')).kind, 'folder');
  });

  const never = [
    '../outside/secret.md',
    'docs/../../outside/secret.md',
    'docs/..',
    '/etc/passwd',
    '//server/share/a.md',
    'C:/Windows/win.ini',
    'c:a.md',
    '\\\\server\\share\\a.md',
    'docs\\a.md',
    '..\\outside\\secret.md',
    'docs/a.md\0.png',
    'docs/a\n.md',
    '.git/config',
    '.GIT/config',
    'docs/.git/hooks/pre-commit',
    '.git./config',
    '.git /config',
    '.g\u200Cit/config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.\uFF27it/config',
    '~/secret.md',
    'docs/a.md/b.md',
    `docs/${'x'.repeat(300)}.md`,
    `${'x/'.repeat(600)}a.md`,
    'docs/nul.md',
    'docs/COM1',
    'docs/com\u00B9.md',
    'docs/aux .md',
    'docs/new.md:stream',
    'docs/new.md::$DATA',
    'docs/what?.md',
    'docs/new.md.',
    'docs/new.md ',
    'docs/ne\u202Ew.md',
    'docs/\uD800.md',
    'docs/A.md',
    'DOCS/new.md',
    'docs/\uFF41.md',
  ];
  for (const given of never) {
    it(`are not reached at ${JSON.stringify(given.slice(0, 50))}`, async () => {
      await using here = await world();
      const before = await readdir(path.dirname(here.workspace), { recursive: true });
      const result = await writeContained(here.workspace, given, 'evil\n', anything);
      assert.equal(result.kind, 'refused', JSON.stringify(result));
      assert.match(result.kind === 'refused' ? result.reason : '', /^\S.*\.$/s);
      assert.deepEqual(await readdir(path.dirname(here.workspace), { recursive: true }), before);
      assert.equal(await readFile(path.join(here.workspace, 'docs', 'a.md'), 'utf8'), 'A\n');
      assert.doesNotMatch(await read(here.workspace, given), /^(?:A|secret|\[remote\])\n/);
    });
  }

  it('are not reached through a symbolic link, be it the file, its folder or one on the way', async () => {
    await using here = await world();
    const at = (name: string): string => path.join(here.workspace, name);
    await symlink(path.join(here.outside, 'secret.md'), at('docs/file.md'));
    await symlink(here.outside, at('docs/out'));
    await symlink('a.md', at('docs/inner.md'));
    await symlink(path.join(here.outside, 'new.md'), at('docs/dangling.md'));
    await symlink('loop', at('docs/loop'));
    await mkdir(path.join(here.outside, 'deep'));
    for (const given of [
      'docs/file.md',
      'docs/out/secret.md',
      'docs/out/new.md',
      'docs/out/deep/new.md',
      'docs/out/none/new.md',
      'docs/inner.md',
      'docs/dangling.md',
      'docs/loop',
      'docs/loop/a.md',
    ]) {
      assert.match(await read(here.workspace, given), /^refused: .* is a symbolic link/, given);
      assert.equal((await writeContained(here.workspace, given, 'evil', anything)).kind, 'refused', given);
      assert.equal((await removeContained(here.workspace, given, anything)).kind, 'refused', given);
    }
    assert.deepEqual(await readdir(here.outside), ['deep', 'secret.md']);
    assert.equal(await readFile(path.join(here.outside, 'secret.md'), 'utf8'), 'secret\n');
  });

  it('are not written through a link that appears between look and use', async () => {
    await using here = await world();
    const target = path.join(here.workspace, 'docs', 'a.md');
    // The rule is asked after the look, and here makes the link itself.
    const file = await swapping(here.workspace, 'docs/a.md', () =>
      execFileSync('ln', ['-sfn', path.join(here.outside, 'secret.md'), target]),
    );
    assert.equal(file.kind, 'done');
    assert.equal((await lstat(target)).isFile(), true);
    assert.equal(await readFile(path.join(here.outside, 'secret.md'), 'utf8'), 'secret\n');

    const guides = path.join(here.workspace, 'docs', 'guides');
    const folder = await swapping(here.workspace, 'docs/guides/new.md', () => {
      execFileSync('mv', [guides, `${guides}-away`]);
      execFileSync('ln', ['-s', here.outside, guides]);
    });
    assert.equal(folder.kind, 'refused');
    const fresh = await swapping(here.workspace, 'docs/fresh/new.md', () => {
      execFileSync('ln', ['-s', here.outside, path.join(here.workspace, 'docs', 'fresh')]);
    });
    assert.equal(fresh.kind, 'refused');
    assert.deepEqual(await readdir(here.outside), ['secret.md']);
  });

  it('are not read through a folder that becomes a link between look and use', async () => {
    await using here = await world();
    const docs = path.join(here.workspace, 'docs');
    await writeFile(path.join(here.outside, 'a.md'), 'secret\n');
    const result = await readContained(here.workspace, 'docs/a.md', 1000, () => {
      execFileSync('mv', [docs, `${docs}-away`]);
      execFileSync('ln', ['-s', here.outside, docs]);
      return undefined;
    });
    assert.equal(result.kind, 'refused');
  });

  it('keep their mode, and a hard link is replaced, not written through', async () => {
    await using here = await world();
    const target = path.join(here.workspace, 'docs', 'a.md');
    await rm(target);
    await link(path.join(here.outside, 'secret.md'), target);
    await chmod(target, 0o755);
    assert.equal((await writeContained(here.workspace, 'docs/a.md', 'new\n', anything)).kind, 'done');
    assert.equal(await readFile(path.join(here.outside, 'secret.md'), 'utf8'), 'secret\n');
    assert.equal(await readFile(target, 'utf8'), 'new\n');
    if (process.platform !== 'win32') assert.equal((await stat(target)).mode & 0o777, 0o755);
  });

  it('are files: no folder, pipe or device', async function () {
    if (process.platform === 'win32') this.skip();
    await using here = await world();
    execFileSync('mkfifo', [path.join(here.workspace, 'docs', 'pipe.md')]);
    assert.match(await read(here.workspace, 'docs/pipe.md'), /neither a file nor a folder/);
    assert.equal((await writeContained(here.workspace, 'docs/pipe.md', 'x', anything)).kind, 'refused');
    assert.equal((await writeContained(here.workspace, 'docs', 'x', anything)).kind, 'refused');
    assert.equal((await removeContained(here.workspace, 'docs/guides', anything)).kind, 'refused');
    assert.equal((await removeContained(here.workspace, '', anything)).kind, 'refused');
    // A pipe that takes a file's place at the last moment is not waited for.
    const late = await readContained(here.workspace, 'docs/a.md', 1000, () => {
      execFileSync('rm', [path.join(here.workspace, 'docs', 'a.md')]);
      execFileSync('mkfifo', [path.join(here.workspace, 'docs', 'a.md')]);
      return undefined;
    });
    assert.equal(late.kind, 'refused');
  });

  it('are found under their name on disk, composed or decomposed, and judged by it', async () => {
    await using here = await world();
    const decomposed = 'cafe\u0301.md';
    await writeFile(path.join(here.workspace, 'docs', decomposed), 'Café\n');
    const asked: string[] = [];
    const result = await writeContained(here.workspace, 'docs/caf\u00E9.md', 'New\n', (each) => {
      asked.push(each);
      return undefined;
    });
    assert.equal(result.kind, 'done');
    const names = await readdir(path.join(here.workspace, 'docs'));
    assert.equal(names.filter((name) => name.normalize('NFC') === 'caf\u00E9.md').length, 1);
    assert.deepEqual(asked, [`docs/${names.find((name) => name.startsWith('caf')) ?? ''}`]);
    await writeContained(here.workspace, 'docs/nai\u0308ve.md', 'x', anything);
    assert.equal((await readdir(path.join(here.workspace, 'docs'))).includes('na\u00EFve.md'), true);
  });

  it('are refused when a rule says so, and nothing was touched', async () => {
    await using here = await world();
    const no = (): string => 'No.';
    assert.deepEqual(await writeContained(here.workspace, 'docs/x/new.md', 'x', no), {
      kind: 'refused',
      reason: 'No.',
    });
    assert.deepEqual(await removeContained(here.workspace, 'docs/a.md', no), {
      kind: 'refused',
      reason: 'No.',
    });
    assert.deepEqual(await readContained(here.workspace, 'docs/a.md', 10, no), {
      kind: 'refused',
      reason: 'No.',
    });
    assert.deepEqual(await readdir(path.join(here.workspace, 'docs')), ['a.md', 'guides']);
  });

  it('leave nothing behind when they cannot be written', async () => {
    await using here = await world();
    const docs = path.join(here.workspace, 'docs');
    const result = await swapping(here.workspace, 'docs/a.md', () => {
      execFileSync('rm', [path.join(docs, 'a.md')]);
      execFileSync('mkdir', ['-p', path.join(docs, 'a.md', 'full')]);
    }).catch((error: unknown) => error);
    assert.ok(result instanceof Error);
    assert.deepEqual((await readdir(docs)).toSorted(), ['a.md', 'guides']);
  });

  it('have a path in the workspace when an absolute one lies below it', async () => {
    const base = path.resolve('/work', 'space');
    assert.equal(relativeToWorkspace(base, path.join(base, 'docs', 'a.md')), 'docs/a.md');
    assert.equal(relativeToWorkspace(base, path.join(base, '..x', 'a.md')), '..x/a.md');
    assert.equal(relativeToWorkspace(base, base), '');
    assert.equal(relativeToWorkspace(base, `${base}-other/a.md`), undefined);
    assert.equal(relativeToWorkspace(base, path.join(base, '..', 'a.md')), undefined);
  });
});

/** Writes, with something happening between the look and the use. */
function swapping(workspace: string, given: string, swap: () => void) {
  return writeContained(workspace, given, 'evil\n', () => {
    swap();
    return undefined;
  });
}
