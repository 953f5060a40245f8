import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildExtension, packedFiles, packExtension } from '../support/vsix.ts';

describe('The package', function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-agent-package-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is the same, byte for byte, when it is built twice', async () => {
    const files = ['first.vsix', 'second.vsix'].map((name) => path.join(folder, name));
    for (const file of files) {
      await buildExtension();
      await packExtension(file);
    }
    const [first, second] = await Promise.all(files.map((file) => readFile(file)));
    assert.ok(first && second && first.length > 100_000, 'The package is too small to hold the extension');
    assert.ok(first.equals(second));
  });

  it('holds what the extension needs and nothing else', async () => {
    const chunk = /^dist\/service\/[A-Za-z0-9_-]+-[A-Z0-9]{8}\.mjs$/;
    const files = await packedFiles();
    assert.deepEqual(
      files.filter((file) => !chunk.test(file) && !/^media\/readme\/[a-z-]+\.png$/.test(file)),
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist/extension.cjs',
        'dist/service/service-child.mjs',
        'dist/service/service.mjs',
        'dist/third-party-notices.txt',
        'media/docs-agent.svg',
        'media/icon.png',
        'media/walkthrough/agent.md',
        'media/walkthrough/create.md',
        'media/walkthrough/review.md',
        'media/walkthrough/watch.md',
        'package.json',
        'package.nls.json',
      ],
    );
    assert.ok(
      files.some((file) => chunk.test(file)),
      'The service is split into chunks',
    );
  });
});
