import * as vscode from 'vscode';
import { withoutIcons, withoutLinks } from './plain-words.ts';

/**
 * `back`: the person wants the step before; `cancelled`: they closed the input. `isButton`: they pressed
 * the button in the row of `value`, not the row.
 */
export type StepResult<T> =
  | { readonly kind: 'done'; readonly value: T; readonly isButton?: boolean }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancelled' };

/** Where a step stands among the others; the number is only shown when there are several. */
export interface StepPlace {
  readonly title: string;
  readonly step: number;
  readonly total: number;
  /** Back leads out of the first step as well, to where it was called from. */
  readonly hasBack?: boolean;
}

export interface TextStep {
  readonly prompt: string;
  /** Shown under the prompt once it is known. */
  readonly notice?: Promise<string | undefined>;
  readonly placeholder?: string;
  /** Title and placeholder where a button may change them: looked up again after each. */
  readonly look?: () => { readonly title: string; readonly placeholder: string };
  readonly value?: string;
  /** Where the cursor stands in `value`; absent: all of it is selected. */
  readonly cursor?: number;
  readonly password?: boolean;
  /** A sentence when the text cannot be taken. While it is being found out, the box waits. */
  readonly validate: (value: string) => string | undefined | Promise<string | undefined>;
  readonly buttons?: readonly TextStepButton[];
  /** The text when the input closes without being taken. */
  readonly onAbandon?: (value: string) => void;
}

/** What a button has done: another text to go on with, nothing, or it has taken the text elsewhere. */
export type ButtonResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stay' }
  | { readonly kind: 'leave' };

/** Runs with the text so far. */
export interface TextStepButton {
  readonly icon: vscode.ThemeIcon;
  readonly tooltip: string;
  readonly run: (value: string) => Promise<ButtonResult>;
}

/** Asks for a line of text. Stays open when the focus goes elsewhere: people look things up in between. */
export async function askText(place: StepPlace, step: TextStep): Promise<StepResult<string>> {
  const input = vscode.window.createInputBox();
  const disposables: vscode.Disposable[] = [input];
  try {
    apply(input, place);
    input.prompt = asPrompt(step.prompt);
    input.placeholder = step.placeholder;
    Object.assign(input, step.look?.());
    input.value = step.value ?? '';
    if (step.cursor !== undefined) input.valueSelection = [step.cursor, step.cursor];
    input.password = step.password ?? false;
    const buttons = (step.buttons ?? []).map(({ icon, tooltip, run }) => ({ iconPath: icon, tooltip, run }));
    input.buttons = [...input.buttons, ...buttons];
    return await new Promise<StepResult<string>>((resolve, reject) => {
      // While a button's own list is open, the box is hidden by VS Code, not by the person.
      let isAside = false;
      const finish = (result: StepResult<string>): void => {
        isAside = true;
        resolve(result);
      };
      disposables.push(
        input.onDidChangeValue(() => {
          input.validationMessage = undefined;
        }),
        input.onDidAccept(() => {
          if (input.busy) return;
          const { value } = input;
          const decide = (trouble: string | undefined): void => {
            if (trouble === undefined) finish({ kind: 'done', value });
            else input.validationMessage = asPrompt(trouble);
          };
          const verdict = step.validate(value);
          if (!(verdict instanceof Promise)) {
            decide(verdict);
            return;
          }
          input.busy = true;
          verdict
            .finally(() => {
              input.busy = false;
            })
            // Closed meanwhile, or another text: then the verdict is of no interest.
            .then((trouble) => {
              if (!isAside && input.value === value) decide(trouble);
            }, reject);
        }),
        input.onDidTriggerButton((button) => {
          if (button === vscode.QuickInputButtons.Back) {
            step.onAbandon?.(input.value);
            finish({ kind: 'back' });
            return;
          }
          const own = buttons.find((each) => each === button);
          if (own === undefined) return;
          isAside = true;
          own.run(input.value).then((result) => {
            if (result.kind === 'leave') {
              finish({ kind: 'cancelled' });
              return;
            }
            isAside = false;
            Object.assign(input, step.look?.());
            if (result.kind === 'text') input.value = result.text;
            input.show();
          }, reject);
        }),
        input.onDidHide(() => {
          if (isAside) return;
          step.onAbandon?.(input.value);
          finish({ kind: 'cancelled' });
        }),
      );
      input.show();
      void step.notice?.then((notice) => {
        if (notice !== undefined && !isAside) input.prompt = asPrompt(`${step.prompt} ${notice}`);
      });
    });
  } finally {
    vscode.Disposable.from(...disposables).dispose();
  }
}

