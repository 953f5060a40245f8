import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { startHostedService, type HostedService } from '../support/hosted-service.ts';
import { QuickInputs } from '../support/quick-inputs.ts';

const projectId = 'kept-prompts';
const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('docsAgent');
const command = (name: string, ...args: unknown[]): Thenable<unknown> =>
  vscode.commands.executeCommand(`docsAgent.${name}`, ...args);

async function choose(service: HostedService): Promise<void> {
  await settings().update('service.baseUrl', service.url, vscode.ConfigurationTarget.Global);
  await settings().update('projectId', projectId, vscode.ConfigurationTarget.Global);
  using inputs = new QuickInputs({ texts: [service.apiKey] });
  await command('setApiKey');
  assert.equal(inputs.asked.length, 1);
}

const posts = (service: HostedService): unknown[] =>
  service.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as unknown);

describe('A prompt', () => {
  before(async () => {
    await vscode.extensions.getExtension('docs-agent.docs-agent')?.activate();
  });

  afterEach(async () => {
    using inputs = new QuickInputs();
    await command('removeApiKey');
    assert.deepEqual(inputs.told, []);
    await settings().update('service.baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('projectId', undefined, vscode.ConfigurationTarget.Global);
  });

  it('in an editor tab is sent once, however often the keys are pressed', async () => {
    await using service = await startHostedService({ projectId });
    await choose(service);
    using inputs = new QuickInputs({ press: 'Write in an Editor Tab' }, { pick: 'Create Anyway' });
    await command('createJob');
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor?.document.isUntitled);
    const whole = new vscode.Range(0, 0, editor.document.lineCount, 0);
    await editor.edit((edit) => edit.replace(whole, 'Tidy Markdown'));
    await Promise.all([command('submitPrompt'), command('submitPrompt')]);
    assert.deepEqual(inputs.told, []);
    assert.deepEqual(posts(service), [{ prompt: 'Tidy Markdown' }]);
    assert.equal(editor.document.isClosed, true);
  });

  it('of a follow-up whose answer was lost is there again, and only there', async () => {
    await using service = await startHostedService({ projectId });
    await choose(service);
    {
      using inputs = new QuickInputs({ texts: ['Fix broken links'] }, { pick: 'Create Anyway' });
      await command('createJob');
      assert.deepEqual(inputs.told, []);
    }
    {
      using inputs = new QuickInputs({ leave: 'Half a thought' });
      await command('createJob');
      assert.equal(inputs.asked.length, 1);
    }
    service.fail({ kind: 'reset', performed: false }, 'message');
    {
      using inputs = new QuickInputs({ texts: ['Also in the guides'] });
      await command('followUp');
      assert.match(inputs.told.join(), /may have arrived/);
    }
    using again = new QuickInputs('close', { leave: '' });
    await command('followUp');
    await command('createJob');
    assert.deepEqual(
      again.asked.map(({ value }) => value),
      ['Also in the guides', 'Half a thought'],
    );
  });
});
