import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('The extension in VS Code', () => {
  it('activates', async () => {
    const extension = vscode.extensions.getExtension('docs-agent.docs-agent');
    assert.ok(extension, 'VS Code did not find the extension');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });
});
