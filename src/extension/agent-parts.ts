import * as vscode from 'vscode';
import { AgentActions } from './choose-agent.ts';
import { AgentManager } from './manage-agents.ts';
import { CheckConsent } from './check-consent.ts';
import { EditorModelLoop } from './editor-model-loop.ts';
import { EditorModels } from './editor-models.ts';
import { localServiceId } from './job-entry.ts';
import type { JobModel } from './job-model.ts';
import { ProviderKeys } from './provider-keys.ts';
import type { Services } from './services.ts';

export interface AgentSurroundings {
  readonly model: JobModel;
  readonly services: Services;
  /** Ends with the window. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onTrouble: (message: string, error: unknown) => void;
}

/** The part of the extension that knows which agents there are, put together. Reads no secret by itself. */
export class AgentParts {
  readonly keys: ProviderKeys;
  readonly models: EditorModels;
  readonly consent: CheckConsent;

  constructor({ secrets, globalState, languageModelAccessInformation }: vscode.ExtensionContext) {
    this.keys = new ProviderKeys(secrets, globalState);
    this.models = new EditorModels(languageModelAccessInformation);
    this.consent = new CheckConsent(globalState);
  }

  /** Lends the editor's models to jobs until it is disposed. */
  lend({ model, services, signal, now, onTrouble }: AgentSurroundings): vscode.Disposable {
    const loop = new EditorModelLoop({
      model,
      models: this.models,
      connect: () => services.clientFor({ service: localServiceId }, signal),
      mayRun: () => vscode.workspace.isTrusted,
      now,
      onTrouble,
    });
    return vscode.Disposable.from(
      loop,
      vscode.workspace.onDidGrantWorkspaceTrust(() => loop.plan()),
    );
  }

  actions(services: Services, signal: AbortSignal): AgentActions {
    const manager = new AgentManager(this.keys, this.consent, signal);
    return new AgentActions({ services, keys: this.keys, models: this.models, manager, signal });
  }
}
