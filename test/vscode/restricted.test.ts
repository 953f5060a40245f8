import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { QuickInputs } from '../support/quick-inputs.ts';

describe('Restricted Mode', () => {
  it('still lets the extension show its jobs', async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
    assert.ok((await vscode.commands.getCommands()).includes('docsAgent.refresh'));
  });

  it('creates no job and begins no prompt, and says what to do', async () => {
    for (const name of ['createJob', 'createJobFromEditor', 'watchJob', 'chooseAgent']) {
      using inputs = new QuickInputs({ texts: ['Fix broken links'] });
      await vscode.commands.executeCommand(`docsAgent.${name}`);
      assert.deepEqual(inputs.asked, [], name);
      assert.equal(inputs.told.length, 1, name);
      assert.match(inputs.told[0] ?? '', /Restricted Mode/, name);
    }
  });
});
