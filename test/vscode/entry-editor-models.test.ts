import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { EditorModels } from '../../src/extension/editor-models.ts';
import { UserError } from '../../src/extension/user-error.ts';
import { endOfJob, extensionContext, Session } from '../support/extension-session.ts';
import { QuickInputs } from '../support/quick-inputs.ts';

const command = (name: string): Thenable<unknown> => vscode.commands.executeCommand(`docsAgent.${name}`);
const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('docsAgent');
const signal = new AbortController().signal;

type Asked = readonly vscode.LanguageModelChatRequestMessage[];
type Reply = (
  messages: Asked,
  tools: readonly string[],
  token: vscode.CancellationToken,
) => readonly vscode.LanguageModelResponsePart[] | Promise<readonly vscode.LanguageModelResponsePart[]>;

/** A language model that another extension brings, and that says what a test wants. */
class ScriptedProvider implements vscode.LanguageModelChatProvider {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;
  readonly asked: Asked[] = [];
  readonly tools: (readonly string[])[] = [];
  reply: Reply = () => [new vscode.LanguageModelTextPart('OK')];
  models: readonly string[] = ['writer-1'];

  change(...models: string[]): void {
    this.models = models;
    this.#changed.fire();
  }

  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    return this.models.map((id) => ({
      id,
      name: `Writer ${id}`,
      family: 'writer',
      version: '1',
      maxInputTokens: 100_000,
      maxOutputTokens: 10_000,
      capabilities: { toolCalling: true },
    }));
  }

  async provideLanguageModelChatResponse(
    _model: vscode.LanguageModelChatInformation,
    messages: Asked,
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    this.asked.push(messages);
    const tools = (options.tools ?? []).map(({ name }) => name);
    this.tools.push(tools);
    for (const part of await this.reply(messages, tools, token)) progress.report(part);
  }

  async provideTokenCount(): Promise<number> {
    return 1;
  }
}

const call = (id: string, name: string, input: object): vscode.LanguageModelToolCallPart =>
  new vscode.LanguageModelToolCallPart(id, name, input);

