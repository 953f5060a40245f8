import * as vscode from 'vscode';
import { projectIdSchema } from '../contract/project.ts';
import { readApiKey } from '../client/api-key.ts';
import type { ApiKeys } from './api-keys.ts';
import { findProject, findProjects, type FoundProject } from './docs-projects.ts';
import { repositoryRoot } from './git-state.ts';
import { askChoice, askText, type Step } from './multi-step.ts';
import { withoutIcons } from './plain-words.ts';
import { localProjectId } from './project-id.ts';
import { chosenService, type ChosenService } from './service-connection.ts';
import { projectIdSetting, setProjectIdSetting } from './settings.ts';
import { UserError } from './user-error.ts';

/** Where a new job goes. */
export interface JobTarget {
  readonly service: ChosenService;
  readonly project: FoundProject;
  readonly projectId: string;
}

/** What is known while the questions are asked. */
export interface TargetAnswer {
  readonly service: ChosenService;
  readonly project: FoundProject | undefined;
}

const confirmedPrefix = 'docsAgent.confirmedProjectId:';

/** Finds out, by asking where it must, which project at which service a job is for. */
export class JobTargets {
  readonly #keys: ApiKeys;
  readonly #state: vscode.Memento;

  constructor(keys: ApiKeys, state: vscode.Memento) {
    this.#keys = keys;
    this.#state = state;
  }

