import * as vscode from 'vscode';
import { rulesAgentId } from '../contract/agents.ts';
import { hasEnded } from '../contract/job.ts';
import { viewIds, type JobCommandName } from './command-table.ts';
import type { CommandHandler } from './commands.ts';
import type { CreateJobFlow } from './create-job.ts';
import { withJob } from './entry-changes.ts';
import type { JobDetails } from './job-details.ts';
import { entryKey, localServiceId, type JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import { isWatched, stateOf } from './job-state.ts';
import { stateWords, titleOf } from './job-words.ts';
import { requireTrust } from './job-target.ts';
import type { PromptInput } from './prompt-input.ts';
import { withoutIcons } from './plain-words.ts';
import type { PullRequestOpener } from './pull-request-opener.ts';
import { openableLink } from '../client/service-url.ts';
import type { JobSender } from './send-job.ts';
import type { Services } from './services.ts';
import { UserError } from './user-error.ts';

export interface JobActionsOptions {
  readonly model: JobModel;
  readonly services: Services;
  readonly sender: JobSender;
  readonly input: PromptInput;
  readonly flow: CreateJobFlow;
  readonly details: Pick<JobDetails, 'show'>;
  readonly opener: Pick<PullRequestOpener, 'open'>;
  /** Ends with the window. */
  readonly signal: AbortSignal;
}

/** What can be done with one job. */
export class JobActions {
  readonly #options: JobActionsOptions;

  constructor(options: JobActionsOptions) {
    this.#options = options;
  }

  handlers(): Readonly<Record<JobCommandName, CommandHandler>> {
    const withEntry =
      (act: (entry: JobEntry) => Promise<void>, fits: (entry: JobEntry) => boolean = () => true) =>
      async (argument: unknown): Promise<void> => {
        const named = this.#entryOf(argument);
        if (named === 'forgotten') throw forgotten();
        const entry = named ?? (await this.#choose(fits));
        if (entry !== undefined) await act(entry);
      };
    const isKnown = (entry: JobEntry): boolean => entry.job !== undefined;
    const hasLink = (entry: JobEntry): boolean => openableLink(entry.job?.prLink) !== undefined;
    const { details, opener, signal } = this.#options;
    return {
      followUp: withEntry((entry) => this.#followUp(entry), isKnown),
      reusePrompt: withEntry((entry) => this.#reuse(entry)),
      showJob: withEntry((entry) => details.show(entryKey(entry))),
      openPullRequest: withEntry((entry) => opener.open(entry, signal), hasLink),
      copyPullRequestLink: withEntry((entry) => this.#copyLink(entry), hasLink),
      copyJobId: withEntry((entry) => this.#copyId(entry), isKnown),
      cancelJob: withEntry((entry) => this.#cancel(entry), isWatched),
      archiveJob: withEntry(
        (entry) => this.#archive(entry),
        (entry) => entry.job !== undefined && hasEnded(entry.job.status) && entry.job.status !== 'archived',
      ),
      forgetJob: withEntry((entry) => this.#forget(entry)),
    };
  }

  /**
   * The argument of a menu, a notification or another command; undefined when it names no job. One that
   * names a job that has left the list is not taken for another one.
   */
  #entryOf(argument: unknown): JobEntry | 'forgotten' | undefined {
    const find = (key: string): JobEntry | 'forgotten' => this.#options.model.get(key) ?? 'forgotten';
    if (typeof argument === 'string') return find(argument);
    if (typeof argument !== 'object' || argument === null) return undefined;
    if ('key' in argument && typeof argument.key === 'string') return find(argument.key);
    const entry = 'entry' in argument ? argument.entry : argument;
    return isEntryLike(entry) ? find(entryKey(entry)) : undefined;
  }

  async #choose(fits: (entry: JobEntry) => boolean): Promise<JobEntry | undefined> {
    const entries = this.#options.model.entries.filter(fits);
    const items = entries.map((entry) => ({
      label: withoutIcons(titleOf(entry)),
      // A service may answer with any word for the state.
      description: withoutIcons(stateWords(stateOf(entry, Date.now()), vscode.l10n.t)),
      entry,
    }));
    if (items.length === 0) {
      throw new UserError('no_jobs', vscode.l10n.t('There is no job that this could be done with.'), {
        remedies: ['createJob'],
      });
    }
    const placeHolder = vscode.l10n.t('Which job?');
    return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.entry;
  }

  async #followUp(entry: JobEntry): Promise<void> {
    requireTrust();
    if (entry.job === undefined) throw neverStarted();
    const { input, sender } = this.#options;
    const { drafts } = input;
    const title = vscode.l10n.t('Follow Up');
    const job = entryKey(entry);
    const result = await input.ask(
      { title, step: 1, total: 1 },
      {
        text: drafts.find(job),
        cursor: undefined,
        job,
        // A job stays with the agent that it began with.
        agent: () => (entry.service === localServiceId ? (entry.agent ?? rulesAgentId) : undefined),
        mayChoose: false,
        prompt: vscode.l10n.t('What else should change? It goes to the same pull request.'),
      },
    );
    if (result.kind !== 'done') return;
    const prompt = result.value.trim();
    const send = async (): Promise<boolean> => {
      await vscode.window.withProgress({ location: { viewId: viewIds.jobs } }, async () =>
        sender.followUp(entry, prompt),
      );
      return true;
    };
    await drafts.keepUntilSent(prompt, send, { job });
  }

  async #reuse(entry: JobEntry): Promise<void> {
    const near = entry.folder === undefined ? undefined : vscode.Uri.parse(entry.folder);
    await this.#options.flow.askAndSend({
      text: entry.prompt,
      ...(near === undefined ? {} : { near }),
    });
  }

  /**
   * A review page of the local service is only there while the service runs, perhaps at another port than
   * last time.
   */
  async #withFreshLink(entry: JobEntry): Promise<JobEntry> {
    if (entry.service !== localServiceId || !isLoopback(entry.job?.prLink)) return entry;
    const { services, model, signal } = this.#options;
    const client = await services.clientFor(entry, signal);
    const job = await client.get(entry.projectId, entry.id, { signal });
    await model.update(entryKey(entry), (known) => withJob(known, job, Date.now()));
    return model.get(entryKey(entry)) ?? withJob(entry, job, Date.now());
  }

  async #copyLink(entry: JobEntry): Promise<void> {
    const link = openableLink((await this.#withFreshLink(entry)).job?.prLink);
    if (link === undefined) throw noPullRequest();
    await vscode.env.clipboard.writeText(link);
    vscode.window.setStatusBarMessage(vscode.l10n.t('The pull request link is in the clipboard.'), 3_000);
  }

  async #copyId(entry: JobEntry): Promise<void> {
    if (entry.job === undefined) throw neverStarted();
    await vscode.env.clipboard.writeText(entry.id);
    vscode.window.setStatusBarMessage(vscode.l10n.t('The job ID is in the clipboard.'), 3_000);
  }

  async #cancel(entry: JobEntry): Promise<void> {
    const { services, model, signal } = this.#options;
    const client = await services.clientFor(entry, signal);
    const job = await client.cancel(entry.projectId, entry.id, { signal });
    await model.update(entryKey(entry), (known) => withJob(known, job, Date.now()));
  }

  async #archive(entry: JobEntry): Promise<void> {
    const { services, model, signal } = this.#options;
    const client = await services.clientFor(entry, signal);
    const job = await client.archive(entry.projectId, entry.id, { signal });
    await model.update(entryKey(entry), (known) => withJob(known, job, Date.now()));
  }

  async #forget(entry: JobEntry): Promise<void> {
    if (isWatched(entry)) {
      const forget = vscode.l10n.t('Forget');
      const chosen = await vscode.window.showWarningMessage(
        vscode.l10n.t('Forget “{0}” while it runs?', titleOf(entry)),
        {
          modal: true,
          detail: vscode.l10n.t('The job goes on at the service; only this list no longer shows it.'),
        },
        forget,
      );
      if (chosen !== forget) return;
    }
    await this.#options.model.remove(entryKey(entry));
  }
}

function isEntryLike(value: unknown): value is JobEntry {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['service', 'projectId', 'id'].every(
      (name) => typeof (value as Record<string, unknown>)[name] === 'string',
    )
  );
}

function isLoopback(link: string | undefined): boolean {
  return link !== undefined && /^http:\/\//i.test(link);
}

function forgotten(): UserError {
  return new UserError('job_forgotten', vscode.l10n.t('This job is no longer in the list.'));
}

function neverStarted(): UserError {
  return new UserError(
    'not_started',
    vscode.l10n.t(
      'This prompt has not become a job that is known here. Use “Reuse Prompt” to send it again.',
    ),
  );
}

function noPullRequest(): UserError {
  return new UserError('no_pull_request', vscode.l10n.t('This job has no pull request.'), {
    remedies: ['refresh'],
  });
}
