import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('A window with several folders', () => {
  it('has the extension and both folders', async () => {
    const names = vscode.workspace.workspaceFolders?.map((folder) => folder.name);
    assert.deepEqual(names, ['docs-site', 'api-docs']);
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    assert.ok((await vscode.commands.getCommands()).includes('docsAgent.createJob'));
  });
});
