// npm run demo: does by VS Code's user interface what a writer does, from a sentence to a pull request,
// tells each step, and ends with 0 only when the pull request holds the right change.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { OwnedProcess } from '../support/vscode-host/owned-process.ts';
import { demonstrate } from './demonstration.ts';
import { samplePage, samplePrompt } from './expected-change.ts';
import { makeSample } from './sample.ts';

const root = path.resolve(import.meta.dirname, '../..');
const screenshots = path.join(root, 'demo', 'screenshots');

const started = performance.now();
function say(text: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string' },
      prompt: { type: 'string' },
      screenshots: { type: 'string', default: screenshots },
      theme: { type: 'string' },
    },
  });
  await build();
  await mkdir(values.screenshots, { recursive: true });
  const temporary = await mkdtemp(path.join(await realpath(os.tmpdir()), 'docs-agent-demo-'));
  try {
    const isSample = values.folder === undefined;
    const folder = isSample ? (await makeSample(temporary)).checkout : path.resolve(values.folder ?? '');
    const faults = await demonstrate({
      folder,
      prompt: values.prompt ?? samplePrompt,
      expectsSampleChange: isSample && values.prompt === undefined,
      ...(isSample ? { page: samplePage } : {}),
      screenshots: values.screenshots,
      say,
      settings: values.theme === undefined ? {} : { 'workbench.colorTheme': values.theme },
    });
    for (const fault of faults) say(`WRONG: ${fault}`);
    const right = isSample
      ? 'The pull request holds the expected change.'
      : 'The pull request holds a change.';
    say(faults.length === 0 ? right : 'The demo has failed.');
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function build(): Promise<void> {
  await using owned = new OwnedProcess(process.execPath, ['esbuild.js'], { cwd: root, stdio: 'inherit' });
  if ((await owned.ended) !== 0) throw new Error('The build has failed.');
}

await main();
