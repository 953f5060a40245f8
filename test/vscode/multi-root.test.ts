import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { QuickInputs } from '../support/quick-inputs.ts';

describe('A window with several folders', () => {
  it('has the extension and both folders', async () => {
    const names = vscode.workspace.workspaceFolders?.map((folder) => folder.name);
    assert.deepEqual(names, ['docs-site', 'api-docs']);
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    assert.ok((await vscode.commands.getCommands()).includes('docsAgent.createJob'));
  });

  it('asks which docs project a job is for', async () => {
    using inputs = new QuickInputs({ pick: 'api-docs' });
    await vscode.commands.executeCommand('docsAgent.createJob');
    const [which] = inputs.asked;
    assert.equal(which?.steps, '1/2');
    assert.deepEqual(which?.labels, ['docs-site', 'api-docs']);
    // The folder is in no repository, which is said before the prompt is asked for.
    assert.equal(inputs.asked.length, 1);
    assert.match(inputs.told.join(), /not in a git repository/);
  });

  it('does not ask when a page says it', async () => {
    const folder = vscode.workspace.workspaceFolders?.[1];
    assert.ok(folder);
    using inputs = new QuickInputs();
    await vscode.commands.executeCommand(
      'docsAgent.createJobFromEditor',
      vscode.Uri.joinPath(folder.uri, 'docs', 'index.md'),
    );
    assert.deepEqual(inputs.asked, []);
    assert.match(inputs.told.join(), /not in a git repository/);
  });
});
