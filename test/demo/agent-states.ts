import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../support/repositories.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';
import { writerScript } from '../support/scripted-writer.ts';
import { git, makeSample } from './sample.ts';
import { open, type Shoot } from './states-window.ts';

const modelKey = 'sk-demo-0123456789abcdef';
/** Of the settings, and there; it is never started. */
const scribe = { id: 'scribe', name: 'Scribe', command: process.execPath, args: ['--version'] };
const limitsPage = 'docs/reference/limits.md';
const limit = 'Above that it answers `429` with `Retry-After`.';
const retry = `${limit} With \`--retry\`, the command line waits for that long and tries again, five times at most.`;

const works = writerScript([
  {
    prompt: /Document the new retry option/,
    calls: [
      { name: 'search', input: { query: 'Retry-After' } },
      { name: 'edit_file', input: { path: limitsPage, edits: [{ oldText: limit, newText: retry }] } },
    ],
    says: 'I have described the option where the limit of requests is told.',
  },
  {
    prompt: /three times/,
    calls: [
      {
        name: 'edit_file',
        input: { path: limitsPage, edits: [{ oldText: 'five times', newText: 'three times' }] },
      },
    ],
    says: 'It says three times now.',
  },
]);

/** Choosing who writes, and what becomes of jobs of a model. */
export async function agentStates(
  shoot: Shoot,
  settings: Record<string, unknown>,
  folder: string,
): Promise<void> {
  using temporary = temporaryFolder();
  const { checkout } = await makeSample(temporary.path);
  let instead: ModelTurn | undefined;
  let thinks = Promise.resolve();
  const models = ['gpt-large', 'gpt-small', 'text-embedding-3'];
  await using model = await startScriptedModel({
    key: modelKey,
    models,
    script: async (request) => {
      await thinks;
      return instead ?? works(request);
    },
  });
  const { workbench, jobs } = await open({
    folder: checkout,
    settings: { ...settings, 'docsAgent.agentCommands': [scribe] },
  });
  await using _ = workbench;
  const { window } = jobs;
  await window.openFile(limitsPage);
  await jobs.showJobs();

  await jobs.createJob('Write about the new retry option');
  await jobs.notification(/failed/);
  await shoot(jobs, '50-rules-do-not-understand');
  await window.runCommand('Notifications: Clear All Notifications');
  await window.runCommand('Docs Agent: Choose Agent…');
  await jobs.question(/Choose Agent/);
  await window.picks();
  await shoot(jobs, '51-choose-agent');
  await window.quickInput().fill('Claude');
  await window.pick('Claude');
  await jobs.notification(/not found on this machine/);
  await shoot(jobs, '52-agent-not-installed');
  await window.runCommand('Notifications: Clear All Notifications');

  await window.runCommand('Docs Agent: Choose Agent…');
  await window.quickInput().fill('Add a language');
  await window.pick('Add a language');
  await jobs.question(/Add a Language Model/);
  await window.picks();
  await shoot(jobs, '53-providers');
  await window.pick('Ollama');
  await jobs.question(/Address of Ollama/);
  await window.page.keyboard.press('Enter');
  await jobs.question(/cannot be reached/);
  await shoot(jobs, '54-ollama-not-running');
  await window.page.locator('.quick-input-widget .quick-input-titlebar .action-label').first().click();
  await window.pick('Another OpenAI');
  await jobs.question(/Address of the server/);
  await shoot(jobs, '55-address');
  await window.typeInQuickInput(model.url);
  await jobs.question(/API key of/);
  await shoot(jobs, '56-key');
  await window.typeInQuickInput('sk-wrong');
  await jobs.question(/does not take the key/);
  await shoot(jobs, '57-wrong-key');
  await window.typeInQuickInput(modelKey);
  await jobs.question(/gpt-large/);
  await window.picks();
  await shoot(jobs, '58-model');
  await window.pick('gpt-large');
  await window.waitFor('the choice to be told', async () =>
    (await window.statusBarItems()).find(({ text }) => /New docs jobs/.test(text)),
  );
  await shoot(jobs, '59-chosen');
  await window.runCommand('Notifications: Clear All Notifications');

  const thinking = Promise.withResolvers<void>();
  thinks = thinking.promise;
  await jobs.beginJob();
  await jobs.question(/What should change/);
  await shoot(jobs, '60-prompt');
  await window.typeInQuickInput('Document the new retry option');
  await jobs.row('Document the new retry option', /Running/);
  await model.request(0);
  await jobs.tooltip('Document');
  await shoot(jobs, '61-model-running');
  thinking.resolve();
  const review = await jobs.openedPage(1);
  await review.setViewportSize({ width: 1100, height: 900 });
  await review.screenshot({ path: path.join(folder, '62-model-review.png') });
  await window.page.bringToFront();
  await jobs.row('Document the new retry option', /Pull request ready/);
  await jobs.tooltip('Document');
  await shoot(jobs, '63-model-ready');
  await jobs.act('Document the new', 'Follow Up');
  await jobs.question(/./);
  await shoot(jobs, '64-follow-up');
  await window.typeInQuickInput('Say three times, not five');
  await jobs.notification(/is ready/);
  await shoot(jobs, '65-followed-up');

  const troubles: readonly (readonly [string, string, ModelTurn])[] = [
    [
      '66-key-expired',
      'Describe the key',
      { kind: 'error', status: 401, message: 'Incorrect API key provided', code: 'invalid_api_key' },
    ],
    [
      '67-no-credit',
      'Describe the credit',
      { kind: 'error', status: 402, message: 'Insufficient credits', code: 'insufficient_quota' },
    ],
    ['68-refused', 'Describe the secret', { kind: 'refuse' }],
  ];
  for (const [name, prompt, turn] of troubles) {
    instead = turn;
    await jobs.createJob(prompt);
    await jobs.notification(new RegExp(`${prompt}.*failed`));
    await shoot(jobs, name);
    await window.runCommand('Notifications: Clear All Notifications');
  }
  await jobs.act('Describe the key', 'Show Job');
  await window.page.locator('.webview').first().waitFor();
  await shoot(jobs, '69-failed-job');
  instead = undefined;

  await writeFile(
    path.join(checkout, '.docs-agent.json'),
    '{ "check": "vale --minAlertLevel=error docs" }\n',
  );
  await git(checkout, 'add', '.docs-agent.json');
  await git(checkout, 'commit', '--quiet', '--message=Check the words');
  await git(checkout, 'push', '--quiet');
  await jobs.createJob('Document the new retry option again');
  await jobs.dialog(/./);
  await shoot(jobs, '70-check-command');
  await window.clickDialog('Never');
  await jobs.row('Document the new retry option again', /Pull request ready/);

  await window.runCommand('Docs Agent: Choose Agent…');
  await jobs.question(/Choose Agent/);
  await window.picks();
  await shoot(jobs, '71-choose-again');
  await window.quickInput().fill('Manage');
  await window.pick('Manage');
  await jobs.question(/^Manage Providers/);
  await window.picks();
  await shoot(jobs, '72-manage');
  await window.pick(new URL(model.url).host);
  await window.waitFor('what can be done with a provider', async () =>
    (await window.picks()).find((text) => text.includes('Change key')),
  );
  await shoot(jobs, '73-manage-provider');
  await jobs.dismiss();
  await window.runCommand('Docs Agent: Choose Agent…');
  await window.quickInput().fill('by its command');
  await window.pick('by its command');
  await jobs.question(/Command that starts/);
  await shoot(jobs, '74-agent-command');
  await jobs.dismiss();
  await window.forgetSecrets();
  await window.reload();
  await jobs.showJobs();
  await window.runCommand('Docs Agent: Choose Agent…');
  await jobs.question(/Choose Agent/);
  await window.picks();
  await shoot(jobs, '75-model-key-gone');
  await jobs.dismiss();
  await jobs.createJob('Document the new retry option once more');
  await jobs.notification(/no longer has it/);
  await shoot(jobs, '76-job-with-key-gone');
  await window.runCommand('Notifications: Clear All Notifications');
}
