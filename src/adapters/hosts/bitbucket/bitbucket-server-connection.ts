import * as z from 'zod/v4';
import { hostSignIn } from '../../../service/host-sign-in.ts';
import { ServiceError } from '../../../service/service-error.ts';
import { HostRefusal } from '../refusals.ts';
import { readAnswer, type RestAnswer, type RestCall, type RestRequest } from '../rest.ts';
import { baseMissing, empty } from './bitbucket-refusals.ts';
import { type ServerPlace, serverPath } from './bitbucket-server-place.ts';

const { name: hostName } = hostSignIn['bitbucket-server'];
const pageSize = 100;
/** Branches whose name contains the wanted one. */
const maxPages = 20;

const repositorySchema = z.object({ slug: z.string(), name: z.string(), archived: z.boolean().catch(false) });
const writableSchema = z.object({
  values: z.array(z.object({ slug: z.string(), project: z.object({ key: z.string() }) })),
  isLastPage: z.boolean().catch(true),
});
const branchesSchema = z.object({
  values: z.array(z.object({ displayId: z.string() })),
  isLastPage: z.boolean().catch(true),
  nextPageStart: z.int().nullish().catch(undefined),
});

type Send = (request: RestRequest) => Promise<RestAnswer>;

/** Throws a sentence for each reason why a pull request could not be opened later. */
export async function testRepository(
  send: Send,
  call: RestCall,
  place: ServerPlace,
  baseBranch: string,
  signal: AbortSignal,
): Promise<void> {
  const name = `${place.projectKey}/${place.slug}`;
  const found = readAnswer(repositorySchema, (await send({ path: serverPath(place) })).data, hostName);
  if (found.archived) {
    const text = `${name} is archived at Bitbucket, so nothing can be changed in it.`;
    throw new ServiceError('permission_denied', text);
  }
  if (!(await mayPush(call, place, found.name, signal))) {
    const text = `Your Bitbucket account may read ${name} but not push to it. Ask its owner for write access.`;
    throw new ServiceError('permission_denied', text);
  }
  if (await hasBranch(send, place, baseBranch)) return;
  const any = await send({ path: `${serverPath(place)}/branches`, query: { limit: 1 } });
  const { values } = readAnswer(branchesSchema, any.data, hostName);
  throw values.length === 0 ? empty(name) : baseMissing(baseBranch, name);
}

/** The repository does not tell it, the list of those that one may write to does. */
async function mayPush(
  call: RestCall,
  place: ServerPlace,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const query = { name, permission: 'REPO_WRITE', limit: pageSize };
    const { data } = await call({ path: '/repos', query }, signal);
    const { values, isLastPage } = readAnswer(writableSchema, data, hostName);
    const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
    const listed = values.some(
      ({ slug, project }) => same(slug, place.slug) && same(project.key, place.projectKey),
    );
    return listed || !isLastPage;
  } catch (error) {
    // Tokens of one repository may be kept from lists; then the push tells.
    if (error instanceof HostRefusal || isRefusedSignIn(error)) return true;
    throw error;
  }
}

function isRefusedSignIn(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'authentication_failed';
}

/** The server's own filter takes whatever contains the name. */
async function hasBranch(send: Send, place: ServerPlace, branch: string): Promise<boolean> {
  let start = 0;
  for (let page = 0; page < maxPages; page++) {
    const query = { filterText: branch, limit: pageSize, start };
    const { data } = await send({ path: `${serverPath(place)}/branches`, query });
    const { values, isLastPage, nextPageStart } = readAnswer(branchesSchema, data, hostName);
    if (values.some(({ displayId }) => displayId === branch)) return true;
    if (isLastPage || nextPageStart == null || nextPageStart <= start) return false;
    start = nextPageStart;
  }
  return false;
}
