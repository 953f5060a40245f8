import * as vscode from 'vscode';
import type { ApiError } from '../client/api-error.ts';
import type { Clock } from '../client/job-poller.ts';
import {
  announce,
  announcementKinds,
  insteadOfOpening,
  type Announcement,
  type AnnouncementKind,
  type AnnouncementRules,
} from './announcements.ts';
import { commandIds, viewIds } from './command-table.ts';
import { EndedJobs } from './ended-jobs.ts';
import { entryKey } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import type { ClaimPurpose } from './ledger.ts';
import { withoutLinks } from './plain-words.ts';
import type { PullRequestOpener } from './pull-request-opener.ts';
import { notificationMode, openPullRequestMode } from './settings.ts';

/** Where the kinds are kept that the person does not want to see again. */
const mutedKey = 'docsAgent.mutedNotifications';

/** A window leaves a job for so long, in milliseconds, to the one that has its folder open. */
const focusedStandBackMs = 1000;
const otherStandBackMs = 2000;

interface Button extends vscode.MessageItem {
  readonly action: Announcement['actions'][number] | 'mute';
}

export interface NotificationsOptions {
  readonly model: JobModel;
  /** `Ledger.claim`. */
  readonly claim: (key: string, purpose: ClaimPurpose) => Promise<boolean>;
  readonly opener: PullRequestOpener;
  /** `ExtensionContext.globalState`. */
  readonly state: vscode.Memento;
  readonly clock: Clock;
  readonly log: vscode.LogOutputChannel;
}

/** Shows what `announce` decides, and does what a pressed button says. */
export class Notifications implements vscode.Disposable {
  readonly #options: NotificationsOptions;
  readonly #ended: EndedJobs;
  readonly #disposal = new AbortController();

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { model, claim, clock } = options;
    this.#ended = new EndedJobs({
      model,
      claim,
      clock,
      standBackMs,
      announce: (ended) => void this.#announce(ended),
    });
  }

  /** A key was refused. Said once, without a dialog; the rows say it for as long as it lasts. */
  keyRefused(error: ApiError): void {
    const mode = notificationMode();
    if (mode === 'never' || (mode === 'unfocused' && vscode.window.state.focused)) return;
    if (this.#muted.has('keyRefused')) return;
    void this.#show({
      kind: 'keyRefused',
      severity: 'warning',
      text: withoutLinks(error.message),
      actions: ['refresh', 'setApiKey'],
      entry: undefined,
    });
  }

  dispose(): void {
    this.#ended.dispose();
    this.#disposal.abort();
  }

  get #muted(): ReadonlySet<AnnouncementKind> {
    const stored = this.#options.state.get<unknown>(mutedKey);
    return new Set(Array.isArray(stored) ? announcementKinds.filter((kind) => stored.includes(kind)) : []);
  }

  get #rules(): AnnouncementRules {
    return {
      openPullRequest: openPullRequestMode(),
      notifications: notificationMode(),
      focused: vscode.window.state.focused,
      muted: this.#muted,
    };
  }

  async #announce(ended: readonly JobEntry[]): Promise<void> {
    const plan = announce(ended, this.#rules, vscode.l10n.t);
    await Promise.all([
      plan.open === undefined ? undefined : this.#open(plan.open),
      plan.show === undefined ? undefined : this.#show(plan.show),
    ]);
  }

  async #open(entry: JobEntry): Promise<void> {
    try {
      await this.#options.opener.openByItself(entry, this.#disposal.signal);
    } catch (error) {
      if (this.#disposal.signal.aborted) return;
      // Nobody asked for it just now, so its trouble is for the log; that it is ready is told all the same.
      this.#options.log.warn('A pull request could not be opened by itself.', error);
      const instead = insteadOfOpening(entry, this.#rules, vscode.l10n.t);
      if (instead !== undefined) await this.#show(instead);
    }
  }

  async #show(announcement: Announcement): Promise<void> {
    const buttons: Button[] = announcement.actions.map((action) => ({ title: actionTitle(action), action }));
    buttons.push({ title: vscode.l10n.t('Don’t Show Again'), action: 'mute' });
    const { text, severity } = announcement;
    const chosen = await (severity === 'warning'
      ? vscode.window.showWarningMessage(text, ...buttons)
      : vscode.window.showInformationMessage(text, ...buttons));
    if (chosen === undefined || this.#disposal.signal.aborted) return;
    if (chosen.action === 'mute') {
      await this.#options.state.update(mutedKey, [...this.#muted, announcement.kind]);
    } else if (chosen.action === 'showJobs') {
      await vscode.commands.executeCommand(`${viewIds.jobs}.focus`);
    } else {
      const argument = announcement.entry && entryKey(announcement.entry);
      await vscode.commands.executeCommand(commandIds[chosen.action], argument);
    }
  }
}

function standBackMs(entry: JobEntry): number {
  const isOurs =
    vscode.workspace.workspaceFolders?.some(({ uri }) => uri.toString() === entry.folder) ?? false;
  if (isOurs) return 0;
  return vscode.window.state.focused ? focusedStandBackMs : otherStandBackMs;
}

function actionTitle(action: Announcement['actions'][number]): string {
  switch (action) {
    case 'openPullRequest':
      return vscode.l10n.t('Open Pull Request');
    case 'chooseAgent':
      return vscode.l10n.t('Choose Agent');
    case 'reusePrompt':
      return vscode.l10n.t('Reuse Prompt');
    case 'showJobs':
      return vscode.l10n.t('Show Jobs');
    case 'refresh':
      return vscode.l10n.t('Check Again');
    case 'setApiKey':
      return vscode.l10n.t('Replace Key');
    default:
      return vscode.l10n.t('Show Details');
  }
}
