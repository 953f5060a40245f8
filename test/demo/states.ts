// node test/demo/states.ts: takes a picture of each state that the product can show, in a light and a dark
// theme, for people to look at; `--only` and `--theme` take a part of them. Tests assert what is said;
// whether it is clear, only a reader can tell.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { docsFolder } from '../support/docs-folder.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { JobsWindow } from '../support/jobs-window.ts';
import { originAndClone, temporaryFolder } from '../support/repositories.ts';
import { buildExtension } from '../support/vsix.ts';
import { agentStates } from './agent-states.ts';
import { samplePrompt } from './expected-change.ts';
import { makeSample } from './sample.ts';
import { open, type Shoot } from './states-window.ts';

const root = path.resolve(import.meta.dirname, '../..');
const themes = { light: 'Light Modern', dark: 'Dark Modern' } as const;
const parts = ['local', 'hosted', 'restricted', 'agents'] as const;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: path.join(root, 'demo', 'screenshots', 'states') },
      theme: { type: 'string' },
      only: { type: 'string' },
    },
  });
  await buildExtension();
  for (const [name, theme] of Object.entries(themes)) {
    if (values.theme !== undefined && values.theme !== name) continue;
    const folder = path.join(values.folder, name);
    await mkdir(folder, { recursive: true });
    const shoot: Shoot = async (jobs, shot) => {
      await jobs.window.screenshot(path.join(folder, `${shot}.png`));
      console.log(path.join(folder, `${shot}.png`));
    };
    const settings = { 'workbench.colorTheme': theme };
    for (const part of parts.filter((each) => values.only === undefined || each === values.only)) {
      await takers[part](shoot, settings, folder);
    }
  }
}

async function local(shoot: Shoot, settings: Record<string, unknown>, folder: string): Promise<void> {
  using temporary = temporaryFolder();
  const { checkout } = await makeSample(temporary.path);
  const { workbench, jobs } = await open({ folder: checkout, settings });
  await using _ = workbench;
  const { page } = jobs.window;
  await jobs.window.openFile('docs/getting-started/install-agent.md');
  await jobs.showJobs();
  await shoot(jobs, '01-welcome');

  await jobs.beginJob();
  await shoot(jobs, '02-prompt');
  await page.locator('.quick-input-widget .quick-input-titlebar .action-label').first().click();
  await jobs.window.picks();
  await shoot(jobs, '03-templates');
  // Back to the prompt, where the list was asked for.
  await page.keyboard.press('Escape');
  await jobs.question(/What should change/);
  await jobs.window.typeInQuickInput(samplePrompt);
  await jobs.row('Replace', /Running/);
  await shoot(jobs, '04-running');
  const review = await jobs.openedPage(1);
  await review.setViewportSize({ width: 1100, height: 900 });
  await review.screenshot({ path: path.join(folder, '05-review.png') });
  await jobs.row('Replace', /Pull request ready/);
  await shoot(jobs, '06-ready');

  await jobs.createJob('Write a poem about backups');
  await jobs.notification(/failed/);
  await shoot(jobs, '07-failed');
  await jobs.createJob('Replace "no such words" with "others"');
  await jobs.notification(/nothing to change/);
  await shoot(jobs, '08-nothing-to-change');
  await jobs.window.runCommand('Notifications: Clear All Notifications');
  await jobs.tooltip('Write a poem');
  await shoot(jobs, '09-tooltip');
  await jobs.act('Write a poem', 'Show Job');
  await page.locator('.editor-instance, .webview').first().waitFor();
  await shoot(jobs, '10-job');

  await writeFile(path.join(checkout, 'docs', 'index.md'), '# Not committed\n');
  await jobs.promptTells(/will not see/);
  await shoot(jobs, '11-uncommitted');
  await jobs.dismiss();

  const workspace = path.join(temporary.path, 'docs.code-workspace');
  const folders = [{ path: checkout }, { path: docsFolder(temporary.path, 'api-docs') }];
  await writeFile(workspace, JSON.stringify({ folders }));
  const several = new JobsWindow(await workbench.newWindow(workspace));
  await several.beginJob();
  await several.window.picks();
  await shoot(several, '12-which-project');
  await several.window.pick('api-docs');
  await several.notification(/git/);
  await shoot(several, '13-no-git');
}