  /**
   * What has to be asked before a prompt can be sent. `near` is a place inside the wanted project.
   *
   * @throws UserError when there is nothing that a job could work on
   */
  async questions(
    near: vscode.Uri | undefined,
  ): Promise<{ start: TargetAnswer; steps: readonly Step<TargetAnswer>[] }> {
    requireTrust();
    const service = chosenService();
    const projects = await openProjects(near);
    const [only] = projects;
    const start = { service, project: projects.length === 1 ? only : undefined };
    const steps: Step<TargetAnswer>[] = [];
    if (projects.length > 1) steps.push(projectStep(projects));
    if (service.kind === 'hosted') {
      if ((await this.#keys.find(service.id)).kind !== 'found') steps.push(this.#keyStep(service.id));
      if (projects.some((project) => projectIdSetting(project.folder.uri) === undefined)) {
        steps.push(this.#projectIdStep());
      }
    }
    return { start, steps };
  }

  /**
   * The answers as a target. Asks once for each folder and id whether an id that came with the workspace
   * is the right one, because a repository could steer a job into another project. Undefined: it is not.
   */
  async resolve({ service, project }: TargetAnswer): Promise<JobTarget | undefined> {
    if (project === undefined) throw noProject();
    if (service.kind === 'local') {
      const { uri } = project;
      if (uri.scheme !== 'file') {
        throw new UserError(
          'no_local_folder',
          vscode.l10n.t(
            'The local service works on folders of this machine. For this folder, choose a hosted service.',
          ),
          { remedies: ['chooseService'] },
        );
      }
      await repositoryRoot(uri);
      return { service, project, projectId: localProjectId(uri.fsPath, process.platform === 'linux') };
    }
    const setting = projectIdSetting(project.folder.uri);
    if (setting === undefined || !projectIdSchema.safeParse(setting.id).success) {
      throw new UserError('no_project_id', vscode.l10n.t('This project has no usable project ID.'), {
        remedies: ['setProjectId'],
      });
    }
    if (setting.fromWorkspace && !(await this.#confirm(project, setting.id, service.id))) return undefined;
    return { service, project, projectId: setting.id };
  }

  /** Saves an id that the person typed, which is as good as confirmed. Empty: takes it back. */
  async setProjectId(folder: vscode.Uri, id: string): Promise<void> {
    await setProjectIdSetting(folder, id);
    if (id !== '') await this.#state.update(confirmationName(folder, id), true);
  }

  async #confirm(project: FoundProject, id: string, origin: string): Promise<boolean> {
    const name = confirmationName(project.folder.uri, id);
    if (this.#state.get<boolean>(name) === true) return true;
    const use = vscode.l10n.t('Use This Project');
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Send jobs of “{0}” to the project “{1}”?', project.folder.name, id),
      {
        modal: true,
        detail: vscode.l10n.t(
          'The project ID comes with the folder’s settings. Jobs are sent to {0} with your API key. You are asked once.',
          origin,
        ),
      },
      use,
    );
    if (chosen !== use) return false;
    await this.#state.update(name, true);
    return true;
  }

  #keyStep(origin: string): Step<TargetAnswer> {
    return async (answer, place) => {
      const result = await askText(place, keyQuestion(origin));
      if (result.kind !== 'done') return result;
      const reading = readApiKey(result.value);
      if (reading.kind === 'usable') await this.#keys.save(origin, reading.key);
      return { kind: 'done', value: answer };
    };
  }

  #projectIdStep(): Step<TargetAnswer> {
    return async (answer, place) => {
      const folder = answer.project?.folder;
      if (folder === undefined || projectIdSetting(folder.uri) !== undefined) return { kind: 'skipped' };
      const result = await askText(place, projectIdQuestion(folder.name, ''));
      if (result.kind !== 'done') return result;
      await this.setProjectId(folder.uri, result.value.trim());
      return { kind: 'done', value: answer };
    };
  }
}

/** @throws UserError `untrusted`: seeing jobs is safe in Restricted Mode, creating one is not. */
export function requireTrust(because = noJobs()): void {
  if (vscode.workspace.isTrusted) return;
  throw new UserError('untrusted', because, { remedies: ['manageTrust'] });
}

function noJobs(): string {
  return vscode.l10n.t(
    'Jobs are not created in Restricted Mode, because they work with what this workspace says. You can still see your jobs.',
  );
}

export function keyQuestion(origin: string): Parameters<typeof askText>[1] {
  return {
    prompt: vscode.l10n.t('API key for {0}. It is kept in the secret storage and sent nowhere else.', origin),
    placeholder: vscode.l10n.t('Paste the key from the provider’s API keys page'),
    password: true,
    validate: (value) => {
      const reading = readApiKey(value);
      return reading.kind === 'refused' ? reading.message : undefined;
    },
  };
}

export function projectIdQuestion(folder: string, value: string): Parameters<typeof askText>[1] {
  return {
    prompt: vscode.l10n.t(
      'Project ID of “{0}” at the service. It is on the provider’s API keys page.',
      folder,
    ),
    value,
    validate: (text) => {
      if (projectIdSchema.safeParse(text.trim()).success) return undefined;
      return vscode.l10n.t('A project ID has letters, digits, dots, dashes and underscores.');
    },
  };
}

async function openProjects(near: vscode.Uri | undefined): Promise<readonly FoundProject[]> {
  if (vscode.workspace.workspaceFolders === undefined) {
    throw new UserError('no_folder', vscode.l10n.t('Open the folder of your docs project first.'), {
      remedies: ['openFolder'],
    });
  }
  const folder = near === undefined ? undefined : vscode.workspace.getWorkspaceFolder(near);
  const named = folder === undefined ? undefined : await findProject(folder);
  const projects = named === undefined ? await findProjects() : [named];
  if (projects.length === 0) throw noProject();
  return projects;
}

function noProject(): UserError {
  return new UserError(
    'no_project',
    vscode.l10n.t(
      'No docs project was found in this workspace: there are no pages in it. Open another folder.',
    ),
    { remedies: ['openFolder'] },
  );
}

function projectStep(projects: readonly FoundProject[]): Step<TargetAnswer> {
  return async (answer, place) => {
    const active = activeFolder();
    const items = projects.map((project) => ({
      label: withoutIcons(project.folder.name),
      description: kindLabel(project),
      ...(placeOf(project) === project.folder.name ? {} : { detail: withoutIcons(placeOf(project)) }),
      project,
    }));
    const before = answer.project?.folder.uri.toString() ?? active?.uri.toString();
    const result = await askChoice(
      place,
      vscode.l10n.t('Which docs project should the job change?'),
      items,
      items.find((item) => item.project.folder.uri.toString() === before),
    );
    if (result.kind !== 'done') return result;
    return { kind: 'done', value: { ...answer, project: result.value.project } };
  };
}

/** The path with the folder's name, for which VS Code gives that of the machine when it is the folder itself. */
function placeOf({ folder, uri }: FoundProject): string {
  const isFolder = uri.toString() === folder.uri.toString();
  return isFolder ? folder.name : vscode.workspace.asRelativePath(uri, true);
}

/** Of the page that is being written. */
export function activeFolder(): vscode.WorkspaceFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
}

function kindLabel({ kind }: FoundProject): string {
  const labels: Readonly<Record<FoundProject['kind'], string>> = {
    mintlify: 'Mintlify',
    docusaurus: 'Docusaurus',
    mkdocs: 'MkDocs',
    vitepress: 'VitePress',
    sphinx: 'Sphinx',
    hugo: 'Hugo',
    nextra: 'Nextra',
    antora: 'Antora',
    markdown: 'Markdown',
  };
  return labels[kind];
}

function confirmationName(folder: vscode.Uri, id: string): string {
  return confirmedPrefix + JSON.stringify([folder.toString(), id]);
}
