import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { linkHandler } from '../../src/extension/create-from-editor.ts';
import { PromptDocuments } from '../../src/extension/prompt-documents.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { MemoryState } from '../support/memory-storage.ts';
import { QuickInputs } from '../support/quick-inputs.ts';

const run = promisify(execFile);
const settings = (): vscode.WorkspaceConfiguration =>
  vscode.workspace.getConfiguration('docsAgent', folder().uri);
const command = (name: string, ...args: unknown[]): Thenable<unknown> =>
  vscode.commands.executeCommand(`docsAgent.${name}`, ...args);

function folder(): vscode.WorkspaceFolder {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first);
  return first;
}

async function git(...args: string[]): Promise<void> {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgSign=false',
  ];
  await run('git', [...identity, ...args], { cwd: folder().uri.fsPath });
}

/** What is not saved is given up: nobody is there to answer the dialog. */
async function closeEditors(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || document.isClosed) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/** The hosted stand-in is chosen, as by a person's own settings. */
async function choose(service: HostedService): Promise<void> {
  await settings().update('service.baseUrl', service.url, vscode.ConfigurationTarget.Global);
}

describe('Creating a job', () => {
  before(async () => {
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    await git('init', '-q', '-b', 'main');
    await git('add', '.');
    await git('commit', '-q', '-m', 'Pages');
  });

  afterEach(async () => {
    await settings().update('service.baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await closeEditors();
    await rm(path.join(folder().uri.fsPath, '.vscode'), { recursive: true, force: true });
  });

  it('at a hosted service asks for key, project and prompt, and sends the prompt', async () => {
    await using service = await startHostedService();
    await choose(service);
    using inputs = new QuickInputs(
      { texts: ['mint_dsc_assistant', service.apiKey] },
      { texts: ['not an id!', service.projectId] },
      { texts: ['  ', 'Document the retry option'] },
    );
    await command('createJob');
    assert.deepEqual(inputs.told, []);
    assert.deepEqual(
      inputs.asked.map(({ steps }) => steps),
      ['1/3', '2/3', '3/3'],
    );
    const [key, project, prompt] = inputs.asked;
    assert.equal(key?.password, true);
    assert.match(key?.refusals[0] ?? '', /assistant key/);
    assert.equal(project?.refusals.length, 1);
    assert.equal(prompt?.refusals.length, 1);
    assert.deepEqual(
      service.requests
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => JSON.parse(body) as unknown),
      [{ prompt: 'Document the retry option' }],
    );
    assert.equal(service.requests[0]?.headers.authorization, `Bearer ${service.apiKey}`);

    // What the person typed is known now, so only the prompt is asked for.
    using again = new QuickInputs({ texts: ['Once more'] });
    await command('createJob');
    assert.deepEqual(
      again.asked.map(({ steps }) => steps),
      [''],
    );
    assert.equal(service.jobIds.length, 2);

    await command('copyJobId');
    assert.ok(service.jobIds.includes(await vscode.env.clipboard.readText()));
    await command('removeApiKey');
  });

  it('goes back to the question before', async () => {
    await using service = await startHostedService();
    await choose(service);
    await settings().update('projectId', undefined, vscode.ConfigurationTarget.WorkspaceFolder);
    using inputs = new QuickInputs({ texts: [service.apiKey] }, 'back', 'close');
    await command('createJob');
    assert.deepEqual(
      inputs.asked.map(({ steps }) => steps),
      ['1/3', '2/3', '1/3'],
    );
    assert.equal(service.requests.length, 0);
  });

  it('asks once whether a project id that came with the workspace is the right one', async () => {
    await using service = await startHostedService({ projectId: 'from-the-repository' });
    await choose(service);
    await settings().update('projectId', 'from-the-repository', vscode.ConfigurationTarget.WorkspaceFolder);
    {
      using inputs = new QuickInputs({ texts: [service.apiKey] }, { texts: ['Fix links'] });
      await command('createJob');
      assert.match(inputs.told.join(), /from-the-repository/);
      assert.equal(service.requests.length, 0);
    }
    using inputs = new QuickInputs({ texts: ['Fix links'] });
    inputs.press = 'Use This Project';
    await command('createJob');
    assert.equal(inputs.told.length, 1);
    using again = new QuickInputs({ texts: ['Tidy'] });
    await command('createJob');
    assert.deepEqual(again.told, []);
    assert.equal(service.jobIds.length, 2);
    await command('removeApiKey');
  });

  it('takes no address of a service from the workspace', async () => {
    await using service = await startHostedService();
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(folder().uri, '.vscode'));
    const file = path.join(folder().uri.fsPath, '.vscode', 'settings.json');
    await writeFile(file, JSON.stringify({ 'docsAgent.service.baseUrl': service.url }));
    using inputs = new QuickInputs('close');
    await command('createJob');
    // The local service needs neither key nor project id: the prompt is the only question.
    assert.deepEqual(
      inputs.asked.map(({ password, steps }) => [password, steps]),
      [[false, '']],
    );
    assert.equal(service.requests.length, 0);
  });

  it('says once that a job may have started when the answer was lost, and does not repeat it', async () => {
    await using service = await startHostedService({ projectId: 'lost' });
    await choose(service);
    await settings().update('projectId', 'lost', vscode.ConfigurationTarget.Global);
    service.fail({ kind: 'reset', performed: true });
    using inputs = new QuickInputs({ texts: [service.apiKey] }, { texts: ['Tidy Markdown'] });
    await command('createJob');
    assert.equal(inputs.told.length, 1);
    assert.match(inputs.told[0] ?? '', /may have started/);
    assert.equal(service.requests.filter(({ method }) => method === 'POST').length, 1);
    await settings().update('projectId', undefined, vscode.ConfigurationTarget.Global);
    await command('removeApiKey');
  });

  it('keeps what was typed when the box is closed', async () => {
    using inputs = new QuickInputs({ leave: 'Half a sentence' }, 'close', { leave: '' }, 'close');
    await command('createJob');
    await command('createJob');
    assert.equal(inputs.asked[1]?.value, 'Half a sentence');
    await command('createJob');
    await command('createJob');
    assert.equal(inputs.asked[3]?.value, '', 'what was deleted stays deleted');
  });

  it('goes on in an editor tab when a line is too short', async () => {
    using inputs = new QuickInputs({ press: 'Write in an Editor Tab' });
    await command('createJob');
    assert.equal(inputs.asked.length, 1);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.isUntitled, true);
    assert.equal(editor?.document.languageId, 'markdown');
  });

  it('from a selection writes it into a prompt of its own, which the local service takes', async () => {
    const page = vscode.Uri.joinPath(folder().uri, 'docs', 'index.md');
    const editor = await vscode.window.showTextDocument(page);
    editor.selection = new vscode.Selection(0, 0, 2, 5);
    await command('createJobFromEditor');
    const prompt = vscode.window.activeTextEditor;
    assert.ok(prompt?.document.isUntitled);
    assert.match(prompt.document.getText(), /docs\/index\.md, lines 1–3/);
    assert.match(prompt.document.getText(), /^> # docs-site$/m);

    const whole = new vscode.Range(0, 0, prompt.document.lineCount, 0);
    await prompt.edit((edit) => edit.replace(whole, 'Replace "log in" with "sign in"'));
    using inputs = new QuickInputs({ pick: 'Create Anyway' });
    await command('submitPrompt');
    assert.deepEqual(inputs.told, []);
    assert.equal(prompt.document.isClosed, true);
  });

  it('tells which pages a job will not see', async () => {
    const page = vscode.Uri.joinPath(folder().uri, 'docs', 'index.md');
    const editor = await vscode.window.showTextDocument(page);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'Not saved. '));
    using inputs = new QuickInputs({ texts: ['Fix broken links'] }, 'close');
    await command('createJob');
    assert.match(inputs.asked.at(-1)?.text ?? '', /works on what is committed.*1 file has changes/s);
    assert.ok(inputs.asked.at(-1)?.labels.some((label) => label.includes('Save and Show Changes')));
  });

  it('from a link only shows the prompt, all of it', async () => {
    const documents = new PromptDocuments(new MemoryState());
    try {
      using inputs = new QuickInputs({ texts: ['never'] });
      const handler = linkHandler(documents, (error) => assert.fail(String(error)));
      const uri = vscode.Uri.parse(
        `${vscode.env.uriScheme}://docs-agent.docs-agent/createJob?prompt=${encodeURIComponent('Fix a & b --> <!-- c\u202e')}`,
      );
      await handler.handleUri(uri);
      const text = vscode.window.activeTextEditor?.document.getText() ?? '';
      assert.match(text, /came with a link/);
      assert.match(text, /^Fix a & b {3}c$/m);
      assert.deepEqual(inputs.asked, []);
    } finally {
      documents.dispose();
    }
  });
});
