import type { PullRequestRef } from '../../src/service/job.ts';
import type {
  CodeHost,
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../src/service/ports/code-host.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import type { ScriptedRepository } from './scripted-repository.ts';

export interface ScriptedPullRequest {
  readonly number: number;
  readonly branch: string;
  readonly baseBranch: string;
  title: string;
  body: string;
  state: PullRequestState;
}

/** A code host in memory that refuses what real ones refuse: a branch that is not there, a second open one. */
export class ScriptedHost implements CodeHost, HostedRepository {
  readonly pullRequests: ScriptedPullRequest[] = [];
  bodyLimit = 58_000;
  keepsComments = true;
  /** Absent as long as a test does not say otherwise: a host without labels. */
  addLabels?: (pullRequest: PullRequestRef, labels: readonly string[]) => Promise<void>;
  /** Thrown by the named call when set. */
  readonly failures: { connect?: Error; create?: Error; update?: Error } = {};
  readonly #repository: ScriptedRepository;

  constructor(repository: ScriptedRepository) {
    this.#repository = repository;
  }

  async connect(): Promise<HostedRepository> {
    if (this.failures.connect) throw this.failures.connect;
    return this;
  }

  async findOpen(branch: string): Promise<PullRequestRef | undefined> {
    const open = this.pullRequests.find((one) => one.branch === branch && one.state === 'open');
    return open && reference(open);
  }

  async create(request: NewPullRequest): Promise<PullRequestRef> {
    if (this.failures.create) throw this.failures.create;
    if (this.#repository.branches.get(request.branch) !== request.headCommit) {
      throw new ServiceError('pull_request_failed', 'The head is not there.');
    }
    if (await this.findOpen(request.branch)) throw new ServiceError('pull_request_failed', 'There is one.');
    const { branch, baseBranch, title, body } = request;
    const made = {
      number: this.pullRequests.length + 1,
      branch,
      baseBranch,
      title,
      body,
      state: 'open',
    } as const;
    this.pullRequests.push({ ...made });
    return reference(made);
  }

  async update(ref: PullRequestRef, content: PullRequestContent): Promise<void> {
    if (this.failures.update) throw this.failures.update;
    Object.assign(this.#find(ref), { title: content.title, body: content.body });
  }

  async state(ref: PullRequestRef): Promise<PullRequestState> {
    return this.#find(ref).state;
  }

  compareUrl(branch: string, baseBranch: string): string {
    return `https://code.example/r/compare/${baseBranch}...${branch}`;
  }

  #find(ref: PullRequestRef): ScriptedPullRequest {
    const found = this.pullRequests.find((one) => one.number === ref.number);
    if (found === undefined) throw new ServiceError('pull_request_failed', 'There is no such pull request.');
    return found;
  }
}

function reference({ number }: { readonly number: number }): PullRequestRef {
  return { number, link: `https://code.example/r/pull/${number}` };
}
