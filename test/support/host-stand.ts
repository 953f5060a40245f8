import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { fetch as undiciFetch } from 'undici';
import type { HostOptions } from '../../src/adapters/hosts/host-options.ts';
import type { ServiceConfig } from '../../src/service/config.ts';
import type { CodeHost, HostedRepository, NewPullRequest } from '../../src/service/ports/code-host.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import type { CodeHostServer, HostedProject, PlannedAnswer } from './code-host.ts';
import { type GitService, gitService, noSignal, projectOf } from './git-service.ts';
import { git, repositoryWithoutRemote, writeFiles } from './repositories.ts';
import { failsWith } from './service-errors.ts';

/** One adapter in front of one repository of its server, with git as the service wires it. */
export class HostStand implements AsyncDisposable {
  readonly server: CodeHostServer;
  readonly hosted: HostedProject;
  readonly clone: string;
  readonly service: GitService;
  readonly host: CodeHost;
  /** What adapters say beside their work. */
  readonly warnings: string[] = [];

  constructor(
    folder: string,
    server: CodeHostServer,
    hosted: HostedProject,
    makeHost: (options: HostOptions) => CodeHost,
    hosts: ServiceConfig['hosts'] = server.configuration,
  ) {
    this.server = server;
    this.hosted = hosted;
    this.clone = repositoryWithoutRemote(folder);
    // The server wants a token; the first push goes past it. A second stand replaces the first one's branch.
    git(this.clone, 'push', '--quiet', '--force', hosted.gitDir, 'main');
    git(this.clone, 'remote', 'add', 'origin', hosted.url);
    this.service = gitService(folder, { hosts });
    this.host = makeHost({
      credentials: this.service.credentials,
      redactor: this.service.redactor,
      hosts,
      fetch: undiciFetch as unknown as typeof fetch,
      version: '9.9.9',
    });
  }

  async connect(baseBranch = 'main'): Promise<HostedRepository> {
    const project = projectOf(this.clone, { baseBranch });
    const repository = await this.service.workspaces.inspect(project, noSignal);
    const connected = await this.host.connect(project, { ...repository, baseBranch }, noSignal);
    assert.ok(connected, 'the host does not take the repository');
    return connected;
  }

  /** A branch with one commit of its own, pushed with the credential. */
  async pushed(branch: string, change: Partial<NewPullRequest> = {}): Promise<NewPullRequest> {
    const project = projectOf(this.clone);
    await using workspace = await this.service.workspaces.open({ jobId: 'j', project, signal: noSignal });
    writeFiles(workspace.directory, { 'README.md': `changed for ${branch}\n` });
    const headCommit = (await workspace.commit('Change', {})) ?? '';
    await this.service.workspaces.push(project, branch, headCommit, noSignal);
    return {
      jobId: 'j',
      title: 'Change',
      body: 'Text',
      branch,
      baseBranch: 'main',
      baseCommit: workspace.baseCommit,
      headCommit,
      draft: false,
      warn: (sentence) => this.warnings.push(sentence),
      ...change,
    };
  }

  /** What the adapter makes of a remote: `taken`, `left` for another host, or the code of its refusal. */
  async place(remoteUrl: string | undefined): Promise<string> {
    const found = await this.#look(remoteUrl);
    return typeof found === 'string' ? found : found.code;
  }

  /** The sentence of an adapter that refuses a remote. */
  async connectError(remoteUrl: string): Promise<string> {
    const found = await this.#look(remoteUrl);
    return typeof found === 'string' ? found : found.message;
  }

  /** The next answer is this one; what is made of it names the trouble and holds no secret. */
  async troubled(
    answer: PlannedAnswer,
    act: () => Promise<unknown>,
    ...[code, words]: Parameters<typeof failsWith>
  ): Promise<void> {
    this.server.planned.push(answer);
    await assert.rejects(act(), (error: unknown) => {
      failsWith(code, words)(error);
      const text = inspect(error, { depth: 10, showHidden: true });
      assert.equal(text.includes(this.server.token), false, text);
      return true;
    });
    assert.equal(this.server.planned.length, 0, 'nothing was asked');
  }

  async #look(remoteUrl: string | undefined): Promise<'taken' | 'left' | ServiceError> {
    const repository = { remoteUrl, displayUrl: '', checkout: undefined, docsRoot: '', baseBranch: 'main' };
    try {
      const connected = await this.host.connect(projectOf(this.clone), repository, noSignal);
      return connected ? 'taken' : 'left';
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}
