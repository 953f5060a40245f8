import assert from 'node:assert/strict';
import { JobsWindow } from '../support/jobs-window.ts';
import { originAndClone, temporaryFolder, type TemporaryFolder } from '../support/repositories.ts';
import { startScriptedModel, type ScriptedModel } from '../support/scripted-model.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';
import { writerScript } from '../support/scripted-writer.ts';
import { editorTestMs, Workbench } from '../support/workbench.ts';

const key = 'sk-scripted-0123456789';
const page = 'docs/setup.md';
const sentence = 'To log in, open the page.';
const written = `${sentence} With \`--retry\`, the page is asked for again.`;

const works = writerScript([
  {
    prompt: /Document the new retry option/,
    calls: [
      { name: 'read_file', input: { path: page } },
      { name: 'edit_file', input: { path: page, edits: [{ oldText: sentence, newText: written }] } },
    ],
    says: 'I have described the option on the page about the set-up.',
  },
  {
    prompt: /Say how often/,
    calls: [
      {
        name: 'edit_file',
        input: {
          path: page,
          edits: [{ oldText: 'is asked for again.', newText: 'is asked for up to three times.' }],
        },
      },
    ],
    says: 'It says how often now.',
  },
]);

/** One editor for all: each test goes on where the one before has ended. */
describe('Choosing who writes, in VS Code', function () {
  this.timeout(editorTestMs);
  let folder: TemporaryFolder;
  let model: ScriptedModel;
  let workbench: Workbench;
  let jobs: JobsWindow;
  /** What the model does in place of its work. */
  let instead: ModelTurn | undefined;
  /** What it waits for before it answers. */
  let thought: Promise<void> | undefined;

  before(async () => {
    folder = temporaryFolder();
    const { clone } = originAndClone(folder.path);
    model = await startScriptedModel({
      key,
      models: ['large', 'small', 'text-embedding-3'],
      script: async (request) => {
        await thought;
        return instead ?? works(request);
      },
    });
    workbench = await Workbench.start({ folder: clone });
    jobs = new JobsWindow(await workbench.newWindow());
  });
  after(async () => {
    await workbench?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  it('leads from a sentence that the rules do not understand to a model, whose key is tried', async () => {
    const { window } = jobs;
    await jobs.showJobs();
    await jobs.createJob('Write about the new retry option');
    const failed = await jobs.notification(/failed\. The built-in rules did not understand it/);
    assert.equal(failed.buttons[0], 'Choose Agent');
    await window.clickNotification('Choose Agent');
    await jobs.question(/Built-in rules\s+chosen/);
    await window.pick('Add a language model');
    await jobs.question(/Add a Language Model \(1\/4\)/);
    await window.pick('Another OpenAI');
    await jobs.answer(/Address of the server/, model.url);
    // Nothing is wrong yet with a key that nobody has given.
    assert.doesNotMatch(await jobs.question(/API key of/), /does not take|wants/);
    await window.typeInQuickInput('sk-wrong');
    await jobs.question(/does not take the key/);
    await window.typeInQuickInput(key);
    await jobs.question(/\(4\/4\)[^]*large[^]*small/);
    // Models that write nothing are not offered.
    assert.ok(!(await window.picks()).some((text) => text.includes('embedding')));
    await Promise.all([window.statusBarTells('New docs jobs go to large'), window.pick('large')]);
    assert.deepEqual(model.requests, []);
    await window.runCommand('Notifications: Clear All Notifications');
  });

  it('opens the pull request of what the model has written, and follows up on it', async () => {
    const { window } = jobs;
    // The tries of keys that were just made are refused on purpose.
    const refused = model.refused.length;
    await jobs.beginJob();
    await jobs.question(/Create Job · large/);
    await jobs.answer(/What should change in/, 'Document the new retry option');
    const review = await jobs.openedPage(1);
    await review.getByText('--retry').first().waitFor();
    await window.page.bringToFront();
    await jobs.row('Document the new retry option', /Pull request ready/);
    await jobs.tooltip('Document the new', /Agent: large/);

    await window.page.keyboard.press('Escape');
    await jobs.act('Document the new', 'Follow Up');
    await jobs.question(/Follow Up · large[^]*same pull request/);
    // It thinks until its job was seen to run.
    const seen = Promise.withResolvers<void>();
    thought = seen.promise;
    await window.typeInQuickInput('Say how often it does that');
    await jobs.row('Document the new retry option', /Running/);
    seen.resolve();
    await jobs.row('Document the new retry option', /Pull request ready/);
    await review.reload();
    await review.getByText('up to three times').first().waitFor();
    assert.deepEqual(model.refused.slice(refused), []);
  });

  it('says what to do when the key expires in the middle of a job', async () => {
    instead = { kind: 'error', status: 401, message: 'Incorrect API key provided', code: 'invalid_api_key' };
    await jobs.createJob('Describe the key');
    const failed = await jobs.notification(/“Describe the key” failed\..*does not take the key/);
    assert.deepEqual(failed.buttons.slice(0, 2), ['Choose Agent', 'Reuse Prompt']);
    await jobs.row('Describe the key', /Failed: Key refused, new/);
    assert.ok(!JSON.stringify(await jobs.rows()).includes(key));
  });
});
