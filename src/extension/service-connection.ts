import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { JobClient } from '../client/job-client.ts';
import { readServiceUrl } from '../client/service-url.ts';
import type { Fetch } from '../client/transport.ts';
import { serviceFolders } from '../contract/local-service.ts';
import type { ApiKeys } from './api-keys.ts';
import { localServiceId, type ServiceId } from './job-entry.ts';
import { LocalService } from './local-service.ts';
import { serviceEnvironment } from './service-environment.ts';
import type { Services } from './services.ts';
import { serviceUrl } from './settings.ts';
import { UserError } from './user-error.ts';

/** The service that new jobs go to. */
export type ChosenService =
  | { readonly kind: 'local'; readonly id: typeof localServiceId }
  /** `id` is the origin, which the key is bound to; `base` may have a path as well. */
  | { readonly kind: 'hosted'; readonly id: ServiceId; readonly base: string };

const basePrefix = 'docsAgent.serviceBase:';
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

/** Reaches the local service and hosted ones. */
export class ServiceConnections implements Services, vscode.Disposable {
  readonly #keys: ApiKeys;
  readonly #state: vscode.Memento;
  readonly #local: LocalService;

  constructor(context: vscode.ExtensionContext, keys: ApiKeys, log: vscode.LogOutputChannel) {
    this.#keys = keys;
    this.#state = context.globalState;
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
    });
  }

  async clientFor(service: ServiceId, signal: AbortSignal): Promise<JobClient> {
    if (service === localServiceId) {
      if (!vscode.workspace.isTrusted) {
        throw new UserError(
          'untrusted',
          vscode.l10n.t('The local service is not used in Restricted Mode. Trust this workspace first.'),
          { remedies: ['manageTrust'] },
        );
      }
      return this.#local.client(signal);
    }
    const found = await this.#keys.find(service);
    if (found.kind === 'found') {
      return new JobClient({ baseUrl: this.#baseOf(service), apiKey: found.key, fetch: editorFetch });
    }
    throw found.kind === 'gone' ? keyGone(service) : keyMissing(service);
  }

  /** Jobs name their service by its origin, so where it has a path as well is kept here. */
  async remember(service: ChosenService): Promise<void> {
    if (service.kind === 'hosted') await this.#state.update(basePrefix + service.id, service.base);
  }

  dispose(): void {
    this.#local.dispose();
  }

  #baseOf(origin: ServiceId): string {
    const chosen = serviceUrl();
    if (chosen?.kind === 'usable' && chosen.origin === origin) return chosen.base;
    const remembered = readServiceUrl(this.#state.get<string>(basePrefix + origin) ?? '');
    return remembered.kind === 'usable' && remembered.origin === origin ? remembered.base : origin;
  }
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
