// npm run demo: does by VS Code's user interface what a writer does, from a sentence to a pull request,
// tells each step, and ends with 0 only when the pull request holds the right change.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { OwnedProcess } from '../support/vscode-host/owned-process.ts';
import type { WorkbenchWindow } from '../support/workbench-window.ts';
import { openWorkbench } from '../support/workbench.ts';
import { changedParts, checkoutState } from './checkout-state.ts';
import { samplePrompt, sampleFaults } from './expected-change.ts';
import { jobBranches } from './job-branches.ts';
import { git, makeSample } from './sample.ts';

const root = path.resolve(import.meta.dirname, '../..');
const screenshots = path.join(root, 'demo', 'screenshots');
/** A job of the rules agent takes seconds; one with a model may take many minutes. */
const jobMs = 900_000;

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
      screenshots: values.screenshots,
      settings: values.theme === undefined ? {} : { 'workbench.colorTheme': values.theme },
    });
    for (const fault of faults) say(`WRONG: ${fault}`);
    say(faults.length === 0 ? 'The pull request holds the expected change.' : 'The demo has failed.');
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Demonstration {
  readonly folder: string;
  readonly prompt: string;
  readonly expectsSampleChange: boolean;
  readonly screenshots: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

async function build(): Promise<void> {
  await using owned = new OwnedProcess(process.execPath, ['esbuild.js'], { cwd: root, stdio: 'inherit' });
  if ((await owned.ended) !== 0) throw new Error('The build has failed.');
}

/** Gives what is wrong at the end, one sentence each. */
async function demonstrate({
  folder,
  prompt,
  screenshots: shots,
  ...demo
}: Demonstration): Promise<string[]> {
  const before = await checkoutState(folder);
  say(`Docs project: ${folder} (${await git(folder, 'rev-parse', '--abbrev-ref', 'HEAD')})`);
  const { workbench, window } = await openWorkbench({ folder, settings: demo.settings });
  await using _ = workbench;
  const shot = async (name: string): Promise<void> => window.screenshot(path.join(shots, `${name}.png`));
  say('VS Code is open.');
  const known = await jobBranches(folder, workbench.home);

  await window.runCommand('Docs Agent: Focus on Jobs View');
  await shot('1-welcome');
  await window.runCommand('Docs Agent: Create Job…');
  await window.quickInput().waitFor();
  await window.quickInput().fill(prompt);
  await shot('2-prompt');
  await window.page.keyboard.press('Enter');
  say(`Prompt: ${prompt}`);

  const opened = window.openedPage();
  const pullRequest = await Promise.race([opened, watchJob(window, shot)]);
  if (typeof pullRequest === 'string') return [pullRequest];
  say(`The pull request opened: ${pullRequest.url()}`);
  await shot('4-completed');
  await shootPullRequest(pullRequest, shots);

  const branches = (await jobBranches(folder, workbench.home)).filter(
    ({ name }) => !known.some((branch) => branch.name === name),
  );
  const faults = changedParts(before, await checkoutState(folder)).map(
    (part) => `The checkout's ${part} changed.`,
  );
  const [branch] = branches;
  if (branch === undefined || branches.length > 1)
    return [...faults, `There are ${branches.length} new branches.`];
  const stat = await git(branch.repository, 'diff', '--stat', `${branch.base}...${branch.commit}`);
  say(`Branch ${branch.name}:\n${stat}`);
  if (stat === '') faults.push('The branch holds no change.');
  return demo.expectsSampleChange
    ? [...faults, ...(await sampleFaults(branch.repository, branch.commit))]
    : faults;
}

/** Tells each change of the tree and the status bar, until the job has failed or the time is over. */
async function watchJob(window: WorkbenchWindow, shot: (name: string) => Promise<void>): Promise<string> {
  let last = '';
  let shots = 0;
  for (const end = Date.now() + jobMs; Date.now() < end; await window.page.waitForTimeout(150)) {
    const rows = (await window.treeRows()).map((row) => row.accessibleLabel);
    const status = (await window.statusBarItems()).filter((item) => item.id.startsWith('docs-agent'));
    const now = [...rows, ...status.map((item) => `status bar: ${item.label}`)].join(' | ');
    if (now !== last && now !== '') {
      say(now);
      if (shots++ === 0) await shot('3-running');
    }
    last = now;
    const ended = rows.find((row) => /^(failed|nothing to change|cancelled)/i.test(row));
    if (ended !== undefined) {
      await shot('4-ended');
      return `The job ended without a pull request: ${ended}`;
    }
  }
  return 'The job did not end in time.';
}

async function shootPullRequest(page: Page, folder: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.screenshot({ path: path.join(folder, '5-pull-request.png') });
  say(`Pull request: ${await page.title()}`);
}

await main();