async function hosted(shoot: Shoot, settings: Record<string, unknown>): Promise<void> {
  using temporary = temporaryFolder();
  await using service = await startHostedService();
  service.script({ looks: Number.POSITIVE_INFINITY, end: 'active' });
  const { workbench, jobs } = await open({
    folder: docsFolder(temporary.path, 'docs-site'),
    settings: { ...settings, 'docsAgent.service.baseUrl': service.url },
  });
  await using _ = workbench;
  const { page } = jobs.window;
  await jobs.showJobs();
  await jobs.welcomeSays(/API key/);
  await shoot(jobs, '20-no-key');
  await jobs.clickWelcome('Set API Key');
  await jobs.answer(/API key for/, 'mint_dsc_0123456789abcdef');
  await jobs.question(/assistant key/);
  await shoot(jobs, '21-wrong-kind-of-key');
  await jobs.dismiss();
  await jobs.beginJob();
  await shoot(jobs, '22-key');
  await jobs.answer(/API key for/, service.apiKey);
  await jobs.question(/Project ID/);
  await shoot(jobs, '23-project');
  await jobs.answer(/Project ID/, service.projectId);
  await jobs.answer(/What should change/, 'Document the new retry option everywhere');
  await jobs.row('Document', /Running/);
  service.fail({ kind: 'reset', performed: true }, 'create', 1);
  await jobs.createJob('Describe how backups are encrypted at rest');
  await jobs.row('Describe', /May have started/);
  await shoot(jobs, '24-may-have-started');
  await jobs.window.runCommand('Notifications: Clear All Notifications');

  service.fail({ kind: 'reset' }, 'get');
  await jobs.checkAgain();
  await jobs.messageSays(/broke off/);
  await shoot(jobs, '25-not-checked');
  service.heal();
  service.acceptKey(undefined);
  await jobs.checkAgain();
  await jobs.notification(/does not accept/);
  await shoot(jobs, '26-key-refused');
  service.acceptKey(service.apiKey);
  await jobs.window.clickNotification('Check Again');
  await jobs.row('Document', /Running, (just|1 minute)/);
  const id = service.jobIds[0] ?? '';
  const body = JSON.stringify({ id, status: 'queued_for_review' });
  service.fail({ kind: 'answer', status: 200, body, headers: { 'content-type': 'application/json' } }, 'get');
  await jobs.checkAgain();
  await jobs.row('Document', /queued/);
  await shoot(jobs, '27-unknown-status');
  service.heal();
  service.setJob(id, 'completed', 'https://github.com/acme/docs/pull/7');
  await jobs.checkAgain();
  await jobs.dialog(/external website/);
  await shoot(jobs, '28-other-site');
  await jobs.window.clickDialog('Cancel');
  await shoot(jobs, '29-unseen');
  await jobs.forgetAll();
  await jobs.window.forgetSecrets();
  await jobs.window.reload();
  await jobs.showJobs();
  await jobs.welcomeSays(/no longer has it/);
  await shoot(jobs, '30-key-gone');
  await jobs.clickWelcome('Set API Key');
  await jobs.answer(/API key for/, service.apiKey);
  await jobs.welcomeSays(/Say in plain words/);
  service.fail({ kind: 'reset' });
  await jobs.checkAgain();
  await jobs.welcomeSays(/cannot be reached/);
  await shoot(jobs, '31-unreachable');

  await jobs.window.runCommand('Docs Agent: Choose Service…');
  await jobs.window.picks();
  await shoot(jobs, '32-choose-service');
  await page.keyboard.press('Escape');
  await jobs.window.runCommand('Docs Agent: Choose Agent…');
  await jobs.notification(/its own agent/);
  await shoot(jobs, '35-agent-of-the-service');
  const nothing = new JobsWindow(await workbench.newWindow('nothing'));
  await nothing.showJobs();
  await shoot(nothing, '33-no-folder');
  const empty = path.join(temporary.path, 'empty');
  await mkdir(empty);
  const pageless = new JobsWindow(await workbench.newWindow(empty));
  await pageless.showJobs();
  await shoot(pageless, '34-no-project');
}

async function restricted(shoot: Shoot, settings: Record<string, unknown>): Promise<void> {
  using temporary = temporaryFolder();
  const { clone } = originAndClone(temporary.path);
  const { workbench, jobs } = await open({ folder: clone, settings, restricted: true });
  await using _ = workbench;
  await jobs.showJobs();
  await jobs.welcomeSays(/Restricted/);
  await jobs.window.runCommand('Docs Agent: Create Job…');
  await jobs.notification(/Restricted/);
  await shoot(jobs, '40-restricted');
  await jobs.window.runCommand('Notifications: Clear All Notifications');
  await jobs.window.runCommand('Docs Agent: Choose Agent…');
  await jobs.notification(/Restricted/);
  await shoot(jobs, '41-restricted-agent');
}

const takers = { local, hosted, restricted, agents: agentStates } as const;

await main();
