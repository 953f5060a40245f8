import { readdirSync } from 'node:fs';
import path from 'node:path';
import { GitCredentials } from '../../src/adapters/git/git-credentials.ts';
import { GitWorkspaces, type GitWorkspacesOptions } from '../../src/adapters/git/git-workspaces.ts';
import { Git } from '../../src/adapters/git/run-git.ts';
import type { Project } from '../../src/contract/project.ts';
import type { ServiceConfig } from '../../src/service/config.ts';
import { HostTokens } from '../../src/service/host-tokens.ts';
import type { Log } from '../../src/service/ports/log.ts';
import { Redactor } from '../../src/service/redaction.ts';
import { type Files, writeFiles } from './repositories.ts';

const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Git for the service as its composition root wires it, below a temporary folder. */
export interface GitService extends AsyncDisposable {
  readonly git: Git;
  readonly workspaces: GitWorkspaces;
  readonly credentials: GitCredentials;
  readonly hostTokens: HostTokens;
  readonly redactor: Redactor;
  readonly folders: { readonly cache: string; readonly data: string };
}

export function gitService(
  parent: string,
  settings: {
    env?: NodeJS.ProcessEnv;
    hosts?: ServiceConfig['hosts'];
    workspaces?: Partial<GitWorkspacesOptions>;
  } = {},
): GitService {
  const folders = { cache: path.join(parent, 'cache'), data: path.join(parent, 'data') };
  // A home of its own: the tests hear nothing of the machine's own git configuration.
  const env = { PATH: process.env['PATH'], HOME: parent, GIT_CONFIG_NOSYSTEM: '1', ...settings.env };
  const redactor = new Redactor();
  const hostTokens = new HostTokens(redactor);
  const git = new Git({ redactor, env, emptyFolder: path.join(folders.cache, 'empty') });
  const credentials = new GitCredentials({ git, redactor, hosts: settings.hosts ?? {}, hostTokens, env });
  const workspaces = new GitWorkspaces({
    git,
    credentials,
    folders,
    env,
    log: silentLog,
    ...settings.workspaces,
  });
  return {
    git,
    workspaces,
    credentials,
    hostTokens,
    redactor,
    folders,
    [Symbol.asyncDispose]: () => workspaces[Symbol.asyncDispose](),
  };
}

export function projectOf(repository: string, more: Partial<Project> = {}): Project {
  return { id: 'docs', repository, ...more };
}

export const noSignal: AbortSignal = new AbortController().signal;

/** A job's commit with these files, pushed unless `branch` is undefined. */
export async function pushedJob(
  service: GitService,
  repository: string,
  files: Files,
  branch: string | undefined = 'docs-agent/j',
): Promise<{ base: string; head: string }> {
  const project = projectOf(repository);
  await using workspace = await service.workspaces.open({ jobId: `j${branch}`, project, signal: noSignal });
  writeFiles(workspace.directory, files);
  const head = (await workspace.commit('The change', {})) ?? '';
  if (branch) await service.workspaces.push(project, branch, head, noSignal);
  return { base: workspace.baseCommit, head };
}

/** Directories of jobs that are still there. */
export function leftWorkspaces(cache: string): string[] {
  const work = path.join(cache, 'work');
  return readdirSync(work).flatMap((name) =>
    readdirSync(path.join(work, name)).filter((file) => file !== 'owner'),
  );
}
