import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { JobClient } from '../client/job-client.ts';
import { readServiceUrl } from '../client/service-url.ts';
import type { Fetch } from '../client/transport.ts';
import { serviceFolders } from '../contract/local-service.ts';
import { AgentHandOver } from './agent-hand-over.ts';
import { changesAgents, savedCommands, savedLimits, savedProviders } from './agent-settings.ts';
import type { ApiKeys } from './api-keys.ts';
import { logTextOf } from './error-report.ts';
import { localServiceId, type ServiceId } from './job-entry.ts';
import { LocalService } from './local-service.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { serviceEnvironment } from './service-environment.ts';
import type { ServicePlace, Services } from './services.ts';
import { serviceUrl } from './settings.ts';
import { UserError } from './user-error.ts';

/** The service that new jobs go to. */
export type ChosenService =
  | { readonly kind: 'local'; readonly id: typeof localServiceId }
  /** `id` is the origin, which the key is bound to; `base` may have a path as well. */
  | { readonly kind: 'hosted'; readonly id: ServiceId; readonly base: string };

const localKeyName = 'docsAgent.localServiceKey';

/** The editor's own fetch follows its proxies and certificates; it may be replaced at any time. */
export const editorFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** @throws UserError `invalid_base_url` */
export function chosenService(): ChosenService {
  const reading = serviceUrl();
  if (reading === undefined) return { kind: 'local', id: localServiceId };
  if (reading.kind === 'refused') {
    throw new UserError(
      'invalid_base_url',
      vscode.l10n.t('The address of the service cannot be used. {0}', reading.message),
      { remedies: ['chooseService'] },
    );
  }
  return { kind: 'hosted', id: reading.origin, base: reading.base };
}

/** How a job names the service that it goes to. */
export function placeOf(service: ChosenService): ServicePlace {
  return service.kind === 'hosted' ? { service: service.id, base: service.base } : { service: service.id };
}

export interface ConnectionOptions {
  readonly context: vscode.ExtensionContext;
  readonly keys: ApiKeys;
  /** Of model providers; see `ProviderKeys`. */
  readonly providerKeys: ProviderKeys;
  readonly log: vscode.LogOutputChannel;
  /** Ends with the window. */
  readonly signal: AbortSignal;
}

/** Reaches the local service and hosted ones. */
export class ServiceConnections implements Services, vscode.Disposable {
  readonly #keys: ApiKeys;
  readonly #local: LocalService;
  readonly #handOver: AgentHandOver;
  readonly #log: vscode.LogOutputChannel;
  readonly #signal: AbortSignal;
  readonly #subscriptions: vscode.Disposable;
  /** This window has used the local service, so it tells it of changes, too. */
  #hasConnected = false;

  constructor({ context, keys, providerKeys, log, signal }: ConnectionOptions) {
    this.#keys = keys;
    this.#log = log;
    this.#signal = signal;
    const { version } = context.extension.packageJSON as { version: string };
    this.#local = new LocalService({
      script: path.join(context.extensionUri.fsPath, 'dist', 'service', 'service.mjs'),
      runtime: process.execPath,
      folders: serviceFolders(process.platform, process.env, os.homedir()),
      environment: () => serviceEnvironment(process.env, networkSettings()),
      version,
      fetch: editorFetch,
      keyPlace: {
        get: async () => context.secrets.get(localKeyName),
        set: async (key) => context.secrets.store(localKeyName, key),
      },
      onEvent: (message) => log.info(message),
      t: vscode.l10n.t,
    });
    this.#handOver = new AgentHandOver({
      settings: async () => ({
        providers: await providerKeys.withKeys(savedProviders()),
        commands: [...savedCommands()],
        limits: savedLimits(),
      }),
      signal,
      onTrouble: (message, error) => log.warn(message, logTextOf(error)),
    });
    const changed = (): void => void this.#handOverChanges();
    this.#subscriptions = vscode.Disposable.from(
      providerKeys.onDidChange(changed),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (changesAgents(event)) changed();
      }),
    );
  }

  async clientFor(place: ServicePlace, signal: AbortSignal): Promise<JobClient> {
    const { service } = place;
    if (service === localServiceId) {
      if (!vscode.workspace.isTrusted) {
        throw new UserError(
          'untrusted',
          vscode.l10n.t('The local service is not used in Restricted Mode. Trust this workspace first.'),
          { remedies: ['manageTrust'] },
        );
      }
      const { client, instance } = await this.#local.connect(signal);
      this.#hasConnected = true;
      await this.#handOver.ensure(client, instance);
      return client;
    }
    const found = await this.#keys.find(service);
    if (found.kind === 'found') {
      return new JobClient({ baseUrl: baseOf(place), apiKey: found.key, fetch: editorFetch });
    }
    throw found.kind === 'gone' ? keyGone(service) : keyMissing(service);
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#local.dispose();
  }

  /** A service that does not run hears of it when it is next connected to. */
  async #handOverChanges(): Promise<void> {
    this.#handOver.outdate();
    if (!this.#hasConnected) return;
    try {
      const running = await this.#local.connectIfRunning(this.#signal);
      if (running !== undefined) await this.#handOver.ensure(running.client, running.instance);
    } catch (error) {
      // Whoever connects next hands over.
      if (!this.#signal.aborted) this.#log.warn('A change of agents was not handed over.', logTextOf(error));
    }
  }
}

/** An address leads to the job's own service or it is not used: the key belongs to the origin. */
function baseOf({ service, base }: ServicePlace): string {
  const chosen = serviceUrl();
  const readings = [...(base === undefined ? [] : [readServiceUrl(base)]), ...(chosen ? [chosen] : [])];
  const fitting = readings.find((reading) => reading.kind === 'usable' && reading.origin === service);
  return fitting?.kind === 'usable' ? fitting.base : service;
}

function keyMissing(origin: string): UserError {
  return new UserError('key_missing', vscode.l10n.t('There is no API key for {0}.', origin), {
    remedies: ['setApiKey'],
  });
}

function keyGone(origin: string): UserError {
  return new UserError(
    'key_gone',
    vscode.l10n.t(
      'The API key for {0} was saved, but this machine’s secret storage no longer has it. On Linux this happens without a keyring: install or unlock one, then set the key again.',
      origin,
    ),
    { remedies: ['setApiKey', 'openKeyringHelp'] },
  );
}

function networkSettings(): Parameters<typeof serviceEnvironment>[1] {
  const http = vscode.workspace.getConfiguration('http');
  return {
    proxy: http.get<string>('proxy'),
    noProxy: http.get<string[]>('noProxy') ?? [],
    useProxy: http.get<string>('proxySupport') !== 'off',
    systemCertificates: http.get<boolean>('systemCertificates') !== false,
  };
}
