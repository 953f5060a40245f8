import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { QuickInputs } from '../support/quick-inputs.ts';

describe('A window without a folder', () => {
  it('has the extension and its commands', async () => {
    assert.equal(vscode.workspace.workspaceFolders, undefined);
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    assert.ok((await vscode.commands.getCommands()).includes('docsAgent.createJob'));
  });

  it('says that a folder is needed before it asks for anything', async () => {
    using inputs = new QuickInputs({ texts: ['Fix broken links'] });
    await vscode.commands.executeCommand('docsAgent.createJob');
    assert.deepEqual(inputs.asked, []);
    assert.match(inputs.told.join(), /Open the folder of your docs project/);
  });
});
