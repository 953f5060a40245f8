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
import { closedWhenGone, HostRefusal, notListedYet } from '../refusals.ts';
import { readAnswer, type RestAnswer, type RestCall, type RestRequest } from '../rest.ts';
import { createRefused, refused } from './bitbucket-refusals.ts';
import { testRepository } from './bitbucket-server-connection.ts';
import { type ServerPlace, serverPage, serverPath } from './bitbucket-server-place.ts';
import { findUsers } from './bitbucket-server-users.ts';
import { plainMarkdown } from './plain-markdown.ts';

const { name: hostName } = hostSignIn['bitbucket-server'];
/** Bitbucket refuses longer ones. */
const titleLimit = 255;

const userSchema = z.object({ user: z.object({ name: z.string() }) });
const pullSchema = z.object({
  id: z.int().positive(),
  version: z.int(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  /** Since 8.18. */
  draft: z.boolean().nullish(),
  fromRef: z.object({ id: z.string() }),
  toRef: z.object({ repository: z.object({ slug: z.string() }).nullish() }).nullish(),
  reviewers: z.array(userSchema).nullish(),
  links: z.object({ self: z.array(z.object({ href: z.string() })).nullish() }).nullish(),
});
const pullsSchema = z.object({ values: z.array(pullSchema) });
type Pull = z.infer<typeof pullSchema>;

/** One repository at Bitbucket Data Center, open to the credential that was tested with it. It knows no labels. */
export class BitbucketServerRepository implements HostedRepository {
  readonly kind = 'bitbucket-server';
  /** The server takes 32,768; the difference is room for what it counts otherwise. */
  readonly bodyLimit = 30_000;
  readonly keepsComments = false;
  readonly massage = plainMarkdown;
  readonly #call: RestCall;
  readonly #place: ServerPlace;

  private constructor(call: RestCall, place: ServerPlace) {
    this.#call = call;
    this.#place = place;
  }

  /** Fails with a sentence for each reason why a pull request could not be opened later. */
  static async open(
    call: RestCall,
    place: ServerPlace,
    baseBranch: string,
    signal: AbortSignal,
  ): Promise<BitbucketServerRepository> {
    const repository = new BitbucketServerRepository(call, place);
    const send = (request: RestRequest): Promise<RestAnswer> => repository.#send(request, signal);
    await testRepository(send, call, place, baseBranch, signal);
    return repository;
  }

  async findOpen(branch: string, signal: AbortSignal): Promise<PullRequestRef | undefined> {
    const query = { at: refOf(branch), direction: 'OUTGOING', state: 'OPEN', limit: 50 };
    const { data } = await this.#send({ path: this.#pulls, query }, signal);
    const { values } = readAnswer(pullsSchema, data, hostName);
    const found = values.find(({ fromRef }) => fromRef.id === refOf(branch));
    return found && this.#reference(found);
  }

  async create(request: NewPullRequest, signal: AbortSignal): Promise<PullRequestRef> {
    const { title, body, branch, baseBranch, draft } = request;
    // An earlier attempt may have got this far.
    const before = await this.findOpen(branch, signal);
    if (before) return before;
    const { slug, projectKey } = this.#place;
    const repository = { slug, project: { key: projectKey } };
    try {
      const { data } = await this.#call(
        {
          method: 'POST',
          path: this.#pulls,
          body: {
            title: cutTitle(title, titleLimit),
            description: body,
            fromRef: { id: refOf(branch), repository },
            toRef: { id: refOf(baseBranch), repository },
            ...(draft && { draft }),
          },
        },
        signal,
      );
      const created = readAnswer(pullSchema, data, hostName);
      if (draft && created.draft !== true) {
        request.warn('This Bitbucket server does not know drafts, so the pull request is none.');
      }
      return this.#reference(created);
    } catch (error) {
      const refusal = told(error);
      if (!(refusal instanceof HostRefusal)) throw refusal;
      if (refusal.says(/DuplicatePullRequest/)) {
        const found = await this.findOpen(branch, signal);
        if (found) return found;
        throw notListedYet(hostName, refusal);
      }
      throw createRefused(refusal, this.#name, request);
    }
  }

  async update(
    pullRequest: PullRequestRef,
    { title, body }: PullRequestContent,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#change(
      pullRequest,
      () => ({ title: cutTitle(title, titleLimit), description: body }),
      signal,
    );
  }

  /** By user name or e-mail address. */
  async requestReviewers(
    pullRequest: PullRequestRef,
    reviewers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const send = (request: RestRequest): Promise<RestAnswer> => this.#send(request, signal);
    const { names, missing } = await findUsers(send, this.#place, reviewers);
    if (names.length > 0) {
      const added = names.map((name) => ({ user: { name } }));
      const known = (list: Reviewers, { user }: Reviewers[number]): boolean =>
        list.some((one) => one.user.name === user.name);
      await this.#change(
        pullRequest,
        ({ reviewers: present }) => ({
          reviewers: [...(present ?? []), ...added.filter((one) => !known(present ?? [], one))],
        }),
        signal,
      );
    }
    if (missing.length === 0) return;
    const text = `Bitbucket knows nobody called ${listed(missing)} who may review in ${this.#name}.`;
    throw new ServiceError('pull_request_failed', text);
  }

  async state(pullRequest: PullRequestRef, signal: AbortSignal): Promise<PullRequestState> {
    try {
      const { state } = await this.#read(pullRequest, signal);
      // The third is DECLINED.
      if (state === 'OPEN') return 'open';
      return state === 'MERGED' ? 'merged' : 'closed';
    } catch (error) {
      return closedWhenGone(error);
    }
  }

  compareUrl(branch: string, baseBranch: string): string {
    const query = new URLSearchParams({ sourceBranch: refOf(branch), targetBranch: refOf(baseBranch) });
    return `${serverPage(this.#place)}/pull-requests?create&${query.toString()}`;
  }

  /**
   * Reads, changes and writes. What an update does not name goes: reviewers would be sent away. It carries the
   * version that it was made for; somebody who was quicker makes it read once more.
   */
  async #change(
    pullRequest: PullRequestRef,
    change: (before: Pull) => object,
    signal: AbortSignal,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.#read(pullRequest, signal);
      const { version, title, description, draft, reviewers } = before;
      const body = {
        version,
        title,
        description: description ?? '',
        reviewers: reviewers ?? [],
        ...(draft != null && { draft }),
        ...change(before),
      };
      try {
        await this.#call({ method: 'PUT', path: this.#pull(pullRequest), body }, signal);
        return;
      } catch (error) {
        const refusal = told(error);
        if (!(refusal instanceof HostRefusal)) throw refusal;
        const outdated = refusal.status === 409 && refusal.says(/OutOfDate/);
        if (!outdated || attempt > 1) throw refused(refusal, this.#name);
      }
    }
  }

  async #read(pullRequest: PullRequestRef, signal: AbortSignal): Promise<Pull> {
    const { data } = await this.#send({ path: this.#pull(pullRequest) }, signal);
    return readAnswer(pullSchema, data, hostName);
  }

  async #send(request: RestRequest, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await this.#call(request, signal);
    } catch (error) {
      const refusal = told(error);
      throw refusal instanceof HostRefusal ? refused(refusal, this.#name) : refusal;
    }
  }

  #reference({ id, links }: Pull): PullRequestRef {
    const known = `${serverPage(this.#place)}/pull-requests/${id}`;
    return { number: id, link: ownLink(links?.self?.[0]?.href, this.#place.webUrl, known) };
  }

  #pull({ number }: PullRequestRef): string {
    return `${this.#pulls}/${number}`;
  }

  get #pulls(): string {
    return `${serverPath(this.#place)}/pull-requests`;
  }

  get #name(): string {
    return `${this.#place.projectKey}/${this.#place.slug}`;
  }
}

type Reviewers = readonly z.infer<typeof userSchema>[];

function refOf(branch: string): string {
  return `refs/heads/${branch}`;
}

/** The server answers 401 also to a sign-in that it accepts and that may not do this; its exception tells them apart. */
function told(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !(error.cause instanceof HostRefusal)) return error;
  return error.cause.says(/AuthorisationException/) ? error.cause : error;
}
