import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { CheckConsent } from '../../src/extension/check-consent.ts';
import { extensionContext, Session } from '../support/extension-session.ts';
import { MemoryState } from '../support/memory-storage.ts';
import { QuickInputs } from '../support/quick-inputs.ts';

const folder = (): vscode.Uri => vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail();
const file = (): string => path.join(folder().fsPath, '.docs-agent.json');
const names = (settings: unknown): Promise<void> =>
  writeFile(file(), typeof settings === 'string' ? settings : JSON.stringify(settings));

/** What stands below the question of a modal message, which `QuickInputs` does not keep. */
function details(): { readonly texts: string[] } & Disposable {
  const before = vscode.window.showWarningMessage;
  const texts: string[] = [];
  const noting = async (...all: unknown[]): Promise<unknown> => {
    const options = all[1] as vscode.MessageOptions;
    assert.equal(options.modal, true);
    texts.push(options.detail ?? '');
    return (before as (...rest: unknown[]) => Promise<unknown>)(...all);
  };
  Object.assign(vscode.window, { showWarningMessage: noting });
  return {
    texts,
    [Symbol.dispose]: () => void Object.assign(vscode.window, { showWarningMessage: before }),
  };
}

describe('A check command that a repository names', () => {
  let state: MemoryState;
  let consent: CheckConsent;

  beforeEach(() => {
    state = new MemoryState();
    consent = new CheckConsent(state);
  });
  afterEach(() => rm(file(), { force: true }));

  /** What may run, and whether somebody was asked, when they press a button or close the question. */
  async function ask(press?: string, by = consent): Promise<[command: string | undefined, asked: number]> {
    using inputs = new QuickInputs();
    inputs.press = press;
    return [await by.allowedCommand(folder()), inputs.told.length];
  }

  it('is asked for once, as it is written, and then runs', async () => {
    const command = 'npm run docs -- --strict "{0}" [x](command:y)';
    await names({ check: command });
    using inputs = new QuickInputs();
    inputs.press = 'Allow';
    using shown = details();
    assert.equal(await consent.allowedCommand(folder()), command);
    const [text = '', ...more] = shown.texts;
    assert.deepEqual(more, []);
    assert.ok(text.startsWith(`${command}\n`), text);
    assert.match(text, /\.docs-agent\.json/);
    assert.deepEqual(await ask(), [command, 0]);
    assert.deepEqual(await ask(undefined, new CheckConsent(state)), [command, 0], 'in every window');
  });

  it('is asked for again when it changes', async () => {
    await names({ check: 'vale docs' });
    assert.deepEqual(await ask('Allow'), ['vale docs', 1]);
    await names({ check: 'vale docs ; evil' });
    assert.deepEqual(await ask(), [undefined, 1]);
    await names({ check: 'vale docs' });
    assert.deepEqual(await ask(), ['vale docs', 0], 'the allowed one still is');
  });

  it('does not run when it is put off, and another window asks again', async () => {
    await names({ check: 'vale docs' });
    assert.deepEqual(await ask('Not Now'), [undefined, 1]);
    assert.deepEqual(await ask('Allow'), [undefined, 0], 'not at every job');
    assert.deepEqual(await ask(undefined, new CheckConsent(state)), [undefined, 1]);
    assert.deepEqual(consent.decisions(), []);
    await names({ check: 'other' });
    assert.deepEqual(await ask(), [undefined, 1]);
  });

  it('never runs in a project where a person wants none, whatever it becomes', async () => {
    await names({ check: 'vale docs' });
    assert.deepEqual(await ask('Never for This Project'), [undefined, 1]);
    await names({ check: 'another' });
    assert.deepEqual(await ask('Allow'), [undefined, 0]);
    const [decision, ...more] = consent.decisions();
    assert.deepEqual([decision?.isAllowed, more], [false, []]);
    await consent.forget(decision?.folder ?? '');
    assert.deepEqual(await ask('Allow'), ['another', 1]);
    assert.deepEqual(
      consent.decisions().map(({ isAllowed }) => isAllowed),
      [true],
    );
  });

  for (const [what, settings] of [
    ['no file', undefined],
    ['a file that is no JSON', '{ check: '],
    ['a file without it', {}],
    ['a list', { check: ['rm', '-rf'] }],
    ['two lines', { check: 'vale docs\nrm -rf ~' }],
    ['a command with invisible signs', { check: 'vale \u202edocs' }],
    ['a command that is only spaces', { check: '   ' }],
    ['a command that nobody reads to its end', { check: 'x'.repeat(1001) }],
  ] as const) {
    it(`is not asked for: ${what}`, async () => {
      if (settings !== undefined) await names(settings);
      assert.deepEqual(await ask('Allow'), [undefined, 0]);
    });
  }

  it('goes to the local service only when it is allowed', async () => {
    const context = await extensionContext();
    const sent: string[] = [];
    const { fetch } = globalThis;
    const session = new Session(context);
    const noting = globalThis.fetch;
    Object.assign(globalThis, {
      fetch: async (...args: Parameters<typeof fetch>) => {
        const request = new Request(...args);
        if (request.method === 'PUT' && request.url.includes('/v2/projects/'))
          sent.push(await request.clone().text());
        return noting(...args);
      },
    });
    const create = async (press?: string): Promise<unknown> => {
      using inputs = new QuickInputs({ texts: ['Fix broken links'] }, { pick: 'Create Anyway' });
      inputs.press = press;
      await vscode.commands.executeCommand('docsAgent.createJob');
      return (JSON.parse(sent.at(-1) ?? '{}') as { allowedCheck?: string }).allowedCheck;
    };
    try {
      await session.ready;
      await names({ check: 'echo checked' });
      assert.equal(await create(), undefined);
      await names({ check: 'echo again' });
      assert.equal(await create('Allow'), 'echo again');
      assert.equal(sent.length, 2);
    } finally {
      const decisions = new CheckConsent(context.globalState);
      for (const decision of decisions.decisions()) await decisions.forget(decision.folder);
      Object.assign(globalThis, { fetch: noting });
      await session[Symbol.asyncDispose]();
      await rm(path.join(context.globalStorageUri.fsPath, 'jobs'), { recursive: true, force: true });
    }
  });
});
