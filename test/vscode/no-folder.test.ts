import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('A window without a folder', () => {
  it('has the extension and its commands', async () => {
    assert.equal(vscode.workspace.workspaceFolders, undefined);
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    assert.ok((await vscode.commands.getCommands()).includes('docsAgent.createJob'));
  });
});
