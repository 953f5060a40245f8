import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../../src/extension/command-table.ts';
import { entryFileStem, writeEntryFile } from '../../src/extension/entry-file.ts';
import { entryKey } from '../../src/extension/job-entry.ts';
import { endOfJob, extensionContext, Session } from '../support/extension-session.ts';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { anEntry } from '../support/job-entries.ts';
import { snapshotRepository } from '../support/repositories.ts';

describe('The extension’s program', () => {
  let context: vscode.ExtensionContext;
  let ledgerFolder: string;
  let service: HostedService;
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('docsAgent');

  before(async () => {
    context = await extensionContext();
    ledgerFolder = path.join(context.globalStorageUri.fsPath, 'jobs');
    service = await startHostedService();
    service.script({ looks: Number.POSITIVE_INFINITY, end: 'active' });
  });
  after(() => service?.[Symbol.asyncDispose]());
  afterEach(async () => {
    await settings().update('service.baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await rm(ledgerFolder, { recursive: true, force: true });
  });

  it('has all commands at once, asks nobody, reads no secret and leaves no timer', async () => {
    await settings().update('service.baseUrl', service.url, vscode.ConfigurationTarget.Global);
    const session = new Session(context);
    try {
      // Asked for in the same breath, before anything that the start awaits.
      const commands = vscode.commands.getCommands(true);
      await session.ready;
      const known = await commands;
      assert.deepEqual(
        Object.values(commandIds).filter((id) => !known.includes(id)),
        [],
      );
      assert.deepEqual(session.secretsRead, []);
      assert.deepEqual(session.requests, []);
    } finally {
      await session[Symbol.asyncDispose]();
    }
    assert.equal(session.timers.size, 0);
    assert.equal(service.requests.length, 0);
  });

  it('looks at an active job of the ledger with its key, and lets go of everything at the end', async () => {
    const origin = new URL(service.url).origin;
    const created = await fetch(`${service.url}/v2/agent/${service.projectId}/job`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: '{"prompt":"Go on"}',
    });
    const { id } = (await created.json()) as { id: string };
    const entry = anEntry({
      service: origin,
      projectId: service.projectId,
      id,
      createdAt: Date.now() - 60_000,
    });
    await mkdir(ledgerFolder, { recursive: true });
    await writeFile(path.join(ledgerFolder, `${entryFileStem(entryKey(entry))}.json`), writeEntryFile(entry));
    await context.secrets.store(`docsAgent.apiKey:${origin}`, service.apiKey);

    const session = new Session(context);
    try {
      await service.received('get', 1);
      assert.equal(service.requests.at(-1)?.headers.authorization, `Bearer ${service.apiKey}`);
      assert.ok(session.timers.size > 0, 'the timers of a session are not seen, so the test is blind');
    } finally {
      await session[Symbol.asyncDispose]();
      await context.secrets.delete(`docsAgent.apiKey:${origin}`);
    }
    assert.equal(session.timers.size, 0);
  });

  it('takes a prompt from an editor tab to a pull request at the local service', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const before = snapshotRepository(folder.uri.fsPath);
    const session = new Session(context);
    try {
      await session.ready;
      const page = vscode.Uri.joinPath(folder.uri, 'docs', 'setup.md');
      const editor = await vscode.window.showTextDocument(page);
      editor.selection = new vscode.Selection(0, 0, 3, 0);
      await vscode.commands.executeCommand('docsAgent.createJobFromEditor');
      const prompt = vscode.window.activeTextEditor?.document;
      assert.ok(prompt?.isUntitled && prompt.getText().includes('setup.md, lines 1–3'), prompt?.getText());
      const edit = new vscode.WorkspaceEdit();
      const all = new vscode.Range(0, 0, prompt.lineCount, 0);
      edit.replace(prompt.uri, all, 'Replace "log in" with "sign in"\nFix broken links');
      await vscode.workspace.applyEdit(edit);
      await vscode.commands.executeCommand('docsAgent.submitPrompt');
      assert.ok(prompt.isClosed, 'the tab of a sent prompt closes');

      const ended = await endOfJob(ledgerFolder);
      assert.equal(ended.job?.status, 'completed', JSON.stringify(ended));
      assert.match(ended.job.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\//);
      assert.match(ended.prompt, /^Replace "log in"[^]*broken links$/);
    } finally {
      await session[Symbol.asyncDispose]();
    }
    assert.equal(session.timers.size, 0);
    assert.equal(snapshotRepository(folder.uri.fsPath), before);
  });
});
