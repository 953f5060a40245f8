import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import type { PullRequestRef } from '../../../service/job.ts';
import type {
  HostedRepository,
  NewPullRequest,
  PullRequestContent,
  PullRequestState,
} from '../../../service/ports/code-host.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { cutTitle } from '../host-options.ts';
import { listed } from '../own-site.ts';
import { HostRefusal, notListedYet } from '../refusals.ts';
import { readAnswer, type RestAnswer, type RestCall, type RestRequest } from '../rest.ts';
import { findIdentities } from './azure-identities.ts';
import { type AzurePlace, repositoryPage, repositoryPath } from './azure-place.ts';
import { createRefused, refused } from './azure-refusals.ts';

const { name: hostName } = hostSignIn.azure;
/** Azure DevOps refuses longer ones. */
const titleLimit = 400;
/** Of Azure DevOps Server 2020; the service of today and all later servers answer it. */
const version = { 'api-version': '6.0' };
/** Labels were a preview in that version. */
const labelsVersion = { 'api-version': '6.0-preview.1' };

const repositorySchema = z.object({ id: z.string(), isDisabled: z.boolean().nullish().catch(undefined) });
const refsSchema = z.object({ value: z.array(z.object({ name: z.string() })) });
const pullSchema = z.object({
  pullRequestId: z.int().positive(),
  status: z.string(),
  sourceRefName: z.string(),
  isDraft: z.boolean().nullish(),
});
const pullsSchema = z.object({ value: z.array(pullSchema) });
type Pull = z.infer<typeof pullSchema>;

export interface AzureCalls {
  readonly git: RestCall;
  readonly identities: RestCall;
}

/** One repository at Azure DevOps, open to the credential that was tested with it. */
export class AzureRepository implements HostedRepository {
  readonly kind = 'azure';
  readonly bodyLimit = 4000;
  readonly keepsComments = true;
  readonly #calls: AzureCalls;
  readonly #place: AzurePlace;

  private constructor(calls: AzureCalls, place: AzurePlace) {
    this.#calls = calls;
    this.#place = place;
  }

  /** Fails with a sentence for each reason that is told why a pull request could not be opened later. */
  static async open(
    calls: AzureCalls,
    place: AzurePlace,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<AzureRepository> {
    const repository = new AzureRepository(calls, place);
    await repository.#test(baseBranch, signal);
    return repository;
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    const query = {
      ...version,
      'searchCriteria.sourceRefName': refOf(branch),
      'searchCriteria.status': 'active',
    };
    const { data } = await this.#send({ path: this.#pulls, query }, signal);
    const { value } = readAnswer(pullsSchema, data, hostName);
    const found = value.find(({ sourceRefName }) => sourceRefName === refOf(branch));
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { title, body, branch, baseBranch, draft } = request;
    // An earlier attempt may have got this far.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    try {
      const { data } = await this.#calls.git(
        {
          method: 'POST',
          path: this.#pulls,
          query: version,
          body: {
            sourceRefName: refOf(branch),
            targetRefName: refOf(baseBranch),
            title: cutTitle(title, titleLimit),
            description: body,
            isDraft: draft,
          },
        },
        signal,
      );
      const created = readAnswer(pullSchema, data, hostName);
      if (draft && created.isDraft !== true) {
        request.warn('Azure DevOps did not make the pull request a draft.');
      }
      return this.#reference(created);
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      const exists = error.says(/TF401179/);
      const found = exists || error.status === 409 ? await this.findOpen(branch, signal) : undefined;
      if (found) return found;
      if (exists) throw notListedYet(hostName, error);
      throw createRefused(error, this.#name, request);
    }
  }

  /** What is not named stays as it is, the draft too. */
  async update(
    pullRequest: PullRequestRef,
    { title, body }: PullRequestContent,
    signal: AbortSignal,
  ): Promise<void> {
    const path = this.#pull(pullRequest);
    const change = { title: cutTitle(title, titleLimit), description: body };
    await this.#send({ method: 'PATCH', path, query: version, body: change }, signal);
  }

