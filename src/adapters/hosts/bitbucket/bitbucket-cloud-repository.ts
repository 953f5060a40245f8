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
import { listed, ownLink } from '../own-site.ts';
import { HostRefusal } from '../refusals.ts';
import { readAnswer, type RestAnswer, type RestCall, type RestRequest } from '../rest.ts';
import { findAccounts } from './bitbucket-accounts.ts';
import { baseMissing, createRefused, empty, refused } from './bitbucket-refusals.ts';
import { plainMarkdown } from './plain-markdown.ts';

const { name: hostName } = hostSignIn.bitbucket;
/** Bitbucket refuses longer ones. */
const titleLimit = 255;

const repositorySchema = z.object({
  full_name: z.string(),
  /** Null before the first push. */
  mainbranch: z.object({ name: z.string() }).nullish(),
});
const pullSchema = z.object({
  id: z.int().positive(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  draft: z.boolean().nullish(),
  reviewers: z.array(z.object({ uuid: z.string() })).nullish(),
  source: z.object({
    branch: z.object({ name: z.string() }),
    /** Null when the fork is gone. */
    repository: z.object({ full_name: z.string() }).nullish(),
  }),
  links: z.object({ html: z.object({ href: z.string() }).nullish() }).nullish(),
});
const pullsSchema = z.object({ values: z.array(pullSchema) });
const branchesSchema = z.object({ values: z.array(z.object({ name: z.string() })) });
type Pull = z.infer<typeof pullSchema>;

export interface CloudPlace {
  readonly workspace: string;
  readonly slug: string;
  readonly webUrl: string;
}

/** One repository at Bitbucket Cloud, open to the credential that was tested with it. It knows no labels. */
export class BitbucketCloudRepository implements HostedRepository {
  readonly kind = 'bitbucket';
  readonly bodyLimit = 250_000;
  readonly keepsComments = false;
  readonly massage = plainMarkdown;
  readonly #call: RestCall;
  readonly #place: CloudPlace;

  private constructor(call: RestCall, place: CloudPlace) {
    this.#call = call;
    this.#place = place;
  }

  /** Fails with a sentence for each reason that Bitbucket tells why a pull request could not be opened later. */
  static async open(
    call: RestCall,
    place: CloudPlace,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<BitbucketCloudRepository> {
    const repository = new BitbucketCloudRepository(call, place);
    await repository.#test(baseBranch, signal);
    return repository;
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    const q = `source.branch.name = ${quoted(branch)} AND state = "OPEN"`;
    const request = { path: `${this.#path}/pullrequests`, query: { q, pagelen: 50 } };
    const { values } = readAnswer(pullsSchema, (await this.#send(request, signal)).data, hostName);
    // A fork may have a branch of the same name.
    const found = values.find(
      ({ source }) => source.branch.name === branch && same(source.repository?.full_name, this.#name),
    );
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { title, body, branch, baseBranch, draft } = request;
    // An earlier attempt may have got this far. A second creation would answer the first one, rewritten.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    try {
      const { data } = await this.#call(
        {
          method: 'POST',
          path: `${this.#path}/pullrequests`,
          body: {
            title: cutTitle(title, titleLimit),
            description: body,
            source: { branch: { name: branch } },
            destination: { branch: { name: baseBranch } },
            ...(draft && { draft }),
          },
        },
        signal,
      );
      const created = readAnswer(pullSchema, data, hostName);
      if (draft && created.draft !== true) request.warn('Bitbucket did not make the pull request a draft.');
      return this.#reference(created);
    } catch (error) {
      throw error instanceof HostRefusal ? createRefused(error, this.#name, request) : error;
    }
  }

  async update(
    pullRequest: PullRequestRef,
    { title, body }: PullRequestContent,
    signal: AbortSignal,
  ): Promise<void> {
    const before = await this.#read(pullRequest, signal);
    await this.#put(before, { title, description: body }, signal);
  }

  /** By nickname, public name, `{uuid}` or account id. */
  async requestReviewers(
    pullRequest: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { workspace } = this.#place;
    const { uuids, missing } = await findAccounts(
      (request) => this.#send(request, signal),
      workspace,
      reviewers,
    );
    const before = await this.#read(pullRequest, signal);
    const present = (before.reviewers ?? []).map(({ uuid }) => uuid);
    const added = uuids.filter((uuid) => !present.includes(uuid));
    if (added.length > 0) {
      await this.#put({ ...before, reviewers: [...present, ...added].map((uuid) => ({ uuid })) }, {}, signal);
    }
    if (missing.length === 0) return;
    const text = `Bitbucket knows nobody called ${listed(missing)} in ${workspace} who could review.`;
    throw new ServiceError('pull_request_failed', text);
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    const { state } = await this.#read(pullRequest, signal);
    // The others are DECLINED and SUPERSEDED.
    if (state === 'OPEN') return 'open';
    return state === 'MERGED' ? 'merged' : 'closed';
  }

  compareUrl(branch: string, baseBranch: string): string {
    const query = new URLSearchParams({ source: branch, dest: `${this.#name}::${baseBranch}` });
    return `${this.#web}/pull-requests/new?${query.toString()}`;
  }

  async #test(baseBranch: string, signal: AbortSignal): Promise<void> {
    const { data } = await this.#send({ path: this.#path }, signal);
    const found = readAnswer(repositorySchema, data, hostName);
    if (!found.mainbranch) throw empty(this.#name);
    // Asked for by its name, not by its path: the slashes of a branch are no parts of one.
    const query = { q: `name = ${quoted(baseBranch)}`, pagelen: 10 };
    const answer = await this.#send({ path: `${this.#path}/refs/branches`, query }, signal);
    const { values } = readAnswer(branchesSchema, answer.data, hostName);
    if (!values.some(({ name }) => name === baseBranch)) throw baseMissing(baseBranch, this.#name);
  }

  /** What an update does not name is kept, except the reviewers, which it would send away. */
  async #put(
    before: Pull,
    change: { readonly title?: string; readonly description?: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { title = before.title, description = before.description ?? '' } = change;
    const body = {
      title: cutTitle(title, titleLimit),
      description,
      reviewers: before.reviewers ?? [],
      ...(before.draft != null && { draft: before.draft }),
    };
    await this.#send({ method: 'PUT', path: `${this.#path}/pullrequests/${before.id}`, body }, signal);
  }

  async #read({ number }: PullRequestRef, signal: AbortSignal): Promise<Pull> {
    const { data } = await this.#send({ path: `${this.#path}/pullrequests/${number}` }, signal);
    return readAnswer(pullSchema, data, hostName);
  }

  async #send(request: RestRequest, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await this.#call(request, signal);
    } catch (error) {
      throw error instanceof HostRefusal ? refused(error, this.#name) : error;
    }
  }

  #reference({ id, links }: Pull): PullRequestRef {
    const known = `${this.#web}/pull-requests/${id}`;
    return { number: id, link: ownLink(links?.html?.href, this.#place.webUrl, known) };
  }

  get #path(): string {
    return `/repositories/${this.#names.map(encodeURIComponent).join('/')}`;
  }

  get #web(): string {
    return `${this.#place.webUrl}/${this.#names.map(encodeURIComponent).join('/')}`;
  }

  get #name(): string {
    return this.#names.join('/');
  }

  get #names(): [string, string] {
    return [this.#place.workspace, this.#place.slug];
  }
}

/** A text in Bitbucket's query language. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function same(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
