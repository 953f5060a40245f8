import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { noAgentChosen, requireKey, requireReady } from './agent-readiness.ts';
import { chosenAgent, pullRequestSetting } from './agent-settings.ts';
import { editorModelOf } from './agent-values.ts';
import type { EditorModels } from './editor-models.ts';
import { withJob, withProblem } from './entry-changes.ts';
import { gitHubToken } from './github-session.ts';
import { entryKey, localServiceId, type EntryProblem, type JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import type { JobTarget } from './job-target.ts';
import { reportOf } from './error-report.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { placeOf } from './service-connection.ts';
import type { Services } from './services.ts';
import { baseBranchSetting } from './settings.ts';

/** Sends prompts. What was sent, or could not be, is in the model before the first byte leaves. */
export class JobSender {
  readonly #model: JobModel;
  readonly #services: Services;
  readonly #editorModels: EditorModels;
  readonly #providerKeys: ProviderKeys;
  readonly #signal: AbortSignal;

  /** `signal` ends with the window. */
  constructor(
    model: JobModel,
    services: Services,
    agents: { readonly models: EditorModels; readonly keys: ProviderKeys },
    signal: AbortSignal,
  ) {
    this.#model = model;
    this.#services = services;
    this.#editorModels = agents.models;
    this.#providerKeys = agents.keys;
    this.#signal = signal;
  }

  /**
   * Creates a job. Rejects with the reason when there is none; the prompt is then kept in its row.
   * `allowedCheck` is the command that the person has allowed to run after jobs of this repository.
   */
  async create(target: JobTarget, prompt: string, allowedCheck?: string): Promise<JobEntry> {
    const { service, project, projectId } = target;
    const idempotencyKey = randomUUID();
    // Hosted services have their own agents and are never told of these.
    const agent = service.kind === 'local' ? chosenAgent() : undefined;
    const entry: JobEntry = {
      ...placeOf(service),
      ...(agent === undefined ? {} : { agent }),
      projectId,
      projectName: project.folder.name,
      folder: project.folder.uri.toString(),
      id: idempotencyKey,
      prompt,
      createdAt: Date.now(),
      job: undefined,
      checkedAt: undefined,
      problem: undefined,
      endedAt: undefined,
      seenAt: undefined,
      openedAt: undefined,
    };
    const key = entryKey(entry);
    await this.#model.add(entry);
    try {
      const client = await this.#services.clientFor(entry, this.#signal);
      if (service.kind === 'local') {
        if (agent === undefined) throw noAgentChosen();
        await requireKey(agent, this.#providerKeys);
        await requireReady(agent, client, this.#editorModels, this.#signal);
        const pullRequest = pullRequestSetting(project.folder.uri);
        const baseBranch = baseBranchSetting(project.folder.uri);
        const hostToken = await gitHubToken(project.uri);
        await client.putProject(
          projectId,
          {
            // The service takes a folder inside a repository as its docs.
            repository: project.uri.fsPath,
            ...(baseBranch === undefined ? {} : { baseBranch }),
            ...(pullRequest === undefined ? {} : { pullRequest }),
            ...(allowedCheck === undefined ? {} : { allowedCheck }),
            ...(hostToken === undefined ? {} : { hostToken }),
          },
          { signal: this.#signal },
        );
      }
      const job = await client.create(projectId, prompt, {
        ...(agent === undefined ? {} : { agent }),
        idempotencyKey,
        signal: this.#signal,
      });
      const created = withJob({ ...entry, id: job.id }, job, Date.now());
      await this.#model.replace(key, created);
      return created;
    } catch (error) {
      await this.#model.update(key, (kept) => withProblem(kept, problemOf(error)));
      throw error;
    }
  }

  /** Sends a follow-up to a job, which becomes active again. Its agent stays what it was. */
  async followUp(entry: JobEntry, prompt: string): Promise<void> {
    const client = await this.#services.clientFor(entry, this.#signal);
    const ofEditor = entry.service === localServiceId ? editorModelOf(entry.agent) : undefined;
    // Only now a person is here to answer the editor's question.
    if (ofEditor !== undefined) await this.#editorModels.askConsent(ofEditor, this.#signal);
    const job = await client.message(entry.projectId, entry.id, prompt, {
      idempotencyKey: randomUUID(),
      signal: this.#signal,
    });
    await this.#model.update(entryKey(entry), (known) => withJob(known, job, Date.now()));
  }
}

/** An error as what a row says. */
export function problemOf(error: unknown): EntryProblem {
  const report = reportOf(error);
  const at = Date.now();
  switch (report.kind) {
    case 'told':
      return { code: report.code, message: report.message, at };
    case 'cancelled':
      return { code: 'cancelled', message: vscode.l10n.t('The job was not sent.'), at };
    case 'unexpected':
      return {
        code: 'unexpected',
        message: vscode.l10n.t('Something unexpected went wrong. The log has the details.'),
        at,
      };
  }
}
