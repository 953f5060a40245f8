import path from 'node:path';
import * as vscode from 'vscode';
import { AgentParts } from './extension/agent-parts.ts';
import { ApiKeys } from './extension/api-keys.ts';
import { registerCommands, showError } from './extension/commands.ts';
import { createFromEditor, linkHandler } from './extension/create-from-editor.ts';
import { CreateJobFlow } from './extension/create-job.ts';
import { JobActions } from './extension/job-actions.ts';
import { JobDetails } from './extension/job-details.ts';
import { localServiceId } from './extension/job-entry.ts';
import { JobLookups } from './extension/job-lookups.ts';
import { JobModel } from './extension/job-model.ts';
import { JobPolling } from './extension/job-polling.ts';
import { JobTargets } from './extension/job-target.ts';
import { JobsTree } from './extension/jobs-tree.ts';
import { Ledger } from './extension/ledger.ts';
import { Notifications } from './extension/notifications.ts';
import { PollLease } from './extension/poll-lease.ts';
import { PromptDocuments } from './extension/prompt-documents.ts';
import { PromptInput } from './extension/prompt-input.ts';
import { PullRequestOpener } from './extension/pull-request-opener.ts';
import { JobSender } from './extension/send-job.ts';
import { ServiceActions } from './extension/service-actions.ts';
import { ServiceConnections } from './extension/service-connection.ts';
import { SituationWatch } from './extension/situation.ts';
import { StatusBar } from './extension/status-bar.ts';
import { systemClock as clock } from './extension/system-clock.ts';

/** Puts the extension together inside VS Code. Everything is registered before anything is awaited. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const own = <T extends { dispose(): unknown }>(thing: T): T => {
    context.subscriptions.push(thing);
    return thing;
  };
  const { globalState, workspaceState, globalStorageUri } = context;
  const now = Date.now;
  const log = own(vscode.window.createOutputChannel('Docs Agent', { log: true }));
  const onTrouble = (message: string, error: unknown): void => log.warn(message, error);
  const lifetime = new AbortController();
  own({ dispose: () => lifetime.abort() });
  const { signal } = lifetime;
  const keys = new ApiKeys(context.secrets, globalState);
  const agents = new AgentParts(context);
  const services = own(new ServiceConnections({ context, keys, providerKeys: agents.keys, log, signal }));
  const lookups = new JobLookups(services);

  const ledger = own(new Ledger({ folder: path.join(globalStorageUri.fsPath, 'jobs'), now, onTrouble }));
  const model = new JobModel(ledger, now);
  const claim = ledger.claim.bind(ledger);
  const tree = own(new JobsTree(model, now));
  own(new StatusBar(model, now));
  const situation = own(new SituationWatch(keys, model, (found) => tree.setSituation(found)));
  own(tree.onDidShow(() => void situation.show()));
  const details = own(new JobDetails({ model, events: lookups.events, now }));
  const { openExternal } = vscode.env;
  const opener = new PullRequestOpener({ model, claim, freshJob: lookups.job, now, openExternal });
  const notifications = own(new Notifications({ model, claim, opener, state: globalState, clock, log }));
  const polling = own(
    new JobPolling({
      model,
      lease: new PollLease({ folder: path.join(globalStorageUri.fsPath, 'poll-lease'), now }),
      look: lookups.job,
      mayLook: ({ service }) => vscode.workspace.isTrusted || service !== localServiceId,
      clock,
      random: Math.random,
      focused: vscode.window.state.focused,
      onKeyRefused: (_service, error) => notifications.keyRefused(error),
      onTrouble,
    }),
  );
  own(vscode.workspace.onDidGrantWorkspaceTrust(() => polling.replan()));
  own(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      polling.setFocused(focused);
      // For file systems that do not tell what other windows write.
      if (focused) void ledger.rescan();
    }),
  );
  own(keys.onDidChange((origin) => polling.resume(origin)));

  const targets = new JobTargets(keys, globalState);
  const sender = new JobSender(model, services, agents, signal);
  const input = new PromptInput(model, workspaceState);
  const documents = own(new PromptDocuments(workspaceState));
  const flow = new CreateJobFlow(targets, input, documents, sender, agents.consent);
  const service = new ServiceActions({ keys, targets, services, model, signal });
  const jobs = new JobActions({ model, services, sender, input, flow, details, opener, signal });
  own(agents.lend({ model, services, signal, now, onTrouble }));
  const handlers = {
    ...jobs.handlers(),
    createJob: () => flow.askAndSend({}),
    createJobFromEditor: (argument: unknown) => createFromEditor(flow, documents, argument),
    submitPrompt: () => flow.sendDocument(),
    watchJob: () => service.watchJob(),
    setApiKey: () => service.setApiKey(),
    removeApiKey: () => service.removeApiKey(),
    chooseService: () => service.chooseService(),
    chooseAgent: () => agents.actions(services, signal).chooseAgent(),
    setProjectId: () => service.setProjectId(),
    showLog: async () => log.show(),
    refresh: async () => {
      for (const { service: id } of model.entries) polling.resume(id);
      polling.checkNow();
      await situation.check(signal);
    },
  };
  own(registerCommands(handlers, log));
  own(vscode.window.registerUriHandler(linkHandler(documents, (error) => showError(error, log))));

  try {
    model.load(await ledger.load());
    ledger.watch((changes) => {
      model.accept(changes).catch((error: unknown) => onTrouble('A job could not be written back.', error));
    });
  } catch (error) {
    showError(error, log);
  }
  tree.setLoaded();
  await situation.look();
}