/** What is offered, and which of it stands out at first. */
export interface Choices<T> {
  readonly items: readonly T[];
  readonly active?: T | undefined;
}

/** Asks for one of several. */
export async function askChoice<T extends vscode.QuickPickItem>(
  place: StepPlace,
  placeholder: string,
  items: readonly T[],
  active?: T,
): Promise<StepResult<T>> {
  return choose(place, placeholder, (pick) => fill(pick, { items, active }));
}

/** As {@link askChoice}, for what has to be found out while the list is open already. */
export async function askChoiceOf<T extends vscode.QuickPickItem>(
  place: StepPlace,
  placeholder: string,
  find: () => Promise<Choices<T>>,
): Promise<StepResult<T>> {
  return choose(place, placeholder, async (pick) => {
    pick.busy = true;
    try {
      fill(pick, await find());
    } finally {
      pick.busy = false;
    }
  });
}

function fill<T extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<T>,
  { items, active }: Choices<T>,
): void {
  pick.items = items;
  if (active !== undefined) pick.activeItems = [active];
}

async function choose<T extends vscode.QuickPickItem>(
  place: StepPlace,
  placeholder: string,
  begin: (pick: vscode.QuickPick<T>) => Promise<void> | void,
): Promise<StepResult<T>> {
  const pick = vscode.window.createQuickPick<T>();
  const disposables: vscode.Disposable[] = [pick];
  try {
    apply(pick, place);
    pick.placeholder = placeholder;
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    return await new Promise<StepResult<T>>((resolve, reject) => {
      disposables.push(
        pick.onDidAccept(() => {
          const [value] = pick.selectedItems;
          if (value !== undefined) resolve({ kind: 'done', value });
        }),
        pick.onDidTriggerItemButton(({ item }) => resolve({ kind: 'done', value: item, isButton: true })),
        pick.onDidTriggerButton(() => resolve({ kind: 'back' })),
        pick.onDidHide(() => resolve({ kind: 'cancelled' })),
      );
      const begun = begin(pick);
      pick.show();
      begun?.catch(reject);
    });
  } finally {
    vscode.Disposable.from(...disposables).dispose();
  }
}

/** Prompts name folders, branches and addresses, which a repository may have chosen. */
function asPrompt(text: string): string {
  return withoutIcons(withoutLinks(text));
}

function apply(input: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>, place: StepPlace): void {
  input.title = place.title;
  input.ignoreFocusOut = true;
  if (place.total > 1) {
    input.step = place.step;
    input.totalSteps = place.total;
  }
  input.buttons = place.step > 1 || place.hasBack === true ? [vscode.QuickInputButtons.Back] : [];
}

/** One question of a sequence. `answer` is what the steps before have gathered. */
export type Step<T> = (answer: T, place: StepPlace) => Promise<StepResult<T> | StepSkipped>;

/** There was nothing to ask after all; Back goes past it. */
export interface StepSkipped {
  readonly kind: 'skipped';
}

/** Asks one question after the other, with Back between them. Undefined when the person gave up. */
export async function askInOrder<T>(
  title: string,
  steps: readonly Step<T>[],
  start: T,
): Promise<T | undefined> {
  const result = await askSteps({ title, hasBack: false }, steps, start);
  return result.kind === 'done' ? result.value : undefined;
}

/** As {@link askInOrder}, for questions that are asked from a list: Back before the first of them leads there. */
export async function askSteps<T>(
  { title, hasBack }: { readonly title: string; readonly hasBack: boolean },
  steps: readonly Step<T>[],
  start: T,
): Promise<StepResult<T>> {
  const past: { readonly answer: T; readonly asked: boolean }[] = [];
  let answer = start;
  for (let at = past.length; at < steps.length; at = past.length) {
    const step = steps[at];
    if (step === undefined) break;
    const result = await step(answer, { title, step: at + 1, total: steps.length, hasBack });
    switch (result.kind) {
      case 'cancelled':
        return result;
      case 'skipped':
        past.push({ answer, asked: false });
        break;
      case 'done':
        past.push({ answer, asked: true });
        answer = result.value;
        break;
      case 'back': {
        let before = past.pop();
        while (before !== undefined && !before.asked) before = past.pop();
        if (before !== undefined) ({ answer } = before);
        else if (hasBack) return result;
      }
    }
  }
  return { kind: 'done', value: answer };
}
