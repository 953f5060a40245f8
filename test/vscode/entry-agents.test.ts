import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { homeVariable } from '../../src/contract/local-service.ts';
import { jobRow } from '../../src/extension/job-rows.ts';
import { endOfJob, extensionContext, Session } from '../support/extension-session.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { english } from '../support/job-entries.ts';
import { QuickInputs } from '../support/quick-inputs.ts';
import { startScriptedModel, type ScriptedModel } from '../support/scripted-model.ts';
import type { ModelTurn } from '../support/scripted-turns.ts';
import { SecretSearch } from '../support/secret-search.ts';

const command = (name: string): Thenable<unknown> => vscode.commands.executeCommand(`docsAgent.${name}`);
const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('docsAgent');
const ofUser = <T>(name: string): T | undefined => settings().inspect<T>(name)?.globalValue;
const setOfUser = (name: string, value: unknown): Thenable<void> =>
  settings().update(name, value, vscode.ConfigurationTarget.Global);

const rightKey = 'sk-right-4711-0815';
const anyModel = '$(add) Add a ';
const turns: readonly ModelTurn[] = [
  {
    kind: 'call',
    calls: [
      {
        name: 'edit_file',
        input: { path: 'docs/index.md', edits: [{ oldText: 'Log in first', newText: 'Sign in first' }] },
      },
    ],
  },
  { kind: 'call', calls: [{ name: 'finish', input: { title: 'Say sign in', summary: 'Changed a page.' } }] },
];

