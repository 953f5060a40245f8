import * as vscode from 'vscode';
import { UserError } from './user-error.ts';

/** Menus and the keybinding of prompt documents look here. */
const contextName = 'docsAgent.promptDocuments';
const stateName = 'docsAgent.promptDocuments';

/** Documents are found again after a reload, because VS Code brings back what was not saved. */
type Known = Readonly<Record<string, string | null>>;

/**
 * Prompts that want more room than a line: untitled Markdown documents with a “Create Job” action. Each
 * remembers the folder that it was begun for.
 */
export class PromptDocuments implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #closing: vscode.Disposable;
  #known: Known;

  constructor(state: vscode.Memento) {
    this.#state = state;
    const open = new Set(openTabs().map((uri) => uri.toString()));
    const before = state.get<Known>(stateName) ?? {};
    this.#known = Object.fromEntries(Object.entries(before).filter(([uri]) => open.has(uri)));
    this.#closing = vscode.workspace.onDidCloseTextDocument((document) => {
      // A document also closes for a moment when its language changes; its tab stays.
      const uri = document.uri.toString();
      if (uri in this.#known && !openTabs().some((tab) => tab.toString() === uri)) void this.#forget(uri);
    });
    void this.#publish();
  }

  /** Opens a prompt in an editor tab, the cursor at an offset of `text`. */
  async open(text: string, cursor: number, folder: vscode.Uri | undefined): Promise<void> {
    const hint = vscode.l10n.t(
      'Say what should change. Then choose “Create Job” above, or press Ctrl+Enter (Mac: Cmd+Enter).',
    );
    const head = `<!-- ${hint} -->\n`;
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: head + text });
    this.#known = { ...this.#known, [document.uri.toString()]: folder?.toString() ?? null };
    await this.#publish();
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const at = document.positionAt(head.length + cursor);
    editor.selection = new vscode.Selection(at, at);
  }

  /**
   * The prompt document that is being written.
   *
   * @throws UserError `no_prompt_document`
   */
  active(): { document: vscode.TextDocument; folder: vscode.Uri | undefined } {
    const document = vscode.window.activeTextEditor?.document;
    const folder = document === undefined ? undefined : this.#known[document.uri.toString()];
    if (document === undefined || folder === undefined) {
      throw new UserError(
        'no_prompt_document',
        vscode.l10n.t('No prompt is open in the editor. Begin with “Create Job”.'),
        { remedies: ['createJob'] },
      );
    }
    return { document, folder: folder === null ? undefined : vscode.Uri.parse(folder) };
  }

  /** Its prompt has been sent and is kept with the job, so nothing is lost with the tab. */
  async close(document: vscode.TextDocument): Promise<void> {
    await this.#forget(document.uri.toString());
    // The person may have closed the tab while the prompt was on its way.
    if (document.isClosed) return;
    // Reverting first: closing an untitled document asks whether to save it.
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }

  dispose(): void {
    this.#closing.dispose();
  }

  async #forget(uri: string): Promise<void> {
    const { [uri]: _, ...others } = this.#known;
    this.#known = others;
    await this.#publish();
  }

  async #publish(): Promise<void> {
    await Promise.all([
      vscode.commands.executeCommand('setContext', contextName, Object.keys(this.#known)),
      this.#state.update(stateName, this.#known),
    ]);
  }
}

function openTabs(): vscode.Uri[] {
  return vscode.window.tabGroups.all.flatMap((group) =>
    group.tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : [])),
  );
}
