import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Restricted Mode', () => {
  it('still lets the extension show its jobs', async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    assert.ok((await vscode.commands.getCommands()).includes('docsAgent.refresh'));
  });
});