describe('Choosing who writes, with the local service', () => {
  let context: vscode.ExtensionContext;
  let ledgerFolder: string;
  let session: Session;
  let model: ScriptedModel;

  before(async () => {
    context = await extensionContext();
    ledgerFolder = path.join(context.globalStorageUri.fsPath, 'jobs');
  });
  beforeEach(async () => {
    model = await startScriptedModel({
      key: rightKey,
      models: ['docs-model', 'text-embedding-x'],
      script: turns,
    });
    session = new Session(context);
    await session.ready;
  });
  afterEach(async () => {
    for (const name of ['agent', 'modelProviders', 'agentCommands', 'service.baseUrl']) {
      await setOfUser(name, undefined);
    }
    await session[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    for (const name of await modelKeys()) await context.secrets.delete(name);
    await rm(ledgerFolder, { recursive: true, force: true });
    assert.deepEqual([...session.timers.values()], [], 'a timer was left');
  });

  async function modelKeys(): Promise<string[]> {
    return (await context.secrets.keys()).filter((name) => name.startsWith('docsAgent.modelKey:'));
  }

  /** Adds the scripted model as an address that only the writer knows. */
  async function addModel(...keys: string[]): Promise<QuickInputs> {
    using inputs = new QuickInputs(
      { pick: anyModel },
      { pick: 'OpenAI-compatible' },
      { texts: [model.url] },
      { texts: keys },
      { pick: 'docs-model' },
    );
    await command('chooseAgent');
    return inputs;
  }

  it('shows the rules as chosen, and others with what they lack', async () => {
    using inputs = new QuickInputs('close');
    await command('chooseAgent');
    assert.deepEqual(inputs.told, []);
    const [list] = inputs.asked;
    assert.ok(list);
    assert.match(list.labels[1] ?? '', /^\$\(checklist\) /);
    assert.ok(
      list.labels.some((label) => label.includes('Claude Code')),
      list.labels.join('\n'),
    );
    assert.ok(list.labels.some((label) => label.startsWith(anyModel)));
    assert.equal(ofUser('agent'), undefined, 'looking changes nothing');
  });

  it('tries a key where it is typed, keeps it in the secret storage alone, and lets the model write', async () => {
    const inputs = await addModel('sk-wrong', rightKey);
    assert.deepEqual(inputs.told, []);
    const key = inputs.asked.find(({ password }) => password);
    assert.equal(key?.refusals.length, 1, 'the wrong key is told in the box, which stays');
    assert.match(key.refusals[0] ?? '', /key/i);
    assert.doesNotMatch(key.refusals[0] ?? '', /sk-wrong/);
    const models = inputs.asked.at(-1)?.labels ?? [];
    assert.ok(models.includes('docs-model') && !models.includes('text-embedding-x'), models.join());

    const [provider] = ofUser<{ id: string; baseUrl: string }[]>('modelProviders') ?? [];
    assert.equal(provider?.baseUrl, model.url);
    assert.equal(ofUser('agent'), `model:${provider.id}/docs-model`);
    const [name = '', ...more] = await modelKeys();
    assert.deepEqual(more, []);
    assert.ok(name.endsWith(`${provider.id} ${new URL(model.url).origin}`), name);
    assert.equal(await context.secrets.get(name), rightKey);

    using prompt = new QuickInputs({ texts: ['Say sign in on the first page'] });
    const ending = endOfJob(ledgerFolder);
    await command('createJob');
    assert.deepEqual(prompt.told, []);
    const ended = await ending;
    assert.equal(ended.job?.status, 'completed', JSON.stringify(ended));
    assert.equal(ended.agent, `model:${provider.id}/docs-model`);
    assert.match(ended.job.model ?? '', /docs-model/);
    const view = { now: Date.now(), t: english, clock: String, severalProjects: false };
    assert.match(jobRow(ended, view).tooltip.replaceAll('\\', ''), /Agent: docs-model/);
    assert.ok(model.requests.every(({ headers }) => headers.authorization === `Bearer ${rightKey}`));
    const search = new SecretSearch([{ name: 'the key', value: rightKey }]);
    const home = process.env[homeVariable];
    assert.ok(home !== undefined);
    assert.deepEqual(search.below(home), []);
    assert.deepEqual(search.below(path.resolve(context.globalStorageUri.fsPath, '..', '..')), []);
    assert.deepEqual(search.below(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? ''), []);
    assert.doesNotMatch(
      JSON.stringify(context.globalState.keys().map((each) => context.globalState.get(each))),
      /sk-right/,
    );
  });

  it('reads no key and asks nobody at a start, whatever is set up', async () => {
    await addModel(rightKey);
    assert.equal((await modelKeys()).length, 1);
    await session[Symbol.asyncDispose]();
    assert.deepEqual([...session.timers.values()], []);
    session = new Session(context);
    await session.ready;
    await setOfUser('agentLimits', { steps: 10 });
    assert.deepEqual([session.secretsRead, session.requests], [[], []]);
    await setOfUser('agentLimits', undefined);
  });

  it('hears of a provider that is removed, and takes its key along', async () => {
    await addModel(rightKey);
    const [provider] = ofUser<{ id: string; name: string }[]>('modelProviders') ?? [];
    assert.ok(provider);
    assert.equal((await modelKeys()).length, 1);
    using inputs = new QuickInputs({ pick: 'Manage' }, { pick: provider.name }, { pick: 'Remove' });
    inputs.press = 'Remove';
    await command('chooseAgent');
    assert.equal(ofUser('modelProviders'), undefined);
    assert.deepEqual(await modelKeys(), []);

    // What was chosen is not there any more: the prompt is kept, and the way out is named.
    using prompt = new QuickInputs({ texts: ['Say sign in everywhere'] });
    await command('createJob');
    assert.equal(prompt.told.length, 1);
    assert.match(prompt.told[0] ?? '', /no longer there/);
    assert.deepEqual(model.requests, []);
    using again = new QuickInputs('close');
    await command('createJob');
    assert.equal(again.asked[0]?.value, 'Say sign in everywhere');
    using tidy = new QuickInputs({ leave: '' });
    await command('createJob');
    assert.equal(tidy.asked.length, 1);
  });

  it('sends a key to no other server when the address changes, until it is given again', async () => {
    await addModel(rightKey);
    // It would take the key, if it got it.
    await using other = await startScriptedModel({ key: rightKey, models: ['docs-model'], script: [] });
    const [provider] = ofUser<{ id: string; name: string }[]>('modelProviders') ?? [];
    assert.ok(provider);
    await setOfUser('modelProviders', [{ ...provider, baseUrl: other.url }]);
    using prompt = new QuickInputs({ texts: ['Say sign in'] });
    const ending = endOfJob(ledgerFolder);
    await command('createJob');
    assert.deepEqual(prompt.told, []);
    const ended = await ending;
    assert.equal(ended.job?.error?.code, 'model_authentication_failed', JSON.stringify(ended));
    assert.deepEqual(other.requests, []);
    const view = { now: Date.now(), t: english, clock: String, severalProjects: false };
    assert.match(jobRow(ended, view).contextValue, /\botherAgent\b/);
    assert.match(jobRow(ended, view).tooltip, /Choose Agent/);

    using inputs = new QuickInputs(
      { pick: 'Manage' },
      { pick: provider.name },
      { pick: 'key…' },
      { texts: ['sk-bad', rightKey] },
    );
    await command('chooseAgent');
    const key = inputs.asked.at(-1);
    assert.equal(key?.password, true);
    assert.equal(key.refusals.length, 1);
    assert.equal((await modelKeys()).length, 2, 'each bound to its server');
  });

  it('changes the key of a model from its row, without choosing it', async () => {
    await addModel(rightKey);
    const [provider] = ofUser<{ id: string }[]>('modelProviders') ?? [];
    const [name = ''] = await modelKeys();
    await setOfUser('agent', 'rules');
    await context.secrets.store(name, 'sk-expired');
    using inputs = new QuickInputs(
      { pick: `docs-model`, button: 'Change Key…' },
      'back',
      { pick: `docs-model`, button: 'Change Key…' },
      { texts: ['sk-bad', rightKey] },
    );
    await command('chooseAgent');
    assert.deepEqual(inputs.told, []);
    assert.deepEqual(
      inputs.asked.map(({ password }) => password),
      [false, true, false, true],
      'Back leads to the list',
    );
    assert.equal(inputs.asked.at(-1)?.refusals.length, 1);
    assert.equal(await context.secrets.get(name), rightKey);
    assert.ok(provider);
    assert.equal(ofUser('agent'), 'rules');
  });

  it('goes back to the list from everything that is asked from there', async () => {
    await addModel(rightKey);
    const [provider] = ofUser<{ name: string }[]>('modelProviders') ?? [];
    assert.ok(provider);
    using inputs = new QuickInputs(
      { pick: anyModel },
      'back',
      { pick: 'by its command' },
      'back',
      { pick: 'Manage' },
      { pick: provider.name },
      { pick: 'address…' },
      'back',
      'back',
      'back',
      'close',
    );
    await command('chooseAgent');
    assert.deepEqual(
      inputs.asked.map(({ title }) => title),
      [
        'Choose Agent',
        'Add a Language Model',
        'Choose Agent',
        'Add an Agent Command',
        'Choose Agent',
        'Manage Providers and Keys',
        'Manage Providers and Keys',
        provider.name,
        'Manage Providers and Keys',
        'Manage Providers and Keys',
        'Choose Agent',
      ],
    );
    assert.equal(ofUser('agentCommands'), undefined);
  });

  it('takes agents, addresses and commands from nobody but the user', async () => {
    const workspace = vscode.ConfigurationTarget.Workspace;
    const file = vscode.Uri.joinPath(
      vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail(),
      '.vscode',
      'settings.json',
    );
    const hostile = {
      'docsAgent.agent': 'acp:evil',
      'docsAgent.agentCommands': [{ id: 'evil', name: 'Evil', command: '/tmp/evil', args: [] }],
      'docsAgent.modelProviders': [
        { id: 'evil', name: 'Evil', kind: 'anthropic', baseUrl: model.url, models: ['docs-model'] },
      ],
    };
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(JSON.stringify(hostile)));
    try {
      await assert.rejects(Promise.resolve(settings().update('agent', 'acp:evil', workspace)));
      using inputs = new QuickInputs('close', { texts: ['Fix broken links'] });
      await command('chooseAgent');
      const labels = inputs.asked[0]?.labels ?? [];
      assert.ok(labels.length > 0);
      assert.ok(!labels.some((label) => /evil/i.test(label)), labels.join('\n'));
      const ending = endOfJob(ledgerFolder);
      await command('createJob');
      assert.equal((await ending).agent, 'rules');
    } finally {
      await vscode.workspace.fs.delete(vscode.Uri.joinPath(file, '..'), { recursive: true });
    }
  });

  it('says of a setting that names no agent how to choose one, and keeps the prompt', async () => {
    await setOfUser('agent', 'gpt-5');
    using inputs = new QuickInputs({ texts: ['Fix broken links'] }, { leave: '' });
    await command('createJob');
    assert.equal(inputs.told.length, 1);
    assert.match(inputs.told[0] ?? '', /docsAgent\.agent.*Choose one/s);
    await command('createJob');
    assert.equal(inputs.asked[1]?.value, 'Fix broken links');
  });

  it('keeps what somebody wrote into the settings by hand', async () => {
    const byHand = { id: 'half', nmae: 'a slip of the pen' };
    await setOfUser('modelProviders', [byHand]);
    await addModel(rightKey);
    const all = ofUser<{ id: string }[]>('modelProviders') ?? [];
    assert.equal(all.length, 2);
    assert.deepEqual(all[0], byHand);
  });

  it('tells a hosted service of no agent', async () => {
    await using service = await startHostedService();
    await setOfUser('agent', 'model:x/y');
    await setOfUser('service.baseUrl', service.url);
    const origin = new URL(service.url).origin;
    await context.secrets.store(`docsAgent.apiKey:${origin}`, service.apiKey);
    await setOfUser('projectId', service.projectId);
    try {
      using inputs = new QuickInputs({ texts: ['Fix broken links'] });
      await command('createJob');
      assert.deepEqual(inputs.told, []);
      const create = service.requests.find(({ method }) => method === 'POST');
      assert.deepEqual(JSON.parse(create?.body ?? ''), { prompt: 'Fix broken links' });
      using choose = new QuickInputs();
      await command('chooseAgent');
      assert.deepEqual(choose.asked, []);
      assert.match(choose.told[0] ?? '', /has its own agent/);
    } finally {
      await setOfUser('projectId', undefined);
      await context.secrets.delete(`docsAgent.apiKey:${origin}`);
    }
  });
});
