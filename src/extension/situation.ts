import * as vscode from 'vscode';
import { ApiError } from '../client/api-error.ts';
import { checkHealth } from '../client/check-health.ts';
import type { ApiKeys } from './api-keys.ts';
import { findProjects } from './docs-projects.ts';
import type { JobModel } from './job-model.ts';
import { editorFetch } from './service-connection.ts';
import { settingsSection } from './setting-names.ts';
import { serviceUrl } from './settings.ts';
import type { Situation } from './view-state.ts';

/**
 * Keeps what the empty list says up to date. Looks only while there is no job to show, and reads a key
 * only where one is needed and somebody sees the list: activation reads no secret.
 */
export class SituationWatch implements vscode.Disposable {
  readonly #keys: ApiKeys;
  readonly #model: JobModel;
  readonly #tell: (situation: Situation) => void;
  readonly #subscriptions: vscode.Disposable;
  #isUnreachable = false;
  #isShown = false;
  #reading: Promise<void> | undefined;
  #again = false;
  #disposed = false;

  constructor(keys: ApiKeys, model: JobModel, tell: (situation: Situation) => void) {
    this.#keys = keys;
    this.#model = model;
    this.#tell = tell;
    const look = (): void => void this.look();
    this.#subscriptions = vscode.Disposable.from(
      model.onDidChange(look),
      keys.onDidChange(look),
      vscode.workspace.onDidChangeWorkspaceFolders(look),
      vscode.workspace.onDidGrantWorkspaceTrust(look),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(settingsSection)) return;
        this.#isUnreachable = false;
        look();
      }),
    );
  }

  /** The list has come into sight. */
  async show(): Promise<void> {
    this.#isShown = true;
    await this.look();
  }

  /** One look at a time, at most one more waiting. */
  async look(): Promise<void> {
    if (this.#disposed || this.#model.counts.total > 0) return;
    if (this.#reading !== undefined) {
      this.#again = true;
      return;
    }
    this.#reading = this.#read();
    await this.#reading;
    this.#reading = undefined;
    if (!this.#again) return;
    this.#again = false;
    await this.look();
  }

  /** Asks a hosted service whether it is there: a person wants to know. The local one starts when needed. */
  async check(signal: AbortSignal): Promise<void> {
    const service = serviceUrl();
    this.#isUnreachable = false;
    if (service?.kind === 'usable') {
      try {
        await checkHealth(service.base, editorFetch, { signal });
      } catch (error) {
        // Providers need not have this page; any answer at all says that somebody is there.
        const codes: readonly string[] = ['unreachable', 'timeout', 'redirected', 'server_error'];
        this.#isUnreachable = error instanceof ApiError && codes.includes(error.code);
      }
    }
    await this.look();
  }

  dispose(): void {
    this.#disposed = true;
    this.#subscriptions.dispose();
  }

  async #read(): Promise<void> {
    const service = serviceUrl();
    const [projects, key] = await Promise.all([
      findProjects(),
      service?.kind === 'usable' ? this.#keyOf(service.origin) : ('notNeeded' as const),
    ]);
    if (this.#disposed) return;
    this.#tell({
      hasFolder: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
      hasProject: projects.length > 0,
      key,
      isUnreachable: this.#isUnreachable,
    });
  }

  async #keyOf(origin: string): Promise<Situation['key']> {
    if (!this.#isShown) return this.#keys.wasSaved(origin) ? 'saved' : 'missing';
    const { kind } = await this.#keys.find(origin);
    return kind === 'found' ? 'saved' : kind;
  }
}
