import assert from 'node:assert/strict';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { demonstrate } from '../demo/demonstration.ts';
import { samplePrompt } from '../demo/expected-change.ts';
import { makeSample } from '../demo/sample.ts';
import { editorTestMs } from '../support/workbench.ts';

describe('From a sentence in VS Code to a pull request', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(await realpath(os.tmpdir()), 'docs-agent-e2e-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('the right change arrives, and the checkout stays as it was', async () => {
    const said: string[] = [];
    const faults = await demonstrate({
      folder: (await makeSample(path.join(folder, 'sample'))).checkout,
      prompt: samplePrompt,
      expectsSampleChange: true,
      screenshots: path.join(folder, 'screenshots'),
      settings: {},
      say: (text) => said.push(text),
    });
    assert.deepEqual(faults, [], said.join('\n'));
    assert.ok((await readdir(path.join(folder, 'screenshots'))).length >= 4);
  }).timeout(editorTestMs);
});
