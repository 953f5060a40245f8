import * as vscode from 'vscode';
import { readApiKey } from '../client/api-key.ts';
import { readServiceUrl } from '../client/service-url.ts';
import type { ApiKeys } from './api-keys.ts';
import { withJob } from './entry-changes.ts';
import type { JobEntry } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import { servicesWithRefusedKey } from './job-state.ts';
import { activeFolder, keyQuestion, projectIdQuestion, type JobTargets } from './job-target.ts';
import { askChoice, askInOrder, askText } from './multi-step.ts';
import { chosenService, placeOf, type ServiceConnections } from './service-connection.ts';
import { projectIdSetting, serviceUrl, setServiceUrl } from './settings.ts';
import { UserError } from './user-error.ts';

export interface ServiceActionsOptions {
  readonly keys: ApiKeys;
  readonly targets: JobTargets;
  readonly services: ServiceConnections;
  readonly model: JobModel;
  /** Ends with the window. */
  readonly signal: AbortSignal;
}

/** Which service, which key, which project. */
export class ServiceActions {
  readonly #options: ServiceActionsOptions;

  constructor(options: ServiceActionsOptions) {
    this.#options = options;
  }

  /** Local, or a base URL; a hosted one goes on to its key when there is none yet. */
  async chooseService(): Promise<void> {
    const title = vscode.l10n.t('Choose Service');
    const now = serviceUrl();
    const local = {
      label: vscode.l10n.t('$(device-desktop) Local Service'),
      detail: vscode.l10n.t('Comes with the extension and runs on this machine. Nothing to sign up for.'),
      isLocal: true,
    };
    const hosted = {
      label: vscode.l10n.t('$(cloud) Hosted Service…'),
      detail: vscode.l10n.t('Any provider of the Agent Job API, by its base URL and an API key.'),
      isLocal: false,
    };
    const chosen = await askInOrder<{ isLocal: boolean; url: string }>(
      title,
      [
        async (answer, place) => {
          const items = [local, hosted];
          const active = now === undefined ? local : hosted;
          const own = { ...place, total: 1 };
          const result = await askChoice(own, vscode.l10n.t('Where should jobs run?'), items, active);
          if (result.kind !== 'done') return result;
          return { kind: 'done', value: { ...answer, isLocal: result.value.isLocal } };
        },
        async (answer, place) => {
          if (answer.isLocal) return { kind: 'skipped' };
          const result = await askText(place, {
            prompt: vscode.l10n.t('Base URL of the service'),
            placeholder: 'https://api.example.com',
            value: now?.kind === 'usable' ? now.base : '',
            validate: (text) => {
              const reading = readServiceUrl(text);
              return reading.kind === 'refused' ? reading.message : undefined;
            },
          });
          if (result.kind !== 'done') return result;
          return { kind: 'done', value: { ...answer, url: result.value.trim() } };
        },
      ],
      { isLocal: true, url: '' },
    );
    if (chosen === undefined) return;
    if (chosen.isLocal) {
      await setServiceUrl('');
      return;
    }
    await setServiceUrl(chosen.url);
    const reading = readServiceUrl(chosen.url);
    if (reading.kind === 'refused') return;
    const { origin } = reading;
    if ((await this.#options.keys.find(origin)).kind !== 'found') await this.#askKey(origin);
  }

  /** For the one service whose key was refused; else for the chosen one; else one is to be chosen. */
  async setApiKey(): Promise<void> {
    const refused = servicesWithRefusedKey(this.#options.model.entries);
    const [only] = refused;
    if (only !== undefined && refused.size === 1) {
      await this.#askKey(only);
      return;
    }
    const service = chosenService();
    if (service.kind === 'hosted') await this.#askKey(service.id);
    else await this.chooseService();
  }

  async removeApiKey(): Promise<void> {
    const { keys } = this.#options;
    const items = keys.origins().map((origin) => ({ label: origin }));
    if (items.length === 0) {
      throw new UserError('key_missing', vscode.l10n.t('No API key is saved on this machine.'));
    }
    const placeHolder = vscode.l10n.t('Which service’s key should be removed from this machine?');
    const chosen = await vscode.window.showQuickPick(items, { placeHolder });
    if (chosen !== undefined) await keys.remove(chosen.label);
  }

  async setProjectId(): Promise<void> {
    const folder = activeFolder() ?? (await this.#pickFolder());
    if (folder === undefined) return;
    const title = vscode.l10n.t('Set Project ID');
    const now = projectIdSetting(folder.uri)?.id ?? '';
    const result = await askText({ title, step: 1, total: 1 }, projectIdQuestion(folder.name, now));
    if (result.kind === 'done') await this.#options.targets.setProjectId(folder.uri, result.value.trim());
  }

  /** Takes up a job that was started elsewhere, or whose answer was lost. */
  async watchJob(): Promise<void> {
    const { model, services, targets, signal } = this.#options;
    const { start, steps } = await targets.questions(undefined);
    const title = vscode.l10n.t('Watch Job');
    const answer = await askInOrder<typeof start & { readonly id?: string }>(
      title,
      [
        ...steps,
        async (known, place) => {
          const result = await askText(place, {
            prompt: vscode.l10n.t('ID of the job, as the provider’s dashboard shows it'),
            // The rule for ids is the service's; only what could not be one is refused here.
            validate: (text) =>
              /^\S{1,256}$/.test(text.trim()) ? undefined : vscode.l10n.t('An ID is one word.'),
          });
          if (result.kind !== 'done') return result;
          return { kind: 'done', value: { ...known, id: result.value.trim() } };
        },
      ],
      start,
    );
    if (answer?.id === undefined) return;
    const target = await targets.resolve(answer);
    if (target === undefined) return;
    const client = await services.clientFor(placeOf(target.service), signal);
    const job = await client.get(target.projectId, answer.id, { signal });
    const now = Date.now();
    const created = Date.parse(job.createdAt ?? '');
    const entry: JobEntry = {
      ...placeOf(target.service),
      projectId: target.projectId,
      projectName: target.project.folder.name,
      folder: target.project.folder.uri.toString(),
      id: job.id,
      prompt: job.prompt ?? '',
      createdAt: Number.isNaN(created) ? now : Math.min(created, now),
      job: undefined,
      checkedAt: undefined,
      problem: undefined,
      endedAt: undefined,
      seenAt: undefined,
      openedAt: undefined,
    };
    await model.add(withJob(entry, job, now));
  }

  async #askKey(origin: string): Promise<void> {
    const title = vscode.l10n.t('Set API Key');
    const result = await askText({ title, step: 1, total: 1 }, keyQuestion(origin));
    if (result.kind !== 'done') return;
    const reading = readApiKey(result.value);
    if (reading.kind === 'usable') await this.#options.keys.save(origin, reading.key);
  }

  async #pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (folders.length > 1) return vscode.window.showWorkspaceFolderPick();
    const [only] = folders;
    if (only !== undefined) return only;
    throw new UserError('no_folder', vscode.l10n.t('Open the folder of your docs project first.'), {
      remedies: ['openFolder'],
    });
  }
}
