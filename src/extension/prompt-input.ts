import * as vscode from 'vscode';
import { maxPromptLength } from '../contract/requests.ts';
import type { JobModel } from './job-model.ts';
import { askText, type ButtonResult, type StepPlace, type StepResult } from './multi-step.ts';
import { withoutIcons } from './plain-words.ts';
import { PromptDrafts } from './prompt-drafts.ts';
import { promptHistory, promptTrouble } from './prompt-text.ts';

const mostEarlier = 20;

export interface PromptQuestion {
  readonly text: string;
  readonly cursor: number | undefined;
  /** The key of the job that a follow-up is for; absent for a new job. */
  readonly job?: string;
  /** What the rules agent of the local service can do is offered as templates. */
  readonly isLocal: boolean;
  readonly prompt: string;
  readonly notice?: Promise<string | undefined>;
  /** Goes on in an editor tab; absent where that is no way. */
  readonly toEditor?: (text: string) => Promise<void>;
}

interface EarlierItem extends vscode.QuickPickItem {
  readonly text?: string;
}

/** Asks for a prompt in one line, with earlier ones and an editor tab within reach. */
export class PromptInput {
  readonly #model: JobModel;
  readonly drafts: PromptDrafts;

  constructor(model: JobModel, state: vscode.Memento) {
    this.#model = model;
    this.drafts = new PromptDrafts(state);
  }

  ask(place: StepPlace, question: PromptQuestion): Promise<StepResult<string>> {
    const { toEditor } = question;
    return askText(place, {
      prompt: question.prompt,
      placeholder: question.isLocal
        ? vscode.l10n.t('For example: Replace "log in" with "sign in"')
        : vscode.l10n.t('For example: Document the new retry option everywhere'),
      value: question.text,
      ...(question.cursor === undefined ? {} : { cursor: question.cursor }),
      ...(question.notice === undefined ? {} : { notice: question.notice }),
      validate: promptTroubleText,
      onAbandon: (text) => {
        if (text !== question.text) void this.drafts.keep(text.trim(), question.job);
      },
      buttons: [
        {
          icon: new vscode.ThemeIcon('history'),
          tooltip: vscode.l10n.t('Earlier Prompts and Templates'),
          run: async () => this.#pickEarlier(question.isLocal),
        },
        ...(toEditor === undefined
          ? []
          : [
              {
                icon: new vscode.ThemeIcon('edit'),
                tooltip: vscode.l10n.t('Write in an Editor Tab'),
                run: async (text: string): Promise<ButtonResult> => {
                  await toEditor(text);
                  return { kind: 'leave' };
                },
              },
            ]),
      ],
    });
  }

  async #pickEarlier(isLocal: boolean): Promise<ButtonResult> {
    const separator = (label: string): EarlierItem => ({
      label,
      kind: vscode.QuickPickItemKind.Separator,
    });
    const item = (text: string): EarlierItem => {
      const line = withoutIcons(text.replaceAll(/\s+/g, ' '));
      return { label: line.length > 120 ? `${line.slice(0, 119)}…` : line, text };
    };
    const earlier = promptHistory(
      this.#model.entries.map((entry) => entry.prompt),
      mostEarlier,
    );
    const templates = isLocal ? rulesTemplates() : [];
    const items = [
      ...(earlier.length === 0
        ? []
        : [separator(vscode.l10n.t('Earlier prompts')), ...earlier.map((text) => item(text))]),
      ...(templates.length === 0
        ? []
        : [separator(vscode.l10n.t('Templates')), ...templates.map((text) => item(text))]),
    ];
    const chosen = await vscode.window.showQuickPick(items, {
      placeHolder:
        items.length === 0
          ? vscode.l10n.t('There are no earlier prompts yet.')
          : vscode.l10n.t('Choose a prompt to begin with. You can change it before it is sent.'),
    });
    if (chosen?.text === undefined) return { kind: 'stay' };
    return { kind: 'text', text: chosen.text };
  }
}

/** A sentence when a prompt cannot be sent. */
export function promptTroubleText(text: string): string | undefined {
  switch (promptTrouble(text)) {
    case 'empty':
      return vscode.l10n.t('Say what should change.');
    case 'long':
      return vscode.l10n.t('The prompt is longer than {0} characters. Shorten it.', maxPromptLength);
    case undefined:
      return undefined;
  }
}

/** What the built-in agent of the local service understands. Not translated: it reads English. */
function rulesTemplates(): readonly string[] {
  return [
    'Replace "old term" with "new term"',
    'Replace "old term" with "new term" in guides/, also in code',
    'Fix broken links',
    'Rename page guides/old.md to guides/new.md',
    'Tidy Markdown',
    'Apply terms from terms.csv',
  ];
}
