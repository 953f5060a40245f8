import * as vscode from 'vscode';
import { rulesAgentId } from '../contract/agents.ts';
import { maxPromptLength } from '../contract/requests.ts';
import { agentTitle } from './agent-name.ts';
import { savedNames } from './agent-settings.ts';
import { commandIds } from './command-table.ts';
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
  /** The agent that will read it, asked again after it may have been chosen; undefined at hosted services. */
  readonly agent: () => string | undefined;
  /** Whether another agent may be chosen from here. */
  readonly mayChoose: boolean;
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
    const { agent, toEditor } = question;
    return askText(place, {
      look: () => ({
        title: titleFor(place.title, agent()),
        placeholder: exampleFor(agent(), question.job !== undefined),
      }),
      prompt: question.prompt,
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
          run: async () => this.#pickEarlier(agent() === rulesAgentId),
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
        ...(question.mayChoose
          ? [
              {
                icon: new vscode.ThemeIcon('sparkle'),
                tooltip: vscode.l10n.t('Choose Agent…'),
                run: async (): Promise<ButtonResult> => {
                  await vscode.commands.executeCommand(commandIds.chooseAgent);
                  return { kind: 'stay' };
                },
              },
            ]
          : []),
      ],
    });
  }

  async #pickEarlier(byRules: boolean): Promise<ButtonResult> {
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
    const templates = byRules ? rulesTemplates() : [];
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

/** Says who writes, where that is known here. */
function titleFor(title: string, agent: string | undefined): string {
  if (agent === undefined) return title;
  const name = agentTitle(agent, savedNames(), vscode.l10n.t);
  return vscode.l10n.t('{0} · {1}', title, withoutIcons(name));
}

function exampleFor(agent: string | undefined, isFollowUp: boolean): string {
  if (agent === rulesAgentId) return vscode.l10n.t('For example: Replace "log in" with "sign in"');
  return isFollowUp
    ? vscode.l10n.t('For example: Say it more briefly')
    : vscode.l10n.t('For example: Document the new retry option everywhere');
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
