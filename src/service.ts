import os from 'node:os';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { ShellCheck } from './adapters/check-command/shell-check.ts';
import { ChildProcesses } from './adapters/child-process/child-processes.ts';
import { createSecret, lastPort, publishAddress } from './adapters/files/address-file.ts';
import { readConfigFile } from './adapters/files/config-file.ts';
import { prepareFolders, removeLeftovers } from './adapters/files/folders.ts';
import { KeyHashes } from './adapters/files/key-hashes.ts';
import { GitCredentials } from './adapters/git/git-credentials.ts';
import { GitWorkspaces } from './adapters/git/git-workspaces.ts';
import { Git } from './adapters/git/run-git.ts';
import { LocalCodeHost } from './adapters/hosts/local/local-code-host.ts';
import { LocalReviews } from './adapters/hosts/local/local-reviews.ts';
import { createApp } from './adapters/http/app.ts';
import { listen } from './adapters/http/listen.ts';
import { createOutgoingFetch } from './adapters/http/outgoing-fetch.ts';
import { FileLog } from './adapters/log/file-log.ts';
import { loggingDefects } from './adapters/process/defects.ts';
import { runProcess } from './adapters/process/run-process.ts';
import { onStopRequest } from './adapters/process/stop-requests.ts';
import { takeInstanceLock } from './adapters/sqlite/instance-lock.ts';
import { openStores } from './adapters/sqlite/stores.ts';
import * as local from './contract/local-service.ts';
import { attemptJob } from './service/attempt-job.ts';
import { configFileName, parseConfig, type ServiceConfig } from './service/config.ts';
import { HostTokens } from './service/host-tokens.ts';
import { keepHouse } from './service/housekeeping.ts';
import { JobService } from './service/job-service.ts';
import { JobSignals } from './service/job-signals.ts';
import { Lifetime } from './service/lifetime.ts';
import { defaultJobLimits, defaultRequestLimits } from './service/limits.ts';
import { Redactor } from './service/redaction.ts';
import { defaultWorkerTimes, Worker } from './service/worker.ts';
import { serviceAgents } from './service-agents.ts';
import { codeHosts } from './service-hosts.ts';

const childEntry = new URL(`./service-child${path.extname(import.meta.url)}`, import.meta.url);

/** Puts the process together around {@link serve}. Answers its exit code. */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const folders = local.serviceFolders(process.platform, env, os.homedir());
  prepareFolders(folders);
  using lock = takeInstanceLock(path.join(folders.data, 'service.lock'));
  if (lock === undefined) return local.serviceExitCodes.alreadyRunning;
  removeLeftovers(folders.data);
  const config = parseConfig(readConfigFile(path.join(folders.data, configFileName)), env);
  const redactor = new Redactor();
  using log = new FileLog({ file: path.join(folders.data, 'service.log'), redactor });
  await loggingDefects(log, () => serve(env, folders, config, redactor, log));
  return local.serviceExitCodes.ended;
}

/** The local service, until it is idle or asked to end. */
async function serve(
  env: NodeJS.ProcessEnv,
  folders: local.ServiceFolders,
  config: ServiceConfig,
  redactor: Redactor,
  log: FileLog,
): Promise<void> {
  await using stores = openStores(path.join(folders.data, 'jobs.db'));
  const isBusy = async (): Promise<boolean> => (await stores.jobs.activeCount()) > 0;
  using lifetime = new Lifetime({ idleMs: config.idleMinutes * 60_000, isBusy });
  using _requests = onStopRequest(lifetime.requestStop);
  const hostTokens = new HostTokens(redactor);
  const git = new Git({ redactor, env, emptyFolder: path.join(folders.cache, 'empty') });
  const credentials = new GitCredentials({ git, redactor, hosts: config.hosts, hostTokens, env });
  await using workspaces = new GitWorkspaces({ git, credentials, folders, env, log, author: config.author });
  await using children = new ChildProcesses({ entry: childEntry, env, keep: config.concurrency });
  const { jobs: store, projects } = stores;
  const shared = { store, projects, workspaces, signals: new JobSignals(), log };
  const reviews = { store: stores.reviews, workspaces, projects };
  const outside = { env, redactor, version: manifest.version, fetch: createOutgoingFetch() };
  using agents = await serviceAgents({ ...outside, folders, config, ...children.parts('rules') });
  const jobDeps = {
    ...shared,
    version: outside.version,
    ...agents.forJobs,
    checkCommand: new ShellCheck({ redactor, env }),
    hosts: [...codeHosts({ ...outside, credentials, hosts: config.hosts }), new LocalCodeHost(reviews)],
    limits: { ...defaultJobLimits, attempts: config.jobs.attempts },
    redact: (text: string) => redactor.redact(text),
    ...config.jobs,
  };
  const worker = new Worker(
    { ...shared, run: (claim, signal, seat) => attemptJob(claim, { ...jobDeps, seat }, signal) },
    { name: `local ${process.pid}`, concurrency: config.concurrency, alone: true, ...defaultWorkerTimes },
  );
  await using server = await listen(config.port || lastPort(folders.data));
  const identity = { version: outside.version, secret: createSecret() };
  const app = createApp({
    jobs: new JobService({
      ...shared,
      limits: defaultRequestLimits,
      defaultAgent: config.agents.default,
      baseUrl: () => server.url,
      rememberHostToken: (id, token) => hostTokens.set(id, token),
    }),
    reviews: new LocalReviews(reviews),
    ...agents.forRequests,
    keys: new KeyHashes(path.join(folders.data, local.keyHashesFileName)),
    identity,
    lifecycle: lifetime,
    log,
    port: server.port,
    isReady: () => isBusy().then(() => true),
  });
  server.serve(app);
  using _address = publishAddress(folders.data, { url: server.url, pid: process.pid, ...identity });
  await worker.start();
  log.info('The service runs', { version: outside.version, url: server.url, pid: process.pid });
  using _house = keepHouse({ store: stores.jobs, workspaces, log });
  await lifetime.over();
  log.info('The service is ending', { running: worker.running });
  const hurried = lifetime.hurried().then(() => worker.stop('abort', defaultJobLimits.letGoMs));
  await Promise.race([hurried, worker.stop('finish', config.stopSeconds * 1000)]);
}

await runProcess(main);
