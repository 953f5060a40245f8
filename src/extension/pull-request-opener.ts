import * as vscode from 'vscode';
import type { ReceivedJob } from '../contract/job.ts';
import { withJob, withOpened } from './entry-changes.ts';
import { entryKey, localServiceId } from './job-entry.ts';
import type { JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import type { ClaimPurpose } from './ledger.ts';
import { openableLink } from '../client/service-url.ts';
import { gitHubExtensionId, insideEditor } from './pull-request-link.ts';
import { UserError } from './user-error.ts';

export interface PullRequestOpenerOptions {
  readonly model: JobModel;
  /** `Ledger.claim`. */
  readonly claim: (key: string, purpose: ClaimPurpose) => Promise<boolean>;
  /**
   * The job as its service tells it now. Asked for jobs of the local service, whose links hold a port that
   * is another one after each start; starts the service when it has ended.
   */
  readonly freshJob: (entry: JobEntry, signal: AbortSignal) => Promise<ReceivedJob>;
  readonly now: () => number;
  /** `vscode.env.openExternal`. */
  readonly openExternal: (uri: vscode.Uri) => Thenable<boolean>;
}

/** Opens pull requests: inside the editor where that is possible, else in the browser. */
export class PullRequestOpener {
  readonly #options: PullRequestOpenerOptions;

  constructor(options: PullRequestOpenerOptions) {
    this.#options = options;
  }

  /**
   * Opens the job's pull request, because a person wants it.
   *
   * @throws UserError `no_pull_request`, or what `freshJob` rejects with.
   */
  async open(entry: JobEntry, signal: AbortSignal): Promise<void> {
    const link = openableLink(await this.#link(entry, signal));
    if (link === undefined) throw noPullRequest(entry);
    if (await this.#options.openExternal(targetOf(link)))
      await this.#options.model.markSeen([entryKey(entry)]);
  }

  /** Opens it by itself: at most once for each job, whichever window does it. True when it was this one. */
  async openByItself(entry: JobEntry, signal: AbortSignal): Promise<boolean> {
    const { model, claim, now } = this.#options;
    const key = entryKey(entry);
    if (entry.openedAt !== undefined || !(await claim(key, 'opened'))) return false;
    await model.update(key, (current) => withOpened(current, now()));
    await this.open(entry, signal);
    return true;
  }

  async #link(entry: JobEntry, signal: AbortSignal): Promise<string | undefined> {
    if (entry.service !== localServiceId || entry.job === undefined) return entry.job?.prLink;
    const { model, freshJob, now } = this.#options;
    const job = await freshJob(entry, signal);
    await model.update(entryKey(entry), (current) => withJob(current, job, now()));
    return job.prLink;
  }
}

function targetOf(link: string): vscode.Uri {
  const inside = insideEditor(link, vscode.env.uriScheme);
  const isInstalled = vscode.extensions.getExtension(gitHubExtensionId) !== undefined;
  return vscode.Uri.parse(isInstalled && inside !== undefined ? inside : link, true);
}

function noPullRequest(entry: JobEntry): UserError {
  const message =
    entry.job?.prLink === undefined
      ? vscode.l10n.t('This job has no pull request.')
      : vscode.l10n.t('The link of this job is not one that can be opened safely. You can copy it instead.');
  return new UserError('no_pull_request', message);
}