  /** Labels that there are not are made. */
  async addLabels(
    pullRequest: PullRequestRef,
    labels: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const path = `${this.#pull(pullRequest)}/labels`;
    for (const name of labels) {
      await this.#send({ method: 'POST', path, query: labelsVersion, body: { name } }, signal);
    }
  }

  /** By e-mail address, account or public name, or a group's name. One that is refused does not keep off the others. */
  async requestReviewers(
    pullRequest: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { ids, missing } = await findIdentities(this.#calls.identities, reviewers, signal);
    const refusedNames = [...missing];
    for (const [name, id] of ids) {
      const path = `${this.#pull(pullRequest)}/reviewers/${encodeURIComponent(id)}`;
      try {
        await this.#calls.git({ method: 'PUT', path, query: version, body: { id, vote: 0 } }, signal);
      } catch (error) {
        if (!(error instanceof HostRefusal)) throw error;
        refusedNames.push(name);
      }
    }
    if (refusedNames.length === 0) return;
    const text = `Azure DevOps knows nobody called ${listed(refusedNames)} who may review in ${this.#name}.`;
    throw new ServiceError('pull_request_failed', text);
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    const { data } = await this.#send({ path: this.#pull(pullRequest), query: version }, signal);
    const { status } = readAnswer(pullSchema, data, hostName);
    // The third is "abandoned".
    if (status === 'active') return 'open';
    return status === 'completed' ? 'merged' : 'closed';
  }

  compareUrl(branch: string, baseBranch: string): string {
    const query = new URLSearchParams({ sourceRef: branch, targetRef: baseBranch });
    return `${repositoryPage(this.#place)}/pullrequestcreate?${query.toString()}`;
  }

  async #test(baseBranch: string, signal: AbortSignal): Promise<void> {
    const path = repositoryPath(this.#place);
    const { data } = await this.#send({ path, query: version }, signal);
    if (readAnswer(repositorySchema, data, hostName).isDisabled) {
      const text = `${this.#name} is disabled at Azure DevOps, so nothing can be changed in it.`;
      throw new ServiceError('permission_denied', text);
    }
    // The filter takes whatever begins with it.
    if ((await this.#refs(`heads/${baseBranch}`, signal)).includes(refOf(baseBranch))) return;
    if ((await this.#refs('heads/', signal)).length === 0) {
      const text = `${this.#name} has no commit yet. Push the docs to it first.`;
      throw new ServiceError('repository_empty', text);
    }
    const text = `The branch ${baseBranch} does not exist in ${this.#name}. Choose another one in the settings.`;
    throw new ServiceError('base_branch_missing', text);
  }

  /** Up to a thousand, in the order of their names: the one that is the filter itself comes first. */
  async #refs(filter: string, signal: AbortSignal): Promise<string[]> {
    const query = { ...version, filter, $top: 1000 };
    const { data } = await this.#send({ path: `${repositoryPath(this.#place)}/refs`, query }, signal);
    return readAnswer(refsSchema, data, hostName).value.map(({ name }) => name);
  }

  async #send(request: RestRequest, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await this.#calls.git(request, signal);
    } catch (error) {
      throw error instanceof HostRefusal ? refused(error, this.#name) : error;
    }
  }

  /** The answer holds addresses of the interface only. */
  #reference({ pullRequestId: number }: Pull): PullRequestRef {
    return { number, link: `${repositoryPage(this.#place)}/pullrequest/${number}` };
  }

  #pull({ number }: PullRequestRef): string {
    return `${this.#pulls}/${number}`;
  }

  get #pulls(): string {
    return `${repositoryPath(this.#place)}/pullRequests`;
  }

  get #name(): string {
    return `${this.#place.project}/${this.#place.repository}`;
  }
}

function refOf(branch: string): string {
  return `refs/heads/${branch}`;
}
