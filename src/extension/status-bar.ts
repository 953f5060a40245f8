import * as vscode from 'vscode';
import { viewIds } from './command-table.ts';
import type { JobModel } from './job-model.ts';
import { statusText } from './status-text.ts';

/** The item at the left of the status bar: shows what `statusText` says of the model. */
export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: vscode.Disposable;

  constructor(model: JobModel, now: () => number) {
    this.#item = vscode.window.createStatusBarItem('docsAgent.status', vscode.StatusBarAlignment.Left);
    this.#item.name = vscode.l10n.t('Docs Agent');
    this.#item.command = `${viewIds.jobs}.focus`;
    this.#subscription = model.onDidChange(() => this.#paint(model, now()));
    this.#paint(model, now());
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #paint(model: JobModel, now: number): void {
    const status = statusText(model.entries, now, vscode.l10n.t);
    if (!status.visible) {
      this.#item.hide();
      return;
    }
    this.#item.text = status.text;
    this.#item.tooltip = status.tooltip;
    this.#item.accessibilityInformation = { label: status.label, role: 'button' };
    this.#item.show();
  }
}