describe('The editor’s own models', () => {
  let context: vscode.ExtensionContext;
  let provider: ScriptedProvider;
  let registration: vscode.Disposable;
  let models: EditorModels;

  before(async function () {
    context = await extensionContext();
    const other = vscode.extensions.getExtension<{ vscode: typeof vscode }>('docs-agent-tests.test-models');
    // A desktop editor keeps its extensions elsewhere.
    if (other === undefined) this.skip();
    const editor = (await other.activate()).vscode;
    provider = new ScriptedProvider();
    registration = editor.lm.registerLanguageModelChatProvider('scripted', provider);
    models = new EditorModels(context.languageModelAccessInformation);
  });
  after(() => {
    registration?.dispose();
  });
  beforeEach(() => {
    provider.reply = () => [new vscode.LanguageModelTextPart('OK')];
    provider.asked.length = 0;
    provider.tools.length = 0;
  });

  const only = async (): Promise<string> => {
    const [model, ...more] = (await models.list()).filter(({ vendor }) => vendor === 'scripted');
    assert.ok(model, 'the editor does not tell of the model');
    assert.deepEqual(more, []);
    return model.id;
  };
  const askAgain = new EditorModels({ canSendRequest: () => undefined, onDidChange: () => registration });

  it('are listed as a service takes them', async () => {
    const id = await only();
    const found = (await models.list()).find((model) => model.id === id);
    assert.equal(found?.name, 'Writer writer-1');
    assert.ok(found.maxInputTokens > 0);
  });

  it('are asked once with a short question, where the editor has not let us yet', async () => {
    await askAgain.askConsent(await only(), signal);
    assert.equal(provider.asked.length, 1);
    await models.askConsent(await only(), signal);
    assert.equal(provider.asked.length, 1, 'who may already is not asked');
  });

  it('that a person refuses, or that are gone, have a sentence with what to do', async () => {
    provider.reply = () => {
      throw vscode.LanguageModelError.NoPermissions('The person said no');
    };
    const id = await only();
    const says =
      (words: RegExp) =>
      (error: unknown): boolean =>
        error instanceof UserError && words.test(error.message) && error.remedies.includes('chooseAgent');
    await assert.rejects(askAgain.askConsent(id, signal), says(/may not use this model|cannot be used/));
    await assert.rejects(models.askConsent('scripted/gone', signal), says(/not in the editor now/));
  });

  it('answer with text and tool calls, and are asked with results', async () => {
    provider.reply = () => [
      new vscode.LanguageModelTextPart('I '),
      new vscode.LanguageModelTextPart('look.'),
      call('c1', 'read_file', { path: 'a.md' }),
    ];
    let signs = 0;
    const answer = await models.answer(
      {
        id: 'r',
        model: await only(),
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'Do it.' }] },
          { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c0', name: 'list', input: {} }] },
          { role: 'user', parts: [{ type: 'tool-result', callId: 'c0', text: 'a.md' }] },
        ],
        tools: [{ name: 'read_file', description: 'Reads', inputSchema: { type: 'object' } }],
      },
      signal,
      () => signs++,
    );
    assert.deepEqual(answer, {
      kind: 'done',
      parts: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', callId: 'c1', name: 'read_file', input: { path: 'a.md' } },
      ],
    });
    assert.ok(signs > 0);
    assert.deepEqual(provider.tools, [['read_file']]);
    const [messages] = provider.asked;
    assert.deepEqual(
      messages?.map(({ role }) => role),
      [
        vscode.LanguageModelChatMessageRole.User,
        vscode.LanguageModelChatMessageRole.Assistant,
        vscode.LanguageModelChatMessageRole.User,
      ],
    );
    const kinds = [
      vscode.LanguageModelTextPart,
      vscode.LanguageModelToolCallPart,
      vscode.LanguageModelToolResultPart,
    ];
    for (const [at, kind] of kinds.entries())
      assert.ok(messages?.[at]?.content[0] instanceof kind, String(at));
  });

  it('are waited for no longer when nobody waits for their answer', async () => {
    const stop = new AbortController();
    const end = Promise.withResolvers<void>();
    let isTold = false;
    provider.reply = async (_messages, _tools, token) => {
      token.onCancellationRequested(() => {
        isTold = true;
        end.resolve();
      });
      stop.abort();
      await end.promise;
      return [];
    };
    const answer = await models.answer(
      {
        id: 'r',
        model: await only(),
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }],
        tools: [],
      },
      stop.signal,
      () => undefined,
    );
    assert.equal(answer.kind, 'failed');
    // The oldest editor tells the provider nothing.
    if (!vscode.version.startsWith('1.105.')) await end.promise;
    end.resolve();
    assert.equal(isTold, !vscode.version.startsWith('1.105.'));
  });

  it('write in a job of the local service, and a job whose model has gone says why', async () => {
    const id = await only();
    const ledgerFolder = path.join(context.globalStorageUri.fsPath, 'jobs');
    const session = new Session(context);
    let step = 0;
    provider.reply = (_, tools) => {
      if (!tools.includes('edit_file')) return [new vscode.LanguageModelTextPart('OK')];
      step++;
      const edits = [{ oldText: 'To log in', newText: 'To sign in' }];
      return step === 1
        ? [call('c1', 'edit_file', { path: 'docs/setup.md', edits })]
        : [call('c2', 'finish', { title: 'Say sign in', summary: 'Changed a page.' })];
    };
    try {
      await session.ready;
      using inputs = new QuickInputs(
        { pick: 'Writer writer-1' },
        { texts: ['Say sign in on the page of set-up'] },
      );
      await command('chooseAgent');
      assert.deepEqual(inputs.told, []);
      assert.equal(settings().inspect('agent')?.globalValue, `editor:${id}`);
      const ending = endOfJob(ledgerFolder);
      await command('createJob');
      assert.deepEqual(inputs.told, []);
      const ended = await ending;
      assert.equal(ended.job?.status, 'completed', JSON.stringify(ended));
      assert.equal(ended.agent, `editor:${id}`);
      assert.match(ended.job.model ?? '', /writer-1/);
      assert.equal(step, 2);

      provider.change();
      using gone = new QuickInputs({ texts: ['Say it again'] }, { leave: '' });
      await command('createJob');
      assert.equal(gone.told.length, 1);
      assert.match(gone.told[0] ?? '', /not in the editor now/);
      await command('createJob');
      assert.equal(gone.asked[1]?.value, 'Say it again', 'the prompt is kept');
    } finally {
      await settings().update('agent', undefined, vscode.ConfigurationTarget.Global);
      await session[Symbol.asyncDispose]();
      await rm(ledgerFolder, { recursive: true, force: true });
      provider.change('writer-1');
    }
    assert.equal(session.timers.size, 0);
  });
});
