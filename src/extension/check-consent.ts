import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { parseRepositorySettings, repositorySettingsName } from '../contract/repository-settings.ts';
import { repositoryRoot } from './git-state.ts';

/** What the person answered, kept for each repository. A changed command is another question. */
interface Decision {
  /** The repository's folder, as a URI. */
  readonly folder: string;
  /** SHA-256 of the allowed command; undefined: never any. */
  readonly allowed: string | undefined;
}

const prefix = 'docsAgent.checkCommand:';

/** Asks before a command of the repository may run after jobs. */
export class CheckConsent {
  readonly #state: vscode.Memento;
  /** Put off in this window. */
  readonly #notNow = new Set<string>();

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /**
   * The command that this project's repository names and the person has allowed, word for word. Asks them
   * where they have not decided about it; undefined when there is none or they do not want it.
   */
  async allowedCommand(project: vscode.Uri): Promise<string | undefined> {
    const root = await repositoryRoot(project);
    const command = await commandOf(root);
    if (command === undefined) return undefined;
    const folder = root.toString();
    const decision = this.#decisionOf(folder);
    const hash = hashOf(command);
    if (decision !== undefined && (decision.allowed === undefined || decision.allowed === hash)) {
      return decision.allowed === undefined ? undefined : command;
    }
    const question = `${folder} ${hash}`;
    if (this.#notNow.has(question)) return undefined;
    const allow = { title: vscode.l10n.t('Allow') };
    const later = { title: vscode.l10n.t('Not Now'), isCloseAffordance: true };
    const never = { title: vscode.l10n.t('Never for This Project') };
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('This project wants to run a command after each job.'),
      {
        modal: true,
        detail: vscode.l10n.t(
          '{0}\n\nIt comes with the repository ({1}) and runs on this machine with your rights, on a copy of the job’s commit. You are asked again when the command changes.',
          command,
          repositorySettingsName,
        ),
      },
      allow,
      later,
      never,
    );
    if (chosen?.title === allow.title) {
      await this.#decide({ folder, allowed: hash });
      return command;
    }
    if (chosen?.title === never.title) await this.#decide({ folder, allowed: undefined });
    else this.#notNow.add(question);
    return undefined;
  }

  /** Repositories about which the person has decided. */
  decisions(): readonly { readonly folder: string; readonly isAllowed: boolean }[] {
    return this.#state
      .keys()
      .filter((name) => name.startsWith(prefix))
      .flatMap((name) => {
        const decision = this.#state.get<Decision>(name);
        return decision === undefined
          ? []
          : [{ folder: decision.folder, isAllowed: decision.allowed !== undefined }];
      });
  }

  /** The next job asks again. */
  async forget(folder: string): Promise<void> {
    this.#notNow.clear();
    await this.#state.update(nameOf(folder), undefined);
  }

  #decisionOf(folder: string): Decision | undefined {
    return this.#state.get<Decision>(nameOf(folder));
  }

  async #decide(decision: Decision): Promise<void> {
    await this.#state.update(nameOf(decision.folder), decision);
  }
}

function nameOf(folder: string): string {
  return prefix + hashOf(folder);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

async function commandOf(root: vscode.Uri): Promise<string | undefined> {
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, repositorySettingsName));
    return parseRepositorySettings(new TextDecoder().decode(bytes))?.check;
  } catch {
    return undefined;
  }
}
