import * as vscode from 'vscode';
import type { JobEvent } from '../contract/events.ts';
import { savedNames } from './agent-settings.ts';
import { jobDocument } from './job-document.ts';
import { entryKey } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import type { EntryChange, JobModel } from './job-model.ts';
import { titleOf } from './job-words.ts';
import { UserError } from './user-error.ts';

const jobScheme = 'docs-agent-job';

/** Events are a courtesy: the rest of the document does not wait longer for them. In milliseconds. */
const eventsLimitMs = 5000;

export interface JobDetailsOptions {
  readonly model: JobModel;
  /** All events of the job, oldest first. May reject: then the document goes without. */
  readonly events: (entry: JobEntry, signal: AbortSignal) => Promise<readonly JobEvent[]>;
  readonly now: () => number;
}

/** What `showJob` shows: a read-only document for each job, kept up to date while it is open. */
export class JobDetails implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: JobDetailsOptions;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #disposables: vscode.Disposable;
  readonly #disposal = new AbortController();

  readonly onDidChange = this.#changed.event;

  constructor(options: JobDetailsOptions) {
    this.#options = options;
    this.#disposables = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(jobScheme, this),
      options.model.onDidChange((changes) => this.#onChanges(changes)),
      { dispose: () => this.#disposal.abort() },
    );
  }

  /** Shows the job rendered, and counts its result as looked at. */
  async show(key: string): Promise<void> {
    const entry = this.#options.model.get(key);
    if (entry === undefined) {
      throw new UserError('job_forgotten', vscode.l10n.t('This job is no longer in the list.'));
    }
    const uri = uriOf(entry);
    this.#changed.fire(uri);
    await this.#options.model.markSeen([key]);
    try {
      await vscode.commands.executeCommand('markdown.showPreview', uri);
    } catch {
      // The built-in Markdown extension is switched off.
      await vscode.window.showTextDocument(uri, { preview: true });
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { model, now } = this.#options;
    const entry = model.get(uri.query);
    if (entry === undefined) return vscode.l10n.t('This job is no longer in the list.');
    const events = await this.#events(entry);
    const view = { now: now(), t: vscode.l10n.t, dateTime, events, names: savedNames() };
    return jobDocument(model.get(uri.query) ?? entry, view);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #events(entry: JobEntry): Promise<readonly JobEvent[] | undefined> {
    if (entry.job === undefined) return undefined;
    const signal = AbortSignal.any([this.#disposal.signal, AbortSignal.timeout(eventsLimitMs)]);
    try {
      return await this.#options.events(entry, signal);
    } catch {
      return undefined;
    }
  }

  /** Only open documents, and not for a look that found nothing new. */
  #onChanges(changes: readonly EntryChange[]): void {
    const changed = new Set(changes.filter(isNews).map(({ key }) => key));
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === jobScheme && changed.has(uri.query)) this.#changed.fire(uri);
    }
  }
}

function isNews({ before, after }: EntryChange): boolean {
  const told = (entry: JobEntry | undefined): string =>
    JSON.stringify([entry?.job, entry?.problem?.message, entry?.endedAt]);
  return told(before) !== told(after);
}

/** The path is what the tab says; the query is the key. */
function uriOf(entry: JobEntry): vscode.Uri {
  const name = titleOf(entry, 40)
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ')
    .trim();
  return vscode.Uri.from({ scheme: jobScheme, path: `/${name || 'Job'}.md`, query: entryKey(entry) });
}

function dateTime(at: number): string {
  return new Date(at).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
