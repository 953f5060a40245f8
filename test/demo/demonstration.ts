import path from 'node:path';
import type { Page } from 'playwright-core';
import { JobsWindow } from '../support/jobs-window.ts';
import { openWorkbench } from '../support/workbench.ts';
import { changedParts, checkoutState } from './checkout-state.ts';
import { sampleFaults } from './expected-change.ts';
import { jobBranches } from './job-branches.ts';
import { git } from './sample.ts';

/** A job of the rules agent takes seconds; one with a model may take many minutes. */
const jobMs = 900_000;

export interface Demonstration {
  readonly folder: string;
  readonly prompt: string;
  /** True when the prompt is the sample's own, so that the right change is known. */
  readonly expectsSampleChange: boolean;
  /** A page to have open meanwhile, as a writer does. */
  readonly page?: string;
  /** Folder for the pictures. */
  readonly screenshots: string;
  /** Takes each step and each change of what the editor shows. */
  readonly say: (text: string) => void;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Takes one sentence through VS Code's user interface to its pull request, as a writer does. Gives what is
 * wrong at the end, one sentence each.
 */
export async function demonstrate(demo: Demonstration): Promise<string[]> {
  const { folder, prompt, screenshots: shots, say } = demo;
  const before = await checkoutState(folder);
  say(`Docs project: ${folder} (${await git(folder, 'rev-parse', '--abbrev-ref', 'HEAD')})`);
  const { workbench, window } = await openWorkbench({ folder, settings: demo.settings });
  await using _ = workbench;
  const shot = async (name: string): Promise<void> => window.screenshot(path.join(shots, `${name}.png`));
  say('VS Code is open.');
  if (demo.page !== undefined) await window.openFile(demo.page);
  const known = await jobBranches(folder, workbench.home);

  const jobs = new JobsWindow(window);
  await window.runCommand('Docs Agent: Focus on Jobs View');
  await window.waitFor('the welcome text', async () => (await window.welcomeText()) || undefined);
  await shot('1-welcome');
  await jobs.beginJob();
  await jobs.question(/What should change in/);
  await window.quickInput().fill(prompt);
  await shot('2-prompt');
  await window.quickInput().press('Enter');
  say(`Prompt: ${prompt}`);

  const pullRequest = await watchJob(jobs, shot, say);
  if (typeof pullRequest === 'string') return [pullRequest];
  say(`The pull request opened: ${pullRequest.url()}`);
  await shot('4-completed');
  await shootPullRequest(pullRequest, shots);
  say(`Pull request: ${await pullRequest.title()}`);

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

/**
 * Tells each change of the tree and the status bar until the pull request opens. Gives its page, or a
 * sentence when the job ended without one.
 */
async function watchJob(
  { window, opened }: JobsWindow,
  shot: (name: string) => Promise<void>,
  say: (text: string) => void,
): Promise<Page | string> {
  let last = '';
  let isShot = false;
  for (const end = Date.now() + jobMs; Date.now() < end; await window.page.waitForTimeout(150)) {
    const rows = (await window.treeRows()).map((row) => row.accessibleLabel);
    const status = (await window.statusBarItems()).filter((item) => item.id.startsWith('docs-agent'));
    const now = [...rows, ...status.map((item) => `status bar: ${item.label}`)].join(' | ');
    if (now !== last && now !== '') say(now);
    last = now;
    if (rows.length > 0 && !isShot) {
      await shot('3-running');
      isShot = true;
    }
    const [page] = opened;
    if (page !== undefined) {
      await page.waitForLoadState();
      return page;
    }
    const ended = rows.find((row) =>
      /, (Not started|Failed|Nothing to change|Cancelled|May have started)\b/.test(row),
    );
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
  await page.screenshot({ path: path.join(folder, '6-whole-pull-request.png'), fullPage: true });
}
