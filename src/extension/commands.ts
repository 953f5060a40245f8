import * as vscode from 'vscode';
import { commandIds, type CommandName } from './command-table.ts';
import { logTextOf, reportOf } from './error-report.ts';
import { withoutLinks } from './plain-words.ts';
import type { RemedyName } from './user-error.ts';

/** `argument` is whatever the caller passed: a menu's tree element, a URI, nothing. */
export type CommandHandler = (argument: unknown) => Promise<void>;

/** Every name of the table, so that a command without a handler does not compile. */
export type CommandHandlers = Readonly<Record<CommandName, CommandHandler>>;

/**
 * Registers all commands. An error of any of them is logged once and shown once, as a sentence with a
 * button for what can be done about it.
 */
export function registerCommands(handlers: CommandHandlers, log: vscode.LogOutputChannel): vscode.Disposable {
  const names = Object.keys(commandIds) as CommandName[];
  return vscode.Disposable.from(
    ...names.map((name) =>
      vscode.commands.registerCommand(commandIds[name], async (argument: unknown) => {
        try {
          await handlers[name](argument);
        } catch (error) {
          showError(error, log);
        }
      }),
    ),
  );
}

/** Logs an error and shows it. Does not wait for the person to close the message. */
export function showError(error: unknown, log: vscode.LogOutputChannel): void {
  const report = reportOf(error);
  if (report.kind === 'cancelled') return;
  log.error(logTextOf(error));
  const [message, remedies] =
    report.kind === 'told'
      ? [report.message, report.remedies]
      : [vscode.l10n.t('Something unexpected went wrong. The log has the details.'), ['showLog'] as const];
  const buttons = remedies.map((remedy) => ({ title: titleOf(remedy), remedy }));
  // A server's words may hold what the editor would make a link of, a command's even.
  void offer(withoutLinks(message), buttons);
}

async function offer(
  message: string,
  buttons: readonly (vscode.MessageItem & { readonly remedy: RemedyName })[],
): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(message, ...buttons);
  if (chosen !== undefined) await runRemedy(chosen.remedy);
}

function titleOf(remedy: RemedyName): string {
  switch (remedy) {
    case 'setApiKey':
      return vscode.l10n.t('Set API Key');
    case 'replaceKey':
      return vscode.l10n.t('Replace Key');
    case 'refresh':
      return vscode.l10n.t('Check Again');
    case 'chooseService':
      return vscode.l10n.t('Choose Service');
    case 'chooseAgent':
      return vscode.l10n.t('Choose Agent');
    case 'setProjectId':
      return vscode.l10n.t('Set Project ID');
    case 'watchJob':
      return vscode.l10n.t('Watch a Job by ID');
    case 'manageTrust':
      return vscode.l10n.t('Manage Workspace Trust');
    case 'openKeyringHelp':
      return vscode.l10n.t('How to Fix the Keyring');
    case 'openFolder':
      return vscode.l10n.t('Open Folder');
    case 'initRepository':
      return vscode.l10n.t('Initialize Repository');
    case 'createJob':
      return vscode.l10n.t('Create Job');
    default:
      return vscode.l10n.t('Show Log');
  }
}

/** VS Code's own page about keyrings. */
const keyringHelp =
  'https://code.visualstudio.com/docs/configure/settings-sync#_troubleshooting-keychain-issues';

async function runRemedy(remedy: RemedyName): Promise<void> {
  switch (remedy) {
    case 'manageTrust':
      await vscode.commands.executeCommand('workbench.trust.manage');
      return;
    case 'replaceKey':
      await vscode.commands.executeCommand(commandIds.setApiKey);
      return;
    case 'openFolder':
      await vscode.commands.executeCommand('vscode.openFolder');
      return;
    case 'initRepository':
      // Of the built-in git extension, which asks for the folder.
      await vscode.commands.executeCommand('git.init');
      return;
    case 'openKeyringHelp':
      await vscode.env.openExternal(vscode.Uri.parse(keyringHelp));
      return;
    default:
      await vscode.commands.executeCommand(commandIds[remedy]);
  }
}
