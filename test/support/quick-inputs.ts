import * as vscode from 'vscode';

/** What a person does with one input. `texts` are tried in order until one is accepted. */
export type Answer =
  | { readonly texts: readonly string[] }
  | {
      readonly pick: string;
      /** Tooltip of the button in the row that is pressed. */ readonly button?: string;
    }
  | { readonly press: string }
  /** Types and closes the input without accepting. */
  | { readonly leave: string }
  | 'back'
  | 'close';

/** What an input showed. */
export interface Asked {
  readonly title: string;
  /** Such as `2/3`; empty when it is the only one. */
  readonly steps: string;
  readonly text: string;
  readonly value: string;
  readonly password: boolean;
  /** Why texts were refused. */
  readonly refusals: readonly string[];
  readonly labels: readonly string[];
}

type Window = typeof vscode.window;

/**
 * Answers the extension's inputs in place of a person, because no command types into one. Everything else
 * is the real editor. Disposing puts the real inputs back.
 */
export class QuickInputs implements Disposable {
  readonly asked: Asked[] = [];
  /** Texts of error messages and modal questions. */
  readonly told: string[] = [];
  /** The button that is pressed in modal questions and messages. */
  press: string | undefined;
  readonly #answers: Answer[];
  readonly #originals: Partial<Window>;

  constructor(...answers: Answer[]) {
    this.#answers = answers;
    const { createInputBox, createQuickPick, showErrorMessage, showWarningMessage, showQuickPick } =
      vscode.window;
    this.#originals = {
      createInputBox,
      createQuickPick,
      showErrorMessage,
      showWarningMessage,
      showQuickPick,
    };
    const tell = async (text: string, ...rest: unknown[]): Promise<unknown> => {
      this.told.push(text);
      return rest.find(
        (one) => one === this.press || (one as { title?: string } | null)?.title === this.press,
      );
    };
    Object.assign(vscode.window, {
      createInputBox: () => this.#box('text'),
      createQuickPick: () => this.#box('pick'),
      showErrorMessage: tell,
      showWarningMessage: tell,
      showQuickPick: async (items: readonly vscode.QuickPickItem[]) => items[0],
    });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, this.#originals);
  }

  #box(kind: 'text' | 'pick'): object {
    const accept = new vscode.EventEmitter<void>();
    const hide = new vscode.EventEmitter<void>();
    const button = new vscode.EventEmitter<vscode.QuickInputButton>();
    const rowButton = new vscode.EventEmitter<vscode.QuickPickItemButtonEvent<vscode.QuickPickItem>>();
    const change = new vscode.EventEmitter<string>();
    const box = {
      title: '',
      prompt: '',
      placeholder: '',
      value: '',
      step: undefined as number | undefined,
      totalSteps: undefined as number | undefined,
      password: false,
      busy: false,
      validationMessage: undefined as string | undefined,
      buttons: [] as vscode.QuickInputButton[],
      items: [] as vscode.QuickPickItem[],
      selectedItems: [] as vscode.QuickPickItem[],
      onDidAccept: accept.event,
      onDidHide: hide.event,
      onDidTriggerButton: button.event,
      onDidTriggerItemButton: rowButton.event,
      onDidChangeValue: change.event,
      dispose: () => hide.fire(),
      show: () => setImmediate(() => void idle().then(answer)),
    };
    /** A person waits, too, while the box says that it is busy. */
    const idle = async (): Promise<void> => {
      while (box.busy) await new Promise((resolve) => setImmediate(resolve));
    };
    const answer = async (): Promise<void> => {
      const next = this.#answers.shift() ?? 'close';
      const refusals: string[] = [];
      const value = box.value;
      const note = (): void => {
        this.asked.push({
          title: box.title,
          steps: box.step === undefined ? '' : `${box.step}/${box.totalSteps}`,
          text: kind === 'text' ? box.prompt : box.placeholder,
          value,
          password: box.password,
          refusals,
          labels: box.items.map(({ label }) => label),
        });
      };
      if (next === 'close') {
        note();
        hide.fire();
      } else if (next === 'back') {
        note();
        // Only where it is shown can it be pressed.
        if (box.buttons.includes(vscode.QuickInputButtons.Back)) button.fire(vscode.QuickInputButtons.Back);
        else hide.fire();
      } else if ('leave' in next) {
        note();
        box.value = next.leave;
        change.fire(next.leave);
        hide.fire();
      } else if ('press' in next) {
        note();
        const found = box.buttons.find(({ tooltip }) => tooltip === next.press);
        if (found === undefined) hide.fire();
        else button.fire(found);
      } else if ('pick' in next) {
        note();
        box.selectedItems = box.items.filter(({ label }) => label.includes(next.pick)).slice(0, 1);
        const [item] = box.selectedItems;
        const inRow = item?.buttons?.find(({ tooltip }) => tooltip === next.button);
        if (item === undefined || (next.button !== undefined && inRow === undefined)) hide.fire();
        else if (inRow === undefined) accept.fire();
        else rowButton.fire({ item, button: inRow });
      } else {
        note();
        for (const text of next.texts) {
          box.value = text;
          change.fire(text);
          accept.fire();
          await idle();
          if (box.validationMessage === undefined) break;
          refusals.push(box.validationMessage);
        }
      }
    };
    return box;
  }
}
